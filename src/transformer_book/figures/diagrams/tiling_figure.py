"""The loop over tiles: one block of queries meets the keys block by block (section 10)."""

import numpy as np
from matplotlib.patches import Rectangle

from transformer_book.checks.numbers import check_whole
from transformer_book.figures.picture import BLUE, GREY, ORANGE, Picture

from .sketch import arrow, label, matrix, matrix_of, sheet

_UNIT = 0.3
_MOST = 6


def tiling_figure(scores, query_block: int, key_block: int) -> Picture:
    """Draw a matrix of scores in tiles, numbered as the loop visits them, and what it carries for one query.

    scores: (M, N), keys by queries, at most 6 × 6; query_block, key_block: queries and keys in a tile.
    Beside each tile of the first block: the largest score so far, and the sum of exponentials relative to it,
    for query 1. Raises ValueError for other sizes.
    """
    scores = matrix_of("scores", scores)
    check_whole("query_block", query_block)
    check_whole("key_block", key_block)
    M, N = scores.shape
    if max(M, N) > _MOST:
        raise ValueError(f"scores must be at most {_MOST} × {_MOST}, to be read; got {M} × {N}.")
    from transformer_book.attention.tiled import Tiling  # needs torch, which no other figure does

    tiling = Tiling(N, M, query_block, key_block, causal=False, mask=None)
    with sheet(4.8, M * _UNIT + 0.5) as (figure, axes):
        left, top, order = 0.5, M * _UNIT + 0.15, 0
        matrix(axes, left, top, scores, cell=(_UNIT, _UNIT), edge=(GREY, 0.5))
        for queries in tiling.query_blocks():
            for keys in tiling.key_blocks(queries):
                order += 1
                first = queries.start == 0
                _tile(axes, left, top, keys, queries, order, ORANGE if first else BLUE)
        label(axes, left + N * _UNIT / 2, top + 0.17, "$n$")
        label(axes, left - 0.22, top - M * _UNIT / 2, "$m$")
        right = left + N * _UNIT + 0.35
        label(axes, right + 0.62, top + 0.17, r"$\max s_{m1}$")
        label(axes, right + 1.62, top + 0.17, r"$\sum e^{s_{m1} - \max}$")
        for number, (keys, largest, total) in enumerate(running(scores[:, 0], tiling), start=1):
            y = top - (keys.start + keys.stop) / 2 * _UNIT
            label(axes, right + 0.1, y, f"{number}:", color=ORANGE)
            label(axes, right + 0.62, y, f"{largest:.2f}")
            label(axes, right + 1.62, y, f"{total:.2f}")
            if keys.stop < M:
                for x in (0.62, 1.62):
                    arrow(axes, (right + x, y - 0.13), (right + x, y - key_block * _UNIT + 0.13))
        return Picture(figure)


def running(column, tiling):
    """Yield (keys, largest score, sum of exponentials relative to it) after each tile of the first block."""
    largest, total = -np.inf, 0.0
    for keys in tiling.key_blocks(tiling.query_blocks()[0]):
        new = max(largest, column[keys].max())
        total = total * np.exp(largest - new) + np.exp(column[keys] - new).sum()
        largest = new
        yield keys, largest, total


def _tile(axes, left, top, keys, queries, order, colour):
    """One tile's frame, with its number on a white ground."""
    x, y = left + queries.start * _UNIT, top - keys.stop * _UNIT
    width, height = (queries.stop - queries.start) * _UNIT, (keys.stop - keys.start) * _UNIT
    inset = 0.025
    frame = Rectangle((x + inset, y + inset), width - 2 * inset, height - 2 * inset)
    frame.set(facecolor="none", edgecolor=colour, linewidth=2)
    axes.add_patch(frame)
    ground = {"boxstyle": "circle,pad=0.15", "facecolor": "white", "edgecolor": colour}
    label(axes, x + width / 2, y + height / 2, str(order), bbox=ground)
