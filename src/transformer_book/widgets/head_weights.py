"""Attention weights of whole models, stored as 16-bit numbers."""

import base64
import dataclasses

import numpy as np

STEPS = 65535  # weights are stored in steps of 1/65,535: to within 7.7e-6
LONGEST = 48  # tokens of a sentence


@dataclasses.dataclass(frozen=True)
class Reading:
    """Tokens of a sentence and a model's weights on it (layers, heads, N, N), rows keys, columns queries.

    unknown: words that the vocabulary lacks, each once.
    """

    tokens: list[str]
    weights: np.ndarray
    unknown: tuple[str, ...] = ()


def pack_weights(weights: np.ndarray, causal: bool) -> str:
    """Base64 of 16-bit numbers in the order layer, head, query, key; causal: keys up to the query alone."""
    by_query = np.swapaxes(weights, 2, 3)  # (L, H, query, key)
    numbers = np.rint(by_query[..., _kept(weights.shape[-1], causal)] * STEPS)
    return base64.b64encode(numbers.astype("<u2").tobytes()).decode("ascii")


def unpack_weights(text: str, layers: int, heads: int, count: int, causal: bool) -> np.ndarray:
    """Weights (layers, heads, N, N), rows keys, columns queries, from what `pack_weights` returned."""
    numbers = np.frombuffer(base64.b64decode(text), dtype="<u2").reshape(layers, heads, -1)
    by_query = np.zeros((layers, heads, count, count))
    by_query[..., _kept(count, causal)] = numbers / STEPS
    return np.swapaxes(by_query, 2, 3)


def _kept(count: int, causal: bool) -> np.ndarray:
    square = np.ones((count, count), dtype=bool)
    return np.tril(square) if causal else square
