"""Numerals in Chinese and English, by tables from the rules of writing, round trips, and wrong forms."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer_book.numerals import chinese, english

WRITTEN = {
    # A place between two others that is empty is written 零, once; 一十 loses its 一 at the beginning alone.
    chinese: {
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
    },
    english: {
        0: "zero",
        16: "sixteen",
        40: "forty",
        77: "seventy-seven",
        120: "one hundred twenty",
        3007: "three thousand seven",
        30_205: "thirty thousand two hundred five",
        1_000_000: "one million",
        10**9 + 10**6: "one billion one million",
    },
}
READ = {
    chinese: {
        "两": 2,
        "两千零二": 2002,
        "两百万": 2_000_000,
        "百万": 1_000_000,
        "一百〇一": 101,
        "〇": 0,
        "二〇二四": 2024,
        "第十二": 12,
        "四倍": 4,
        "半": Fraction(1, 2),
        "三分之二": Fraction(2, 3),
        "百分之十五": Fraction(15, 100),
        "一点五倍": Fraction(3, 2),
        "零点零七": Fraction(7, 100),
    },
    english: {
        "two hundred and five": 205,
        "A thousand": 1000,
        "two thirds": Fraction(2, 3),
        "one-third": Fraction(1, 3),
        "a quarter": Fraction(1, 4),
        "half": Fraction(1, 2),
        "two halves": 1,
        "two and a half": Fraction(5, 2),
        "one point zero five": Fraction(105, 100),
        "four times": 4,
        "twofold": 2,
        "twice": 2,
        "twenty-fifth": 25,
        "a dozen": 12,
    },
}
WRONG = {
    chinese: [
        "", "万一", "一两", "两十", "二百两", "三四", "一百十六", "一千一十零", "一零百", "一百零零一",
        "十万零", "一一千", "二十二百", "零三", "一万千", "零分之一", "三分之", "分之二", "三分之二分之一",
        "点五", "一点", "猫", "12",
    ],
    english: ["two hundred thousand five million", "twenty sixteen", "one twenty", "five of six", ""],
}  # fmt: skip
LOOSE = {
    chinese: [
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
    english: [
        ("more than seven thousand", 7001, 7999),
        ("over twenty", 21, 29),
        ("several hundred", 200, 999),
        ("tens of thousands", 20_000, 99_999),
        ("dozens", 24, 143),
        ("seven or eight", 7, 8),
        ("sixteen", 16, 16),
    ],
}
REFUSED = {
    chinese: "text must be a Chinese numeral such as 三千零七; got",
    english: "text must be an English numeral such as two thirds; got",
}


def rows(table):
    """The rows of each language, the language in front."""
    return [
        pytest.param(language, *(row if isinstance(row, tuple) else (row,)), id=str(row))
        for language, found in table.items()
        for row in (found.items() if isinstance(found, dict) else found)
    ]


@pytest.mark.parametrize(("language", "number", "text"), rows(WRITTEN))
def test_the_rules_of_writing(language, number, text):
    assert language.write(number) == text
    assert language.read(text) == number


@pytest.mark.parametrize(("language", "most"), [(chinese, 10**17), (english, 10**15 - 1)])
@given(data=st.data())
def test_what_is_written_is_read(language, most, data):
    number = data.draw(st.integers(0, most) | st.integers(0, 20_000))
    text = language.write(number)
    assert language.read(text) == number
    if language is chinese:
        assert set(text) <= set(chinese.CHARACTERS)
        assert "零零" not in text


@pytest.mark.parametrize(("language", "text", "value"), rows(READ))
def test_other_spellings(language, text, value):
    assert language.read(text) == value


@pytest.mark.parametrize(("language", "text"), rows(WRONG))
def test_wrong_forms_are_refused(language, text):
    with pytest.raises(ValueError, match=REFUSED[language]):
        language.read(text)


def test_numbers_that_cannot_be_written():
    for number in (-1, 1.5, True, "3"):
        with pytest.raises(ValueError, match="number must be a whole number of at least 0"):
            chinese.write(number)
    with pytest.raises(ValueError, match="number must be below"):
        english.write(10**15)
    for language in (chinese, english):
        with pytest.raises(TypeError, match="text must be a str; got a int"):
            language.read(3)


@pytest.mark.parametrize(("language", "text", "least", "most"), rows(LOOSE))
def test_loose_numerals_have_bounds(language, text, least, most):
    assert language.bounds(text) == (least, most)


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


def test_finds_numerals_and_says_which_are_shares():
    text = "Sixteen keys, two thirds of them; twofold, a fifth layer, a fifth of it, twenty sixteen."
    found = [(numeral.text, numeral.share, numeral.bounds is not None) for numeral in english.find(text)]
    assert found == [
        ("Sixteen", False, True),
        ("two thirds", True, True),
        ("two", False, True),
        ("fifth", False, True),
        ("a fifth", True, True),
        ("twenty sixteen", False, False),
    ]
