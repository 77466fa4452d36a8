"""Numbers in mathematics: givens, relations by arithmetic, and formulas of the registry."""

import dataclasses
import re

import numpy as np
import pytest

from book_tools.audit import formulas
from book_tools.audit.latex import read, spell, statements
from transformer_book import equations

CODE = """
D_q = 64
D, N = 5, 4
X = np.array([[1, 0, 1], [0, 1, 1]])
v, b_1, w7 = np.array([4, 5]), np.array([2, 6, 8]), 9
P = 2**10
for length in (1, 16, 256):
    f(length, H=12)
"""
PRINTED = "x_1 = (1, 0)\nS =\n  1  0  1\n  2  2  4\n  3  2  5\nvocabulary_size = 50,257\n"

RIGHT = [
    "$D_q = 64$",
    "$D = 5$、$N = 4$",
    "$P = 1024$",
    "$H = 12$",
    r"$\mathbf{x}_1 = (1, 0)$",
    r"$|\mathcal{V}| = 50{,}257$",
    r"$50{,}257 \times 768 = 38{,}597{,}376$",
    r"$\mathbf{X} \in \mathbb{R}^{2 \times 3}$",
    r"$\sqrt{D_q} = 8$",
    r"$0.090\,(1, 0) + 0.245\,(0, 1) + 0.665\,(1, 1) = (0.755, 0.910)$",
    r"$s_{31} = 3$",
    r"$$\mathbf{S} = \begin{bmatrix} 1 & 0 & 1 \\ 2 & 2 & 4 \\ 3 & 2 & 5 \end{bmatrix}$$",
    r"$$\sqrt{D_q} = 8 \qquad D_q^2 = 4096$$",
    r"$\mathrm{length} = 1, 16, 256$",
    r"$\sum_{m=1}^{N} a_{mn} v_m$",
    r"$\mathbf{Q} = \boldsymbol{\beta}_q \mathbf{1}^\top + \boldsymbol{\Omega}_q \mathbf{X}$",
    r"$$\frac{\partial a_m}{\partial s_{m'}} = a_m\big(\mathbb{1}[m = m'] - a_{m'}\big)$$",
    r"$\mathbf{x}_1, \ldots, \mathbf{x}_N$",
    "$w_7 = 9$",
    r"$\mathbf{x}_3 = (1, 1)$",
    "$v_2 = 5$",
    "$b_{31} = 8$",
]


@pytest.mark.parametrize("markdown", RIGHT)
def test_right_numbers_pass(says, markdown):
    assert says(markdown, PRINTED, CODE) == []


@pytest.mark.parametrize("markdown", RIGHT)
def test_each_changed_digit_fails(says, markdown):
    for match in re.finditer(r"[0-9]", markdown):
        for digit in "0123456789":
            if digit != match[0]:
                changed = markdown[: match.start()] + digit + markdown[match.end() :]
                assert says(changed, PRINTED, CODE), changed


@pytest.mark.parametrize("markdown", [r"$\sqrt{128} \approx 11.3$", "$1/16 = 0.0625$", r"$12\% = 0.12$"])
def test_arithmetic_without_names_passes(says, markdown):
    assert says(markdown) == []


@pytest.mark.parametrize(
    ("markdown", "told"),
    [
        ("$N = 04$", "without the zero in front"),
        ("$D_q = 65$", "64"),
        ("$M = 3$", "neither defines nor prints M"),
        ("均值为 $0$", "nothing recomputes"),
        (r"$x^3 + 1$", "nothing recomputes"),
        (r"$$a = b \tag{12.1}$$", "put <a id"),
        (r"$s_{31} \neq s_{13}$", "inequality"),
        ("$D_q > 9$", "inequality"),
        ("$s_{31}, s_{13}$", "write each name by itself"),
        (r"$\mathbf{x}_9$", "neither defines nor prints x_9"),
        (r"$\mathbf{x}_1 = (1, 0]$", "nothing recomputes"),
        (r"$\mathbf{X} \in \mathbb{V}^{2 \times 3}$", "nothing recomputes"),
        (r"$x_1 \in \mathbb{R}$", "nothing recomputes"),
        (r"$\frac{x_1!}{2} = 3$", "nothing recomputes"),
        (r"$\nabla = 3$", "nothing recomputes"),
        ("$x_{m+1} = 3$", "nothing recomputes"),
        ("$D_q' = 64$", "nothing recomputes"),
        (r"$$\mathbf{S} = \begin{bmatrix} 1 & 0 \\ 2 \end{bmatrix}$$", "nothing recomputes"),
        (r"$\nought_1$", "must be readable by math-core; got: Unknown command"),
    ],
)
def test_what_is_wrong_is_named(says, markdown, told):
    assert any(told in text for text in says(markdown, PRINTED, CODE))


@pytest.mark.parametrize(
    ("latex", "spelling"),
    [
        (r"\boldsymbol{\Omega}_{q}\,\mathbf x \leq \big(\dfrac12\big)", "Omega_q x ≤ ( frac{1}{2} )"),
        (r"\sum_{m=1}^{N}\alpha_m^{\prime}", "∑_{m = 1}^N alpha_m^′"),
        (r"1{,}024 - \sqrt[3]{8}\times|\mathcal{V}|", "1024 - root{8}{3} × | V |"),
        (r"\mathbf{1}^\top \ldots \mathrm{MLP}(x)", "bold 1^⊤ ⋯ MLP ( x )"),
    ],
)
def test_a_formula_has_one_spelling(latex, spelling):
    assert spell(read(latex)) == spelling


def test_a_formula_is_split_into_its_statements():
    rows = r"\begin{aligned} a &= \begin{bmatrix} 1 \\ 2 \end{bmatrix}, \\ b &= (1, 2) \end{aligned}"
    assert list(map(spell, statements(rows))) == ["a = [ table{row{1}}{row{2}} ]", "b = ( 1 , 2 )"]
    assert list(map(spell, statements(r"a = 1 \qquad b，c \\ d"))) == ["a = 1", "b", "c", "d"]


def registered():
    formulas.check(())  # loads the registry
    whole = [entry.latex for entry in formulas.FORMULAS.values()]
    return whole + [piece.example for piece in formulas.FRAGMENTS]


each_registered = pytest.mark.parametrize("latex", registered())


@each_registered
def test_a_registered_formula_recomputes_each_of_its_digits(latex):
    assert formulas.check(read(latex)) is None, "the formula's own numbers must be right"
    for match in re.finditer(r"[0-9]", latex):
        for digit in set("0123456789") - {match[0]}:
            changed = latex[: match.start()] + digit + latex[match.end() :]
            assert formulas.check(read(changed)), f"{changed} is taken for right"


@pytest.mark.parametrize("computed", [[1.0, 2.001], [1.0], [[1.0, 2.0]]])
def test_what_the_library_computes_is_held_to_a_reckoning_of_our_own(computed):
    assert formulas.same([1.0, 2.0], (1.0, 2.0)).tolist() == [1.0, 2.0]
    with pytest.raises(ArithmeticError, match="the library computes something else"):
        formulas.same(computed, [1.0, 2.0])


def stop(_):
    """The library that computes nothing."""
    raise ArithmeticError("stopped")


def more(array):
    """The library that computes twice as many numbers, and others."""
    return np.repeat(np.atleast_1d(array), 2, axis=-1) + 1


BREAKS = {
    "stopped": stop,
    "twice as many": more,
    "larger": lambda array: 1.5 * array,
    "shifted": lambda array: array + 1,
    "negative": lambda array: -array,
    "zero": lambda array: 0 * array,
    "not a number": lambda array: np.nan * array,
    "columns moved": lambda array: np.roll(array, 1, axis=-1) if array.ndim else array + 1,
    "rows moved": lambda array: np.roll(array, 1, axis=0) if array.ndim else array + 1,
    "turned": lambda array: array.T if array.ndim == 2 else array + 1,
    "the first left out": lambda array: array[..., 1:] if array.ndim else array + 1,
    "rounded": lambda array: np.round(array, 2) + 1e-3,
}


def broken(function, change):
    """The function with everything that it returns changed."""

    def changed(value):
        if isinstance(value, np.ndarray | float):
            return change(np.asarray(value, dtype=float))
        if isinstance(value, tuple):
            return tuple(map(changed, value))
        if dataclasses.is_dataclass(value):
            fields = {field.name: changed(getattr(value, field.name)) for field in dataclasses.fields(value)}
            return dataclasses.replace(value, **fields)
        return value

    return lambda *arguments, **options: changed(function(*arguments, **options))


@each_registered
@pytest.mark.parametrize("change", BREAKS.values(), ids=BREAKS)
def test_a_registered_formula_fails_with_a_broken_library(monkeypatch, latex, change):
    for name in equations.__all__:
        function = getattr(equations, name)
        if not isinstance(function, type):
            monkeypatch.setattr(equations, name, broken(function, change))
    assert formulas.check(read(latex)), "the entry asks nothing of `equations`, or not the right thing"
