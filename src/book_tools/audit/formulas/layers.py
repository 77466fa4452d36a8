"""Formulas of section 7: powers of the width, and the MLP."""

import numpy as np

from book_tools.audit.formulas import formula, same
from transformer_book import equations


@formula(r"D^2")
def parameters_of_one_map(exponent):
    """A map from D to D features, as Ω_v is one, holds D² weights."""
    D, N = 7, 4
    random = np.random.default_rng(0)
    X, Omega_v = random.normal(size=(D, N)), random.normal(size=D**exponent).reshape(-1, D)
    return same(equations.queries_keys_values(X, X.T, X.T, Omega_v)[2], Omega_v @ X).shape == X.shape


@formula(
    r"\mathrm{MLP}(\mathbf{x}) = \boldsymbol{\beta}_2 + \boldsymbol{\Omega}_2\,"
    r" \mathrm{GELU}\big(\boldsymbol{\beta}_1 + \boldsymbol{\Omega}_1 \mathbf{x}\big)"
)
def two_maps(outer_bias, outer, inner_bias, inner):
    """The map called 1 widens, the one called 2 comes back, each with its own bias."""
    rng = np.random.default_rng(0)
    names = {"Omega_1": (12, 3), "Omega_2": (3, 12), "beta_1": 12, "beta_2": 3}
    parts = {name: rng.normal(size=size) for name, size in names.items()}
    X = rng.normal(size=(3, 5))
    same(equations.gelu(X), _gelu(X))
    try:
        widened = parts[f"beta_{inner_bias:g}"][:, None] + parts[f"Omega_{inner:g}"] @ X
        output = parts[f"beta_{outer_bias:g}"][:, None] + parts[f"Omega_{outer:g}"] @ _gelu(widened)
    except (KeyError, ValueError):
        return False
    return np.allclose(output, equations.mlp(X, **parts))


def _gelu(x):
    """GELU in the tanh form, as Hendrycks and Gimpel (2016) give it."""
    return x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))) / 2
