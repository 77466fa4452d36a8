"""Formulas of section 5: sinusoidal codes, their dot products, and rotations."""

import numpy as np

from book_tools.audit.formulas import formula, fragment, same
from transformer_book import equations

D = 6
POSITIONS = np.arange(9)
PAIRS = range(D // 2)


def _codes():
    angles = _angles(10000, 2)
    own = np.stack([np.sin(angles), np.cos(angles)], axis=1).reshape(D, len(POSITIONS))
    return same(equations.sinusoidal(POSITIONS, D), own)  # (D, P)


def _angles(base, factor):
    return np.array([POSITIONS / base ** (factor * i / D) for i in PAIRS])


@formula(r"\mathrm{PE}_{p,\,2i} = \sin\big(p / 10000^{2i/D}\big)")
def sines(step, base, factor):
    """Entry 2i is the sine of p / 10000^(2i/D)."""
    return np.allclose(_codes()[[step * i for i in PAIRS]], np.sin(_angles(base, factor)), rtol=0, atol=1e-12)


@formula(r"\mathrm{PE}_{p,\,2i+1} = \cos\big(p / 10000^{2i/D}\big)")
def cosines(step, shift, base, factor):
    """Entry 2i + 1 is the cosine."""
    rows = [step * i + shift for i in PAIRS]
    return np.allclose(_codes()[rows], np.cos(_angles(base, factor)), rtol=0, atol=1e-12)


@formula(r"i = 0, \ldots, D/2 - 1")
def pairs_are_counted_from_zero(first, half, last):
    """i runs over the pairs that have a frequency."""
    shown = [10000.0 ** (-2 * i / D) for i in range(first, D // half - last + 1)]
    frequencies = equations.frequencies(D)
    return len(shown) == len(frequencies) and np.allclose(frequencies, shown)


@formula(r"\omega_i = 10000^{-2i/D}", r"\omega_i = 10000^{-2i/D_q}")
def frequencies(base, factor):
    return np.allclose(equations.frequencies(D), [float(base) ** (-factor * i / D) for i in PAIRS])


@formula(r"\mathrm{PE}_p^\top\,\mathrm{PE}_{p+k} = \sum_{i=0}^{D/2-1}\cos(k\,\omega_i)")
def dot_product_of_codes(first, half, last):
    """The dot product of two codes depends on their distance k alone."""
    omega = np.array([float(equations.frequencies(D)[i]) for i in range(first, D // half - last + 1)])
    products = _codes().T @ _codes()
    return all(np.allclose(np.diagonal(products, k), np.cos(k * omega).sum()) for k in range(len(POSITIONS)))


@formula(r"D/2")
def dot_product_of_a_code_with_itself(half):
    return np.allclose((_codes() ** 2).sum(axis=0), D / half)


@formula(r"2\pi")
def period_of_the_fastest_hand(factor):
    """Eleven steps of an eleventh of the period make one turn."""
    turns = np.arange(12) / 11
    circle = [np.sin(2 * np.pi * turns), np.cos(2 * np.pi * turns)]
    return np.allclose(equations.sinusoidal(factor * np.pi * turns, 2), circle)


@fragment(r"^# i(?: \+ #)?$", r"2i+1")
def neighbours_make_a_pair(step, shift=1):
    """Rotating turns entries 2i and 2i + 1 into each other, and no others."""
    pairs = [_turned_into(step * i) for i in PAIRS]
    return pairs == [[step * i, step * i + shift] for i in PAIRS] and np.ravel(pairs).tolist() == list(
        range(D)
    )


def _turned_into(entry):
    """The entries of a vector that rotating `entry` alone reaches, itself among them."""
    unit = np.zeros((D, 2))  # two columns, so that a mistake in their order shows
    unit[entry] = (1, 2)
    own = (unit[0::2] + 1j * unit[1::2]) * np.exp(1j * _angles(10000, 2)[:, 1:3])
    turned = same(
        equations.rotate(unit, POSITIONS[1:3]), np.stack([own.real, own.imag], axis=1).reshape(D, 2)
    )
    return np.flatnonzero(turned[:, 0]).tolist()


@formula(r"i + D_q/2", r"i+D/2")
def halves_make_a_pair(half):
    """With all first entries before all second ones, the pair of entry i stands D/2 further on."""
    order = [*range(0, D, 2), *range(1, D, 2)]
    return all([order.index(entry) for entry in _turned_into(2 * i)] == [i, i + D // half] for i in PAIRS)
