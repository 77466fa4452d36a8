"""Numbers as texts show them: units, digits shown, rounding half to even."""

from fractions import Fraction

import pytest

from book_tools.audit.quantities import agrees, quantities


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("38,597,376", 38597376),
        ("1.24 亿", 124000000),
        ("6711 万", 67110000),
        ("15%", Fraction(15, 100)),
        ("-0.5", Fraction(-1, 2)),
        ("1.5e-3", Fraction(15, 10000)),
        ("6.7×10⁷", 67000000),
        ("1/16", Fraction(1, 16)),
        ("四倍", 4),
        ("三分之二", Fraction(2, 3)),
        ("百分之十五", Fraction(15, 100)),
        ("十二层", 12),
    ],
)
def test_reads_a_number(text, value):
    assert [quantity.value for quantity in quantities(text)] == [value]


def test_reads_a_vector_and_not_its_commas():
    assert [quantity.value for quantity in quantities("(1, 024, 3)")] == [1, 24, 3]
    assert [quantity.value for quantity in quantities("(1,024, 3)")] == [1024, 3]


def test_a_dash_between_numbers_is_no_sign():
    assert [quantity.value for quantity in quantities("3-10")] == [3, 10]


def test_chinese_words_that_look_like_numbers_are_none():
    assert quantities("万一") == [] or all(quantity.value != 10000 for quantity in quantities("万一"))


def compare(shown, printed):
    return agrees(quantities(shown)[0], quantities(printed)[0])


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("1.24 亿", "124,439,808"),
        ("66.5%", "0.665"),
        ("0.09", "0.090"),
        ("0.062", "0.0625"),  # half to even
        ("三分之一", "0.316"),
        ("1/16", "0.0625"),
        ("3 万", "30000"),
    ],
)
def test_rounded_to_the_digits_shown(shown, printed):
    assert compare(shown, printed) is None


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("1.25 亿", "124,439,808"),
        ("66.4%", "0.665"),
        ("0.063", "0.0625"),
        ("0.0900", "0.090"),  # more digits than were printed
        ("6700 万", "67,108,864"),
        ("1/15", "0.0625"),
        ("1/15", "1/16"),
        ("四分之一", "0.316"),
        ("三分之一", "0.25"),  # the nearest third, and far off
    ],
)
def test_any_other_digits_are_wrong(shown, printed):
    assert compare(shown, printed)
