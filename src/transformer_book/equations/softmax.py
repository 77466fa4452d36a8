"""The softmax over the keys, and the mask that decides which keys a query may attend to."""

import array_api_compat
import numpy as np

from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_whole

from .column_checks import as_array, as_float, check_mask, check_matrix, without_warning


@without_warning
def softmax(S, mask=None):
    """Turn scores into attention weights: softmax of each column, over its keys (equation 12.1, middle).

    S: scores, rows are keys m, columns are queries n; -inf marks a key that the query may not attend to.
    mask: booleans of the same shape, True where query n may attend to key m.
    Returns the weights A, of S's shape; they are at least 0 and each column sums to 1.
    Raises ValueError when a column has no key left, and for NaN or +inf.
    """
    S = as_float("S", as_array("S", S))
    xp = array_api_compat.array_namespace(S)
    check_matrix("S", S)
    if bool(xp.any(xp.isnan(S))) or bool(xp.any(xp.isinf(S) & (S > 0))):
        raise ValueError(must_be("S", "made of finite scores, or -inf for a masked key", "NaN or +inf"))
    if mask is not None:
        S = xp.where(check_mask(mask, S), S, -xp.inf)
    largest = xp.max(S, axis=0, keepdims=True)  # (1, N): softmax(s) = softmax(s - c), and exp(s - max) <= 1
    _check_every_query_has_a_key(xp, largest)
    E = xp.exp(S - largest)
    return E / xp.sum(E, axis=0, keepdims=True)


def causal_mask(N: int, like=None):
    """Mask of a decoder: query n may attend to key m where m <= n (section 8).

    like: an array whose library and device the mask takes; NumPy without it.
    Returns booleans (N, N), rows are keys, columns are queries: True on and above the diagonal.
    """
    check_whole("N", N)
    like = None if like is None else as_array("like", like)
    xp = np if like is None else array_api_compat.array_namespace(like)
    device = None if like is None else array_api_compat.device(like)
    position = xp.arange(N, device=device)
    return position[:, None] <= position[None, :]


def _check_every_query_has_a_key(xp, largest) -> None:
    alone = xp.nonzero(largest[0, :] == -xp.inf)[0]
    if alone.shape[0] > 0:
        found = f"none for query {int(alone[0]) + 1}, counting from 1"
        raise ValueError(must_be("mask", "open for at least one key of every query", found))
