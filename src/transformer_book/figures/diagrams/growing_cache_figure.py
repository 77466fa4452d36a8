"""A cache that grows: each step adds one column of keys and one of values (section 8)."""

import numpy as np
from matplotlib.patches import Rectangle

from transformer_book.figures.picture import GREY, ORANGE, Picture

from .sketch import arrow, label, matrix, matrix_of, sheet

_UNIT = 0.2
_MOST = 4  # steps, and columns and rows


def growing_cache_figure(keys, values) -> Picture:
    """Draw one panel a step: the query, the stored keys and values, the step's own column in orange.

    keys, values: for each step n what the cache holds, (D_h, n) and one column more a step; at most four
    steps. Raises ValueError for other shapes, and where a step changes a column that was stored before.
    """
    if not 0 < len(keys) == len(values) <= _MOST:
        raise ValueError(f"keys must be 1 to {_MOST} steps, like values; got {len(keys)} and {len(values)}.")
    held = {}
    for name, steps in {"keys": keys, "values": values}.items():
        held[name] = [matrix_of(f"{name}[{n}]", step, (None, n + 1)) for n, step in enumerate(steps)]
        for n in range(1, len(steps)):
            if not np.array_equal(held[name][n][:, :-1], held[name][n - 1]):
                raise ValueError(
                    f"{name}[{n}] must be {name}[{n - 1}] and one column more; got other columns."
                )
    rows, steps = len(held["keys"][0]), len(keys)
    tall = rows * _UNIT
    height = 2 * tall + 1.5
    with sheet(4.8, height) as (figure, axes):
        pitch = 4.3 / steps
        for n in range(1, steps + 1):
            left = 0.52 + (n - 1) * pitch
            label(axes, left + steps * _UNIT / 2, height - 0.18, f"$n = {n}$")
            for name, top in (("keys", height - 0.42), ("values", height - tall - 0.98)):
                _held(axes, left, top, held[name][n - 1], steps)
            side = left + (n - 0.5) * _UNIT
            arrow(axes, (side, height - tall - 0.72), (side, height - tall - 0.46), colour=ORANGE)
            label(axes, side, height - tall - 0.83, rf"$\mathbf{{q}}_{n}$", color=ORANGE)
            label(axes, left + steps * _UNIT / 2, 0.18, rf"$2 \times {rows} \times {n}$")
        label(axes, 0.25, height - 0.42 - tall / 2, r"$\mathbf{K}$")
        label(axes, 0.25, height - 0.98 - 1.5 * tall, r"$\mathbf{V}$")
        return Picture(figure)


def _held(axes, left, top, stored, capacity):
    """What is stored, its newest column framed, and the room that is left, dashed."""
    rows, columns = stored.shape
    room = Rectangle((left, top - rows * _UNIT), capacity * _UNIT, rows * _UNIT)
    room.set(facecolor="none", edgecolor=GREY, linestyle="--", linewidth=0.8)
    axes.add_patch(room)
    matrix(axes, left, top, stored, cell=(_UNIT, _UNIT), edge=GREY)
    newest = Rectangle((left + (columns - 1) * _UNIT, top - rows * _UNIT), _UNIT, rows * _UNIT)
    newest.set(facecolor="none", edgecolor=ORANGE, linewidth=2)
    axes.add_patch(newest)
