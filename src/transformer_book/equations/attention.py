"""Self-attention with one token per column, X is D x N (equations 12.1, 12.2, 12.3, 12.5)."""

import dataclasses
import math
from typing import Any

import array_api_compat

from transformer_book.checks.messages import must_be

from .column_checks import as_array, as_floats, check_matrix, check_vector, finite, without_warning
from .softmax import softmax

Array = Any  # a NumPy array or a torch tensor


@dataclasses.dataclass(frozen=True, eq=False)
class Attention:
    """Every step of one attention, one token per column.

    queries (D_q, N), keys (D_q, M), values (D_v, M); scores (M, N), rows keys, columns queries, divided by
    √D_q where scaling was asked for, before the mask; weights (M, N), columns sum to 1; output (D_v, N).
    """

    queries: Array
    keys: Array
    values: Array
    scores: Array
    weights: Array
    output: Array


@without_warning
def attention(Q, K, V, *, mask=None, scaled=False) -> Attention:
    """Compare every query with every key and mix the values by how well they match (equation 12.1).

    Q: queries (D_q, N); K: keys (D_q, M); V: values (D_v, M). M = N for self-attention.
    mask: booleans (M, N), True where query n may attend to key m.
    scaled: divide the scores by √D_q (equation 12.5).
    Raises ValueError for wrong shapes, mixed devices, NaN, an overflow or a query without a key, TypeError
    for mixed libraries.
    """
    xp, Q, K, V = as_floats(Q=Q, K=K, V=V)
    check_matrix("Q", Q)
    check_matrix("K", K, rows=Q.shape[0])
    check_matrix("V", V, columns=K.shape[1])
    S = xp.matrix_transpose(K) @ Q  # (M, N)
    if scaled:
        S = S / math.sqrt(Q.shape[0])
    A = softmax(finite("the score matrix", S), mask)  # (M, N)
    return Attention(queries=Q, keys=K, values=V, scores=S, weights=A, output=finite("the output", V @ A))


def queries_keys_values(X, Omega_q, Omega_k, Omega_v, beta_q=None, beta_k=None, beta_v=None):
    """Map every token to its query, its key and its value (equation 12.2).

    X: tokens (D, N); Omega_q, Omega_k: (D_q, D); Omega_v: (D_v, D), where the book's single layer has
    D_v = D; beta_q, beta_k: (D_q,); beta_v: (D_v,); a missing bias is zero.
    Returns Q (D_q, N), K (D_q, N), V (D_v, N). Raises as `attention` does.
    """
    _, X, Omega_q, Omega_k, Omega_v, beta_q, beta_k, beta_v = as_floats(
        X=X, Omega_q=Omega_q, Omega_k=Omega_k, Omega_v=Omega_v, beta_q=beta_q, beta_k=beta_k, beta_v=beta_v
    )
    check_matrix("X", X)
    D = X.shape[0]
    check_matrix("Omega_q", Omega_q, columns=D)
    check_matrix("Omega_k", Omega_k, rows=Omega_q.shape[0], columns=D)
    check_matrix("Omega_v", Omega_v, columns=D)
    return (
        affine("Q", "beta_q", beta_q, Omega_q, X),
        affine("K", "beta_k", beta_k, Omega_k, X),
        affine("V", "beta_v", beta_v, Omega_v, X),
    )


@without_warning
def affine(name: str, name_of_beta: str, beta, Omega, X):
    """β 1ᵀ + Ω X, the same bias in every column; no bias when beta is None. Errors use the two names."""
    check_vector(name_of_beta, beta, size=Omega.shape[0])
    return finite(name, Omega @ X if beta is None else beta[:, None] + Omega @ X)


def self_attention(
    X, Omega_q, Omega_k, Omega_v, beta_q=None, beta_k=None, beta_v=None, *, mask=None, scaled=False
) -> Attention:
    """Self-attention in matrix form, Sa(X) = V Softmax(KᵀQ) (equation 12.3).

    Arguments as in `queries_keys_values` and `attention`; `scaled=True` gives equation 12.5.
    """
    Q, K, V = queries_keys_values(X, Omega_q, Omega_k, Omega_v, beta_q, beta_k, beta_v)
    return attention(Q, K, V, mask=mask, scaled=scaled)


def scaled_self_attention(
    X, Omega_q, Omega_k, Omega_v, beta_q=None, beta_k=None, beta_v=None, *, mask=None
) -> Attention:
    """Scaled self-attention, Sa(X) = V Softmax(KᵀQ / √D_q) (equation 12.5; Vaswani et al., 2017)."""
    return self_attention(X, Omega_q, Omega_k, Omega_v, beta_q, beta_k, beta_v, mask=mask, scaled=True)


def rows_from_columns(X):
    """Turn the book's columns into the rows of deep-learning libraries, in this one place.

    X: (…, D, N), one token per column. Returns (…, N, D), one token per row. Weights (keys, queries) become
    (queries, keys) in the same way, and a second call turns rows back into columns.
    """
    X = as_array("X", X)
    xp = array_api_compat.array_namespace(X)
    if X.ndim < 2:
        raise ValueError(must_be("X", "an array of at least two axes, (D, N)", f"shape {tuple(X.shape)}"))
    return xp.matrix_transpose(X)
