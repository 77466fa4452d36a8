"""Formulas of section 5: sinusoidal codes, their dot products, and rotations."""

import numpy as np

from book_tools.audit.formulas import formula, fragment
from transformer_book import equations

D = 6
POSITIONS = np.arange(9)
CODES = equations.sinusoidal(POSITIONS, D)  # (D, P)
PAIRS = range(D // 2)


def _angles(base, factor):
    return np.array([POSITIONS / base ** (factor * i / D) for i in PAIRS])


@formula(r"\mathrm{PE}_{p,\,2i} = \sin\big(p / 10000^{2i/D}\big)")
def sines(step, base, factor):
    """Entry 2i is the sine of p / 10000^(2i/D)."""
    return np.allclose(CODES[[step * i for i in PAIRS]], np.sin(_angles(base, factor)), rtol=0, atol=1e-12)


@formula(r"\mathrm{PE}_{p,\,2i+1} = \cos\big(p / 10000^{2i/D}\big)")
def cosines(step, shift, base, factor):
    """Entry 2i + 1 is the cosine."""
    rows = [step * i + shift for i in PAIRS]
    return np.allclose(CODES[rows], np.cos(_angles(base, factor)), rtol=0, atol=1e-12)


@formula(r"i = 0, \ldots, D/2 - 1")
def pairs_are_counted_from_zero(first, half, last):
    return list(range(first, D // half - last + 1)) == list(PAIRS)


@formula(r"\omega_i = 10000^{-2i/D}", r"\omega_i = 10000^{-2i/D_q}")
def frequencies(base, factor):
    return np.allclose(equations.frequencies(D), [float(base) ** (-factor * i / D) for i in PAIRS])


@formula(r"\mathrm{PE}_p^\top\,\mathrm{PE}_{p+k} = \sum_{i=0}^{D/2-1}\cos(k\,\omega_i)")
def dot_product_of_codes(first, half, last):
    """The dot product of two codes depends on their distance k alone."""
    omega = np.array([float(equations.frequencies(D)[i]) for i in range(first, D // half - last + 1)])
    products = CODES.T @ CODES
    return all(np.allclose(np.diagonal(products, k), np.cos(k * omega).sum()) for k in range(len(POSITIONS)))


@formula(r"D/2")
def dot_product_of_a_code_with_itself(half):
    return np.allclose((CODES**2).sum(axis=0), D / half)


@formula(r"2\pi")
def period_of_the_fastest_hand(factor):
    turned = equations.sinusoidal(POSITIONS + factor * np.pi, 2)
    return np.allclose(turned, equations.sinusoidal(POSITIONS, 2)) and factor == 2


@fragment(r"(?<![#A-Za-z}])#i(?:\+#)?$", r"2i+1")
def neighbours_make_a_pair(step, shift=1):
    """Rotating turns entries 2i and 2i + 1 into each other, and no others."""
    for i in PAIRS:
        unit = np.zeros((D, 1))
        unit[step * i] = 1
        reached = np.flatnonzero(equations.rotate(unit, np.array([1.0]))[:, 0])
        if reached.tolist() != [step * i, step * i + shift]:
            return False
    return step * len(PAIRS) == D


@formula(r"i + D_q/2", r"i+D/2")
def halves_make_a_pair(half):
    """With all first entries before all second ones, the pair of entry i stands D/2 further on."""
    first, second = np.arange(D)[0::2], np.arange(D)[1::2]
    order = np.concatenate([first, second]).tolist()
    return all(order.index(2 * i + 1) - order.index(2 * i) == D // half for i in PAIRS)
