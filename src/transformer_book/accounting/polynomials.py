"""Formulas recovered from counts: the exact polynomial behind numbers that were counted on real modules."""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_whole

SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Polynomial:
    """A polynomial with whole coefficients; prints as `3D² + 3D`, and calling it evaluates it.

    variables: names. terms: exponents of each variable to coefficient, largest degree first, without zeros.
    """

    variables: tuple[str, ...]
    terms: dict[tuple[int, ...], int]

    def __call__(self, *values: int) -> int:
        if len(values) != len(self.variables):
            raise TypeError(must_be("values", f"one for each of {', '.join(self.variables)}", len(values)))
        return sum(factor * _monomial(values, powers) for powers, factor in self.terms.items())

    def __str__(self) -> str:
        text = ""
        for powers, factor in self.terms.items():
            sign = " - " if factor < 0 else " + "
            text += (sign if text else "-" if factor < 0 else "") + self._term(powers, abs(factor))
        return text or "0"

    def _term(self, powers, factor):
        letters = [
            name + (str(power).translate(SUPERSCRIPTS) if power > 1 else "")
            for name, power in zip(self.variables, powers, strict=True)
            if power
        ]
        return ("" if factor == 1 and letters else str(factor)) + "·".join(letters)


def fit_polynomial(
    count: Callable[..., int], variables: str | tuple[str, ...], *, degree: int = 2, multiple: int = 1
) -> Polynomial:
    """Recover the polynomial that count(*values) follows, by an exact fit, and check it further on.

    count: for instance `lambda D: count_parameters(MultiHeadAttention(D, 1))`. multiple: evaluate at
    multiples of this number (of heads, say). Raises ValueError when no polynomial of this degree with whole
    coefficients fits.
    """
    check_whole("degree", degree, least=0)
    check_whole("multiple", multiple)
    wanted = f"a polynomial of degree {degree}"
    variables = (variables,) if isinstance(variables, str) else tuple(variables)
    exponents = itertools.product(range(degree + 1), repeat=len(variables))
    monomials = [powers for powers in exponents if sum(powers) <= degree]
    monomials.sort(key=lambda powers: (-sum(powers), [-power for power in powers]))
    # The points whose coordinates sum to at most the degree determine a polynomial of that degree.
    points = [tuple(multiple * (1 + power) for power in powers) for powers in monomials]
    rows = [[Fraction(_monomial(point, powers)) for powers in monomials] for point in points]
    factors = _solve(rows, [Fraction(count(*point)) for point in points])
    terms = {powers: factor for powers, factor in zip(monomials, factors, strict=True) if factor}
    if any(factor.denominator != 1 for factor in terms.values()):
        raise ValueError(must_be("count", f"{wanted} with whole coefficients", "fractions"))
    fitted = Polynomial(variables, {powers: int(factor) for powers, factor in terms.items()})
    for extra in (3, 5):
        point = tuple(multiple * (degree + extra + place) for place in range(len(variables)))
        if fitted(*point) != count(*point):
            found = f"{count(*point)} at {point}, where {fitted} gives {fitted(*point)}"
            raise ValueError(must_be("count", wanted, found))
    return fitted


def _monomial(values, powers):
    return math.prod(map(pow, values, powers))


def _solve(rows, right):
    """Gauss elimination in exact fractions."""
    table = [[*row, value] for row, value in zip(rows, right, strict=True)]
    size = len(table)
    for column in range(size):
        pivot = next(row for row in range(column, size) if table[row][column])
        table[column], table[pivot] = table[pivot], table[column]
        lead = table[column][column]
        table[column] = [entry / lead for entry in table[column]]
        for row in range(size):
            if row != column and table[row][column]:
                factor = table[row][column]
                table[row] = [
                    entry - factor * top for entry, top in zip(table[row], table[column], strict=True)
                ]
    return [row[-1] for row in table]
