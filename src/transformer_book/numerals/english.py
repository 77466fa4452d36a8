"""English numerals: thirty thousand two hundred five is 30,205, two thirds is 2/3.

The short scale, with thousand, million, billion (10⁹) and trillion; a hyphen within the tens, an "and" behind
hundred where a writer likes one.
"""

import re
from fractions import Fraction

from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_whole
from transformer_book.numerals.numeral import Numeral, numerals_in

ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
UNITS = {"trillion": 10**12, "billion": 10**9, "million": 10**6, "thousand": 1000, "hundred": 100}
_IRREGULAR = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
    "twelve": "twelfth",
}  # fmt: skip
_ORDINALS = {
    _IRREGULAR.get(word, re.sub("y$", "ie", word) + "th"): word for word in [*ONES[1:], *TENS, *UNITS]
}
_PARTS = {word: number for word, number in _ORDINALS.items() if word not in ("first", "second")}
_PARTS |= {"half": "two", "quarter": "four"}
_TIMES = {"twice": 2, "thrice": 3}

_NUMBER = rf"(?:{'|'.join(sorted([*ONES, *TENS, *UNITS], key=len, reverse=True))})"
_ORDINAL = rf"(?:{'|'.join(sorted(_ORDINALS, key=len, reverse=True))})"
_PART = rf"(?:{'|'.join(sorted(_PARTS, key=len, reverse=True))})"
_JOIN = r"(?:[\s-]+|(?<=hundred)\s+and\s+|(?<=thousand)\s+and\s+|(?<=million)\s+and\s+)"
_WHOLE = rf"(?:an?\s+(?=hundred|thousand|million|billion|trillion|dozen))?{_NUMBER}(?:{_JOIN}{_NUMBER})*"
_SMALL = rf"(?:{'|'.join(sorted(ONES[1:], key=len, reverse=True))})"
_SHARED = (
    rf"(?:{_SMALL}[\s-]+(?:halves|{_PART}s?)|an?\s+(?:half|third|quarter)|an?\s+{_PART}(?=\s+of\b)"
    r"|half(?!-)|halves)"
)
_LOOSE = rf"(?:more\s+than|over)\s+{_WHOLE}|(?:several|a\s+few)\s+(?:hundred|thousand|million|billion)"
_LOOSE += rf"|(?:tens|hundreds)\s+of\s+(?:thousands|millions|billions)|dozens|{_SMALL}\s+(?:or|to)\s+{_SMALL}"
_WORD = re.compile(
    rf"\b(?:{_LOOSE}|{_WHOLE}\s+and\s+(?:a\s+half|{_SHARED})|{_SHARED}|{_WHOLE}\s+point(?:\s+{_SMALL}|\s+zero)+"
    rf"|(?:{_WHOLE}[\s-]+)?{_ORDINAL}|twice|thrice|{_WHOLE}|(?:a\s+)?dozen)(?:\b|(?=fold\b))",
    re.IGNORECASE,
)
_SHARE = re.compile(rf"^(?:{_SHARED}|an?\s+{_PART})$")  # "a fifth" alone is one


def write(number: int) -> str:
    """Return a whole number from 0 to below 10¹⁵ in words: 16 is sixteen, 120 is one hundred twenty."""
    check_whole("number", number, least=0)
    number = int(number)
    if number >= 10**15:
        raise ValueError(must_be("number", "below 10**15", number))
    if number < 20:
        return ONES[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return TENS[tens - 2] + (f"-{ONES[ones]}" if ones else "")
    unit, size = next((unit, size) for unit, size in UNITS.items() if number >= size)
    head, tail = divmod(number, size)
    return f"{write(head)} {unit}" + (f" {write(tail)}" if tail else "")


def read(text: str) -> int | Fraction:
    """Return the value of a numeral; ordinals have that of their number, and "times" behind changes nothing.

    text: a whole number (sixteen, two hundred and five, a thousand), a decimal (one point five), a share (two
    thirds, a quarter, half), both (two and a half), twice, or a dozen. Raises ValueError for any other
    writing, such as "two hundred thousand five million"; TypeError for a text that is not a str.
    """
    if not isinstance(text, str):
        raise TypeError(must_be("text", "a str", f"a {type(text).__name__}"))
    body = re.sub(r"[\s-]+times$|[\s-]*fold$", "", " ".join(text.lower().split()))
    try:
        return _read(body)
    except (KeyError, ValueError, ZeroDivisionError):
        raise ValueError(must_be("text", "an English numeral such as two thirds", repr(text))) from None


def _read(text: str) -> int | Fraction:
    if text in _TIMES:
        return _TIMES[text]
    if _SHARE.match(text):
        return _share(text)
    if " and " in text:
        whole, _, part = text.rpartition(" and ")
        if _SHARE.match(part):
            return _whole(whole) + _share(part)
    if " point " in text:
        whole, _, decimals = text.partition(" point ")
        digits = "".join(str(ONES.index(digit)) for digit in decimals.split())
        return _whole(whole) + Fraction(int(digits), 10 ** len(digits))
    return _whole(text)


def _share(text: str) -> Fraction:
    if text in ("half", "halves"):
        return Fraction(1, 2)
    top, bottom = re.split("[ -]", text, maxsplit=1)
    bottom = {"halves": "half"}.get(bottom, bottom if bottom in _PARTS else bottom.removesuffix("s"))
    return Fraction(1 if top in ("a", "an") else ONES.index(top), _whole(_PARTS[bottom]))


def _whole(text: str) -> int:
    """The value of a whole number or an ordinal; only the one right spelling of a value has it."""
    words = re.sub("^an? ", "one ", text).replace("-", " ").replace(" and ", " ").split()
    if words == ["dozen"] or words == ["one", "dozen"]:
        return 12
    if not words:
        raise ValueError(text)
    words[-1] = _ORDINALS.get(words[-1], words[-1])
    if words[0] in UNITS:
        words.insert(0, "one")
    total = group = 0
    for word in words:
        if word in UNITS and word != "hundred":
            total, group = total + group * UNITS[word], 0
        elif word == "hundred":
            group *= 100
        else:
            group += ONES.index(word) if word in ONES else 10 * TENS.index(word) + 20
    if write(total + group).replace("-", " ").split() != words:
        raise ValueError(text)
    return total + group


def bounds(text: str) -> tuple[int | Fraction, int | Fraction]:
    """Return the least and the greatest value that a numeral may stand for, both equal if it is exact.

    text: as `read` takes it, or loose: more than seven thousand (7001 to 7999), several hundred, tens of
    thousands, dozens, seven or eight. ValueError as `read`.
    """
    body = " ".join(text.lower().split()) if isinstance(text, str) else text
    if body == "dozens":
        return 24, 143
    if match := re.fullmatch("(?:several|a few) (.*)", body if isinstance(body, str) else ""):
        return 2 * UNITS[match[1]], 10 * UNITS[match[1]] - 1
    if match := re.fullmatch("(tens|hundreds) of (.*)s", body if isinstance(body, str) else ""):
        least = {"tens": 10, "hundreds": 100}[match[1]] * UNITS[match[2]]
        return 2 * least, 10 * least - 1
    if match := re.fullmatch("(?:more than|over) (.*)", body if isinstance(body, str) else ""):
        least = read(match[1])
        unit = next((size for size in UNITS.values() if least % size == 0), 10 if least % 10 == 0 else 1)
        return least + 1, max(least + unit - 1, least + 1)
    if match := re.fullmatch(rf"({_SMALL}) (?:or|to) ({_SMALL})", body if isinstance(body, str) else ""):
        low, high = read(match[1]), read(match[2])
        if low >= high:
            raise ValueError(must_be("text", "a lesser number before a greater one", repr(text)))
        return low, high
    value = read(text)
    return value, value


def find(text: str) -> list[Numeral]:
    """List the numerals of a running text in order; "times" behind them is no part of them."""
    return numerals_in(text, _WORD, bounds, lambda word: bool(_SHARE.match(" ".join(word.lower().split()))))
