"""English numerals, by tables from the rules of writing, round trips, and wrong forms."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer_book.numerals import english

TABLE = {
    0: "zero",
    16: "sixteen",
    40: "forty",
    77: "seventy-seven",
    120: "one hundred twenty",
    3007: "three thousand seven",
    30_205: "thirty thousand two hundred five",
    1_000_000: "one million",
    10**9 + 10**6: "one billion one million",
}


@pytest.mark.parametrize(("number", "text"), TABLE.items())
def test_writes_and_reads_by_the_rules(number, text):
    assert english.write(number) == text
    assert english.read(text) == number


@given(st.integers(min_value=0, max_value=10**15 - 1))
def test_reads_what_it_writes(number):
    assert english.read(english.write(number)) == number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("two hundred and five", 205),
        ("A thousand", 1000),
        ("two thirds", Fraction(2, 3)),
        ("one-third", Fraction(1, 3)),
        ("a quarter", Fraction(1, 4)),
        ("half", Fraction(1, 2)),
        ("two halves", 1),
        ("two and a half", Fraction(5, 2)),
        ("one point zero five", Fraction(105, 100)),
        ("four times", 4),
        ("twofold", 2),
        ("twice", 2),
        ("twenty-fifth", 25),
        ("a dozen", 12),
    ],
)
def test_reads_other_forms(text, value):
    assert english.read(text) == value


@pytest.mark.parametrize(
    "text", ["two hundred thousand five million", "twenty sixteen", "one twenty", "five of six", ""]
)
def test_refuses_other_writing(text):
    with pytest.raises(ValueError, match="text must be an English numeral such as two thirds; got"):
        english.read(text)


def test_refuses_what_is_no_text_and_what_is_too_large():
    with pytest.raises(TypeError, match="text must be a str; got a int"):
        english.read(7)
    with pytest.raises(ValueError, match="number must be below"):
        english.write(10**15)


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("more than seven thousand", 7001, 7999),
        ("over twenty", 21, 29),
        ("several hundred", 200, 999),
        ("tens of thousands", 20_000, 99_999),
        ("dozens", 24, 143),
        ("seven or eight", 7, 8),
        ("sixteen", 16, 16),
    ],
)
def test_bounds_of_loose_numerals(text, least, most):
    assert english.bounds(text) == (least, most)


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
