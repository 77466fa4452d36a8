"""Logits over a whole vocabulary along a few continuations, stored for the GenerationExplorer.

A product of two thin matrices, coefficients (contexts, rank) in 16 bits and a basis (rank, V) in 8, gives all
logits nearly; the largest of each context are stored exactly. Logits are kept up to a constant a context,
which no probability depends on.
"""

import base64
import itertools

import numpy as np

TEMPERATURE = 0.8  # of the recorded continuations
RANK = 104
EXACT = 32


def compress_logits(logits, drawn: list[list[int]], rank: int = RANK, exact: int = EXACT) -> dict:
    """Store logits (contexts, V) as JSON-ready arrays; see `unpack_logits`.

    drawn: the tokens that each context's continuations draw, in the order of their ids. They are stored
    exactly, and so is what the tokens between them weigh together: at the recorded temperature a level
    between 0 and 1 then finds the same token.
    """
    centred = logits - logits.mean(axis=1, keepdims=True)
    rank = min(rank, *centred.shape)
    basis = np.linalg.svd(centred, full_matrices=False)[2][:rank]  # (rank, V), orthonormal rows
    steps = (np.abs(basis).max(axis=1) / 127).astype("<f4")  # (rank,)
    stored = np.rint(basis / steps[:, None].astype(float)).astype(np.int8)
    # The coefficients are fitted to the basis as stored, which takes back part of its rounding.
    fitted = np.linalg.lstsq((stored * steps[:, None].astype(float)).T, centred.T, rcond=None)[0].T
    scales = (np.abs(fitted).max(axis=1) / 32767).astype("<f4")  # (contexts,)
    first = centred.copy()
    for row, tokens in zip(first, drawn, strict=True):
        row[tokens] = np.inf
    largest = np.argsort(-first, axis=1, kind="stable")[:, :exact]  # (contexts, exact)
    pack = {
        "rank": rank,
        "exact": largest.shape[1],
        "basis": _text(stored),
        "steps": _text(steps),
        "scales": _text(scales),
        "coefficients": _text(np.rint(fitted / scales[:, None].astype(float)).astype("<i2")),
        "exact_ids": _text(largest.astype("<u2")),
        "exact_logits": _text(np.take_along_axis(centred, largest, axis=1).astype("<f4")),
        "drawn": drawn,
    }
    nearly = unpack_logits({**pack, "shifts": [[0.0] * (len(tokens) + 1) for tokens in drawn]})
    pack["shifts"] = [_shifts(*rows) for rows in zip(centred, nearly, largest, drawn, strict=True)]
    return pack


def _shifts(true: np.ndarray, nearly: np.ndarray, exact: np.ndarray, drawn: list[int]) -> list[float]:
    """What to add to the tokens between drawn ones so that together they weigh what they should."""
    tail = np.ones(true.shape, dtype=bool)
    tail[exact] = False
    shifts = []
    for start, stop in _stretches(drawn, len(true)):
        weights = [np.exp(row[start:stop][tail[start:stop]] / TEMPERATURE).sum() for row in (true, nearly)]
        shifts.append(round(TEMPERATURE * float(np.log(weights[0] / weights[1])), 9) if weights[1] else 0.0)
    return shifts


def _stretches(drawn: list[int], size: int) -> list[tuple[int, int]]:
    """Ranges of ids before, between and after the drawn ones."""
    ends = [-1, *drawn, size]
    return [(before + 1, after) for before, after in itertools.pairwise(ends)]


def unpack_logits(pack: dict) -> np.ndarray:
    """Logits (contexts, V) of a pack, up to a constant in each context."""
    rank, exact = pack["rank"], pack["exact"]
    scales = _array(pack["scales"], "<f4").astype(float)
    basis = _array(pack["basis"], np.int8).reshape(rank, -1) * _array(pack["steps"], "<f4")[:, None].astype(
        float
    )
    logits = scales[:, None] * _array(pack["coefficients"], "<i2").reshape(-1, rank) @ basis
    for row, drawn, shifts in zip(logits, pack["drawn"], pack["shifts"], strict=True):
        for (start, stop), shift in zip(_stretches(drawn, len(row)), shifts, strict=True):
            row[start:stop] += shift
    ids = _array(pack["exact_ids"], "<u2").reshape(-1, exact).astype(int)
    exactly = _array(pack["exact_logits"], "<f4").reshape(-1, exact).astype(float)
    np.put_along_axis(logits, ids, exactly, axis=1)
    return logits


def context_tree(contexts: list[tuple[int, ...]]) -> list[list[int]]:
    """Each context, the empty one first, as the number of the context before it and the token added to it."""
    place = {ids: number for number, ids in enumerate(contexts)}
    return [[place[ids[:-1]], ids[-1]] if ids else [-1, -1] for ids in contexts]


def contexts_of(tree: list[list[int]]) -> list[tuple[int, ...]]:
    """The contexts that `context_tree` was made from."""
    contexts: list[tuple[int, ...]] = []
    for before, token in tree:
        contexts.append((*contexts[before], token) if before >= 0 else ())
    return contexts


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
