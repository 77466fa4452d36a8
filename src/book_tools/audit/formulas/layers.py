"""Formulas of section 7: powers of the width, and the MLP."""

import numpy as np

from book_tools.audit.formulas import formula
from transformer_book import equations


@formula(r"D^2")
def parameters_of_one_map(exponent):
    """A map from D to D features, as Ω_v is one, holds D² weights."""
    D, N = 7, 4
    X = np.ones((D, N))
    Omega_v = np.ones(D**exponent).reshape(-1, D)
    values = equations.queries_keys_values(X, X.T, X.T, Omega_v)[2]
    return values.shape == X.shape


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
    try:
        widened = parts[f"beta_{inner_bias:g}"][:, None] + parts[f"Omega_{inner:g}"] @ X
        output = parts[f"beta_{outer_bias:g}"][:, None] + parts[f"Omega_{outer:g}"] @ equations.gelu(widened)
    except (KeyError, ValueError):
        return False
    return np.allclose(output, equations.mlp(X, **parts))
