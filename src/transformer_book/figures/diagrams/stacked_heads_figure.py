"""Stacked heads and Ω_c: one product, or one product a head and their sum (section 6)."""

import numpy as np
from matplotlib.patches import Rectangle

from transformer_book.figures.picture import BLUE, GREY, ORANGE, Picture

from .sketch import label, matrix, matrix_of, sheet

_UNIT = 0.175
_COLOURS = (BLUE, ORANGE, "black")
_MOST = 6  # rows and columns


def stacked_heads_figure(mixed, Omega_c) -> Picture:
    """Draw Ω_c times the stacked heads, and below it the same as a sum of one product a head.

    mixed: an `equations.MultiHead` of at most three heads, its stack at most 6 × 6; Omega_c: (D, rows of the
    stack). One colour a head: its rows of the stack, its columns of Ω_c. The bias is left out.
    """
    stacked = matrix_of("mixed.stacked", mixed.stacked)
    Omega_c = matrix_of("Omega_c", Omega_c, (None, len(stacked)))
    H, (rows, N) = len(mixed.heads), stacked.shape
    if len(_COLOURS) < H or max(rows, N, len(Omega_c)) > _MOST:
        raise ValueError(
            f"mixed must be at most {len(_COLOURS)} heads, its matrices at most {_MOST} × {_MOST}; "
            f"got {H} heads, {rows} × {N}."
        )
    D, size = len(Omega_c), rows // H
    tall = max(D, rows) * _UNIT
    with sheet(4.8, 2 * tall + 1.2) as (figure, axes):
        top = 2 * tall + 0.85
        left = 0.5
        _striped(axes, left, top, Omega_c, size, vertical=True)
        label(axes, left + rows * _UNIT / 2, top + 0.17, r"$\mathbf{\Omega}_c$")
        left += rows * _UNIT + 0.25
        _striped(axes, left, top, stacked, size, vertical=False)
        for h in range(H):
            y = top - (h + 0.5) * size * _UNIT
            label(axes, left + N * _UNIT + 0.09, y, rf"$\mathrm{{Sa}}_{h + 1}$", ha="left", color=_COLOURS[h])
        label(axes, left + N * _UNIT + 0.72, top - tall / 2, "=", fontsize=14)
        left += N * _UNIT + 0.95
        matrix(axes, left, top, Omega_c @ stacked, cell=(_UNIT, _UNIT))
        label(axes, left + N * _UNIT / 2, top + 0.17, rf"${D} \times {N}$")
        _sum(axes, top - tall - 0.7, Omega_c, stacked, size, tall)
        return Picture(figure)


def _sum(axes, top, Omega_c, stacked, size, tall):
    """One block of Ω_c times one head, plus the next."""
    H, N, left = len(stacked) // size, stacked.shape[1], 0.5
    label(axes, 0.25, top - tall / 2, "=", fontsize=14)
    for h in range(H):
        part = slice(h * size, (h + 1) * size)
        _framed(axes, left, top, Omega_c[:, part], _COLOURS[h])
        label(axes, left + size * _UNIT / 2, top + 0.2, rf"$\mathbf{{\Omega}}_c^{{({h + 1})}}$")
        left += size * _UNIT + 0.1
        middle = top - (tall - size * _UNIT) / 2
        _framed(axes, left, middle, stacked[part], _COLOURS[h])
        label(axes, left + N * _UNIT / 2, middle + 0.17, rf"$\mathrm{{Sa}}_{h + 1}$")
        left += N * _UNIT
        if h + 1 < H:
            label(axes, left + 0.16, top - tall / 2, "+", fontsize=14)
            left += 0.32


def _striped(axes, left, top, values, size, vertical):
    """A matrix with one frame a head, around its columns or around its rows."""
    parts = np.split(values, values.shape[vertical] // size, axis=int(vertical))
    for h, part in enumerate(parts):
        step = h * size * _UNIT
        _framed(axes, left + step * vertical, top - step * (not vertical), part, _COLOURS[h])


def _framed(axes, left, top, values, colour):
    rows, columns = values.shape
    matrix(axes, left, top, values, cell=(_UNIT, _UNIT), edge=GREY)
    frame = Rectangle((left, top - rows * _UNIT), columns * _UNIT, rows * _UNIT)
    frame.set(facecolor="none", edgecolor=colour, linewidth=2)
    axes.add_patch(frame)
