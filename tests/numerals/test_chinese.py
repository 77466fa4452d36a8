"""Chinese numerals, by a table from the rules of writing, round trips, and wrong forms."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer_book.numerals import chinese

# A place between two others that is empty is written 零, once; 一十 loses its 一 at the beginning alone.
TABLE = {
    0: "零",
    7: "七",
    10: "十",
    16: "十六",
    20: "二十",
    100: "一百",
    101: "一百零一",
    110: "一百一十",
    120: "一百二十",
    1001: "一千零一",
    1010: "一千零一十",
    1100: "一千一百",
    3007: "三千零七",
    10_010: "一万零一十",
    30_205: "三万零二百零五",
    100_000: "十万",
    101_000: "十万一千",
    101_010: "十万一千零一十",
    120_300: "十二万零三百",
    10_000_000: "一千万",
    100_010_000: "一亿零一万",
    200_009_000: "二亿零九千",
    10**12: "一万亿",
    10**12 + 1: "一万亿零一",
    1_000_100_000_000: "一万零一亿",
    10**16: "一亿亿",
    3_456_789_012_345_678: "三千四百五十六万七千八百九十亿一千二百三十四万五千六百七十八",
}


@pytest.mark.parametrize(("number", "text"), TABLE.items())
def test_the_rules_of_writing(number, text):
    assert chinese.write(number) == text
    assert chinese.read(text) == number


@given(st.integers(0, 10**17) | st.integers(0, 20_000))
def test_what_is_written_is_read(number):
    text = chinese.write(number)
    assert chinese.read(text) == number
    assert set(text) <= set(chinese.CHARACTERS)
    assert "零零" not in text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("两", 2),
        ("两千零二", 2002),
        ("两百万", 2_000_000),
        ("百万", 1_000_000),
        ("一百〇一", 101),
        ("〇", 0),
        ("二〇二四", 2024),
        ("第十二", 12),
        ("四倍", 4),
        ("半", Fraction(1, 2)),
        ("三分之二", Fraction(2, 3)),
        ("百分之十五", Fraction(15, 100)),
        ("一点五倍", Fraction(3, 2)),
        ("零点零七", Fraction(7, 100)),
    ],
)
def test_other_spellings(text, value):
    assert chinese.read(text) == value


@pytest.mark.parametrize(
    "text",
    ["", "万一", "一两", "两十", "二百两", "三四", "一百十六", "一千一十零", "一零百", "一百零零一",
     "十万零", "一一千", "二十二百", "零三", "一万千", "零分之一", "三分之", "分之二", "三分之二分之一",
     "点五", "一点", "猫", "12"],
)  # fmt: skip
def test_wrong_forms_are_refused(text):
    with pytest.raises(ValueError, match="text must be a Chinese numeral such as 三千零七; got"):
        chinese.read(text)


def test_numbers_that_cannot_be_written():
    for number in (-1, 1.5, True, "3"):
        with pytest.raises(ValueError, match="number must be a whole number of at least 0"):
            chinese.write(number)
    with pytest.raises(TypeError, match="text must be a str; got a int"):
        chinese.read(3)


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("十六", 16, 16),
        ("七千多", 7001, 7999),
        ("十几", 11, 19),
        ("几十万", 200_000, 999_999),
        ("七八", 7, 8),
        ("两三百", 200, 300),
        ("十五六", 15, 16),
        ("八成", Fraction(8, 10), Fraction(8, 10)),
        ("一半", Fraction(1, 2), Fraction(1, 2)),
    ],
)
def test_loose_numerals_have_bounds(text, least, most):
    assert chinese.bounds(text) == (least, most)


@pytest.mark.parametrize("text", ["多", "几", "三多", "几三", "八七", "万一多", "一千一"])
def test_what_is_no_loose_numeral_is_refused(text):
    with pytest.raises(ValueError, match="text must be a Chinese numeral such as"):
        chinese.bounds(text)


def test_numerals_are_found_in_a_running_text():
    found = chinese.find("第十二层有四倍的头，万一不够，占三分之二或一半，约七千多个")
    assert [(numeral.text, numeral.bounds, numeral.share) for numeral in found] == [
        ("十二", (12, 12), False),
        ("四", (4, 4), False),
        ("万一", None, False),
        ("三分之二", (Fraction(2, 3), Fraction(2, 3)), True),
        ("一半", (Fraction(1, 2), Fraction(1, 2)), True),
        ("七千多", (7001, 7999), False),
    ]
