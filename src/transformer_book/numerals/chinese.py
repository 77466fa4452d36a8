"""Chinese numerals: 三万零二百零五 is 30,205, 三分之二 is 2/3.

The rules of modern simplified writing, with 万 (10⁴) and 亿 (10⁸) as in GB/T 15835-2011.
"""

import re
from fractions import Fraction

from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_whole

DIGITS = "零一二三四五六七八九"
UNITS = {"亿": 10**8, "万": 10**4, "千": 1000, "百": 100, "十": 10}
CHARACTERS = DIGITS + "".join(UNITS) + "〇两"  # all that a whole number is written with


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
    (一点五), a share (三分之二, 百分之十五), or 半. Raises ValueError for any other writing, such as 一万一
    (say 一万一千 or 一万零一), 二百两 or 三四; TypeError for a text that is not a str.
    """
    if not isinstance(text, str):
        raise TypeError(must_be("text", "a str", f"a {type(text).__name__}"))
    body = text.removeprefix("第").removesuffix("倍")
    try:
        if body == "半":
            return Fraction(1, 2)
        if "分之" in body:
            bottom, top = body.split("分之")
            return Fraction(_whole(top), _whole(bottom))
        if "点" in body:
            whole, decimals = body.split("点")
            return _whole(whole) + Fraction(_by_digits(decimals), 10 ** len(decimals))
        return _whole(body)
    except (ValueError, ZeroDivisionError):
        raise ValueError(must_be("text", "a Chinese numeral such as 三千零七", repr(text))) from None


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
