"""The printed form that the book's numbers are bound to."""

from decimal import ROUND_HALF_EVEN, Decimal

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from transformer_book.printing import format_number, format_value, show


@pytest.mark.parametrize(
    ("value", "digits", "line"),
    [
        (124_439_808, None, "key = 124,439,808"),
        (np.int64(-1234), None, "key = -1,234"),
        (8.0, None, "key = 8"),
        (0.0625, 3, "key = 0.062"),
        (0.1875, 3, "key = 0.188"),
        (1234.5, 0, "key = 1,234"),
        (-0.0004, 2, "key = 0.00"),
        (-0.0, None, "key = 0"),
        (True, None, "key = True"),
        (float("-inf"), None, "key = -inf"),
        ("3D² + 3D", None, "key = 3D² + 3D"),
        (np.array([0.09003, 0.24473, 0.66524]), 3, "key = (0.090, 0.245, 0.665)"),
        (torch.tensor([1, 0]), None, "key = (1, 0)"),
        ([464, 3797, -26172], None, "key = (464, 3797, -26172)"),
        ([[464, 3797]], None, "key =\n  464  3,797"),
        (("The", " cat", "猫"), None, 'key = ("The", " cat", "猫")'),
        (np.array([[1, 10], [-2, 3]]), None, "key =\n   1  10\n  -2   3"),
        (np.array([[True, False]]), None, "key =\n  1  0"),
        (torch.tensor([[0.5, 100.0]]), 1, "key =\n  0.5  100.0"),
    ],
)
def test_printed_form(capsys, value, digits, line):
    show("key", value, digits)
    assert capsys.readouterr().out == line + "\n"


def test_unit_stands_behind_the_number(capsys):
    show("time", 12.345, 1, unit="ms")
    assert capsys.readouterr().out == "time = 12.3 ms\n"


@given(st.floats(-1e9, 1e9), st.integers(0, 6))
def test_rounds_half_to_even_on_the_exact_value(number, digits):
    exact = Decimal(number).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_EVEN)
    assert Decimal(format_number(number, digits).replace(",", "")) == exact


@pytest.mark.parametrize("key", ["", "a b", "1a", "a.", ".a", "a[1]", None])
def test_key_must_be_an_identifier(key):
    with pytest.raises(ValueError, match="key must be an identifier"):
        show(key, 1)


@pytest.mark.parametrize("key", ["params.total", "a_1", "σ", "S"])
def test_identifiers_with_dots_are_keys(capsys, key):
    show(key, 1)
    assert capsys.readouterr().out == f"{key} = 1\n"


@pytest.mark.parametrize(
    ("value", "digits", "error", "message"),
    [
        (0.5, None, ValueError, "digits must be the number of decimals"),
        ([1, 0.5], None, ValueError, "digits must be the number of decimals"),
        (0.5, -1, ValueError, "digits must be a whole number of decimals"),
        (0.5, 1.0, ValueError, "digits must be a whole number of decimals"),
        (np.zeros((2, 2, 2)), None, ValueError, "at most two axes"),
        ([[1, 2], [3]], None, ValueError, "rows of one length"),
        (object(), None, TypeError, "value must be a number"),
        (1 + 2j, None, TypeError, "value must be a number"),
    ],
)
def test_what_cannot_be_printed_is_named(value, digits, error, message):
    with pytest.raises(error, match=message):
        format_value(value, digits)


def test_matrix_takes_no_unit():
    with pytest.raises(ValueError, match="unit must be in the key for a matrix"):
        show("A", [[1, 2], [3, 4]], unit="ms")
