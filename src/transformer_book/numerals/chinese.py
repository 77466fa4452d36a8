"""Chinese numerals: 三万零二百零五 is 30,205, 三分之二 is 2/3.

The rules of modern simplified writing, with 万 (10⁴) and 亿 (10⁸) as in GB/T 15835-2011.
"""

import re
from fractions import Fraction

from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_whole
from transformer_book.numerals.numeral import Numeral, numerals_in

DIGITS = "零一二三四五六七八九"
UNITS = {"亿": 10**8, "万": 10**4, "千": 1000, "百": 100, "十": 10}
CHARACTERS = DIGITS + "".join(UNITS) + "〇两"  # all that a whole number is written with
_WHOLE = f"[{CHARACTERS}]+"
_UNITS = "[" + "".join(UNITS) + "]"
_WORD = re.compile(
    rf"{_WHOLE}分之(?:[{DIGITS[1:]}](?!{_UNITS})|{_WHOLE})|{_WHOLE}点[{DIGITS}〇]+|[二两三四五六七八九]成|(?<!两)一?半"
    rf"|几{_UNITS}+|{_WHOLE}(?:(?<={_UNITS})[多余几])?"
)
_SHARE = re.compile("分之|成|半")
_PAIR = re.compile(
    rf"(?P<head>{_WHOLE})?(?P<low>[一二两三四五六七八])(?P<high>[二两三四五六七八九])(?P<tail>{_UNITS}*)"
)


def write(number: int) -> str:
    """Return a whole number of at least 0 as a numeral: 16 is 十六, 120 is 一百二十, 10¹⁶ is 一亿亿."""
    check_whole("number", number, least=0)
    text = _spelled(int(number))
    return text[1:] if text.startswith("一十") else text


def _spelled(number: int) -> str:
    for unit, size in UNITS.items():
        head, tail = divmod(number, size)
        if head:
            gap = "零" if 0 < tail < size // 10 else ""  # a place between the two is empty
            return _spelled(head) + unit + gap + (_spelled(tail) if tail else "")
    return DIGITS[number]


def read(text: str) -> int | Fraction:
    """Return the value of a numeral; 第 before it and 倍 behind it change nothing.

    text: a whole number (十六, 两千, 百万, 一亿亿; three or more digits one by one: 二〇二四), a decimal
    (一点五), a share (三分之二, 百分之十五, 八成), or 半, 一半. Raises ValueError for any other writing,
    such as 一万一 (say 一万一千 or 一万零一), 二百两 or 三四; TypeError for a text that is not a str.
    """
    if not isinstance(text, str):
        raise TypeError(must_be("text", "a str", f"a {type(text).__name__}"))
    body = text.removeprefix("第").removesuffix("倍")
    try:
        if body in ("半", "一半"):
            return Fraction(1, 2)
        if body.endswith("成"):
            return Fraction(_whole(body[:-1]), 10)
        if "分之" in body:
            bottom, top = body.split("分之")
            return Fraction(_whole(top), _whole(bottom))
        if "点" in body:
            whole, decimals = body.split("点")
            return _whole(whole) + Fraction(_by_digits(decimals), 10 ** len(decimals))
        return _whole(body)
    except (ValueError, ZeroDivisionError):
        raise ValueError(must_be("text", "a Chinese numeral such as 三千零七", repr(text))) from None


def bounds(text: str) -> tuple[int | Fraction, int | Fraction]:
    """Return the least and the greatest value that a numeral may stand for, both equal if it is exact.

    text: as `read` takes it, or loose: 七千多 (7001 to 7999), 十几, 几十, 七八, 三四十, 十五六. ValueError as
    `read`.
    """
    pair = _PAIR.fullmatch(text)
    try:
        if text[-1:] and text[-1] in "多余几":
            least = read(text[:-1])
            return least + 1, least + UNITS[text[-2]] - 1
        if text[:1] == "几" and set(text[1:]) <= set(UNITS):
            unit = read(text[1:])
            return 2 * unit, 10 * unit - 1
        if (
            pair
            and DIGITS.index(pair["high"].replace("两", "二"))
            == DIGITS.index(pair["low"].replace("两", "二")) + 1
        ):
            head, tail = pair["head"] or "", pair["tail"]
            return read(head + pair["low"] + tail), read(head + pair["high"] + tail)
    except KeyError:
        raise ValueError(must_be("text", "a Chinese numeral such as 七千多", repr(text))) from None
    value = read(text)
    return value, value


def find(text: str) -> list[Numeral]:
    """List the numerals of a running text in order; 倍 and 第 beside them are no part of them."""
    return numerals_in(text, _WORD, bounds, lambda word: bool(_SHARE.search(word)))


def _whole(text: str) -> int:
    plain = text.replace("〇", "零")
    if len(plain) > 2 and not re.search("[^零一二三四五六七八九]", plain):
        return _by_digits(plain)
    if plain != "两":
        plain = re.sub("两(?=[百千万亿])", "二", plain)
    if plain[:1] and plain[0] in "百千万亿":
        plain = "一" + plain
    value = 2 if plain == "两" else _value(plain)
    if plain not in ("两", write(value)):
        raise ValueError(text)  # another numeral is the right one for this value
    return value


def _value(text: str) -> int:
    """The value where each unit multiplies what stands before it, whatever the order of the parts."""
    for unit, size in UNITS.items():
        head, found, tail = text.rpartition(unit)
        if found:
            return (_value(head) if head else 1) * size + (_value(tail.removeprefix("零")) if tail else 0)
    return DIGITS.index(text) if text else 0


def _by_digits(text: str) -> int:
    return int("".join(str(DIGITS.index(digit)) for digit in text.replace("〇", "零")))
