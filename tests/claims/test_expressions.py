"""Conditions over printed values: what they are worth, what they may not say, and that they run no code."""

import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from book_tools.audit.expressions import ExpressionError, evaluate, truth, why_not
from book_tools.audit.printed import Values

PRINTED = """a = 3
b = 5
share = 63 %
a_1 = (0.090, 0.245, 0.665)
S =
  1  0
  2  4
agree = True
head = L0H2
tokens = ("The", " cat")
time = 12.5 ms
"""


@pytest.fixture(scope="module")
def values():
    output = new_output("stream", name="stdout", text=PRINTED)
    return Values(new_notebook(cells=[new_code_cell("", outputs=[output])]))


@pytest.mark.parametrize(
    ("text", "worth"),
    [
        ("{a} - 2 * {b}", -7),
        ("{share}", 0.63),
        ("{a_1}[3]", 0.665),
        ("{a_1[3]}", 0.665),
        ("{S}[2, 1] + {S[2,2]}", 6),
        ("{a_1}[2:3]", [0.245, 0.665]),
        ("max({a}, {b}) + abs(-{a}) + sum({a_1}[1:2])", 8.335),
        ("mean({S}) * sqrt({b} ** 2)", 8.75),
        ("len({tokens})", 2),
        ("{tokens}[1] == 'The'", True),
        ("{head} == 'L0H2'", True),
        ("{time}", 12.5),
        ("all({a_1} > 0) and any({a_1} > 0.5)", True),
        ("not {agree} or {a} < {b} < 6", True),
    ],
)
def test_what_an_expression_is_worth(values, text, worth):
    np.testing.assert_array_equal(evaluate(text, values), worth)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{c} > 1", "no code cell of this page prints a value 'c'"),
        ("{a_1[4]} > 1", "has no element 4"),
        ("1 < 2", "must name a printed value, as in {KEY}"),
        ("{a} > 1 and 1 < 2", "each comparison"),
        ("{a} >", "must be one expression"),
        ("{a}; {b}", "must be one expression"),
        ("__import__('os').getcwd() == {head}", "is not part of the language"),
        ("{head}.upper() == 'L0H2'", "is not part of the language"),
        ("[x for x in {a_1}]", "is not part of the language"),
        ("max({a}, key={b})", "takes values alone"),
        ("{a} is {b}", "is not part of the language"),
        ("{a_1}[0] > 1", "^places count from 1"),
        ("{a_1}[9] > 1", "cannot be computed"),
        ("{head} > 1", "cannot be computed"),
        ("{a_1} > 0", "say all or any"),
    ],
)
def test_what_is_no_condition(values, text, told):
    with pytest.raises(ExpressionError, match=told):
        truth(text, values)


@pytest.mark.parametrize(
    "text",
    [
        "{a} < {b}",
        "{a} == 3",
        "{a} < {b} < 6",
        "{a} < {b} and all({a_1} > 0)",
        "{a} > {b} or {S}[2,2] > {a}",
        "any({a_1} > 0.6)",
        "abs({a} - {b}) > 1.5",
        "{agree}",
        "not {a} > {b}",
        "len({tokens}) == 2",
        "({a} < 4) == ({b} < 9)",
    ],
)
def test_a_condition_that_shows_something_holds(values, text):
    assert why_not(text, values) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{a} > {b}", "is false: a = 3, b = 5"),
        ("{a} >= 3", "holds turned round as well, _0 <= 3"),
        ("{a} < {b} and {a} <= 3", "holds turned round as well"),
        ("({a} <= 3) == ({b} <= 5)", "holds turned round as well, (_0 >= 3) == (_1 <= 5)"),
        ("abs({a}) > -1", "holds whatever the cell prints"),
        ("{a} < {b} and {a} < {a} + 1", "holds whatever the cell prints"),
        ("{a} < {b} or {a} == {a}", "holds whatever the cell prints"),
        ("{agree} or not {agree}", "holds whatever the cell prints"),
    ],
)
def test_a_condition_that_shows_nothing_is_refused(values, text, told):
    assert told in why_not(text, values)
