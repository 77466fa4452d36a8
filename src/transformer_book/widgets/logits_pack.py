"""Logits over a whole vocabulary along a few continuations, stored for the GenerationExplorer.

A product of two thin matrices, coefficients (contexts, rank) and a basis (rank, V) in 8-bit steps, gives all
logits nearly; the largest of each context are stored exactly. Logits are kept up to a constant a context,
which no probability depends on.
"""

import base64

import numpy as np

SEEDS = tuple(range(1, 13))
TEMPERATURE = 0.8  # of the recorded continuations
RANK = 96
EXACT = 32


def compress_logits(logits: np.ndarray, rank: int = RANK, exact: int = EXACT) -> dict:
    """Store logits (contexts, V) as JSON-ready arrays; see `unpack_logits`."""
    centred = logits - logits.mean(axis=1, keepdims=True)
    rank = min(rank, *centred.shape)
    basis = np.linalg.svd(centred, full_matrices=False)[2][:rank]  # (rank, V), orthonormal rows
    steps = (np.abs(basis).max(axis=1) / 127).astype("<f4")  # (rank,)
    stored = np.rint(basis / steps[:, None].astype(float)).astype(np.int8)
    # The coefficients are fitted to the basis as stored, which takes back part of its rounding.
    coefficients = np.linalg.lstsq((stored * steps[:, None].astype(float)).T, centred.T, rcond=None)[0].T
    largest = np.argsort(-centred, axis=1, kind="stable")[:, :exact]  # (contexts, exact)
    return {
        "rank": rank,
        "exact": largest.shape[1],
        "basis": _text(stored),
        "steps": _text(steps),
        "coefficients": _text(coefficients.astype("<f4")),
        "exact_ids": _text(largest.astype("<u2")),
        "exact_logits": _text(np.take_along_axis(centred, largest, axis=1).astype("<f4")),
    }


def unpack_logits(pack: dict) -> np.ndarray:
    """Logits (contexts, V) of a pack, up to a constant in each context."""
    rank, exact, contexts = pack["rank"], pack["exact"], len(pack["contexts"])
    basis = _array(pack["basis"], np.int8).reshape(rank, -1) * _array(pack["steps"], "<f4")[:, None].astype(
        float
    )
    logits = _array(pack["coefficients"], "<f4").reshape(contexts, rank).astype(float) @ basis
    ids = _array(pack["exact_ids"], "<u2").reshape(contexts, exact).astype(int)
    exactly = _array(pack["exact_logits"], "<f4").reshape(contexts, exact).astype(float)
    np.put_along_axis(logits, ids, exactly, axis=1)
    return logits


def draw_levels(seeds, count: int) -> np.ndarray:
    """Numbers between 0 and 1 that `generate` draws with each seed, one a step: (seeds, count)."""
    import torch

    rows = []
    for seed in seeds:
        generator = torch.Generator().manual_seed(seed)
        rows.append([torch.rand(1, 1, dtype=torch.float64, generator=generator).item() for _ in range(count)])
    return np.array(rows)


def _text(array: np.ndarray) -> str:
    return base64.b64encode(array.tobytes()).decode("ascii")


def _array(text: str, dtype) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), dtype=dtype)
