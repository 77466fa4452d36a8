"""The shapes of the matrix form: each matrix as a block, its sides in proportion (section 3)."""

from matplotlib.patches import Rectangle

from transformer_book.checks.numbers import check_whole
from transformer_book.figures.picture import BLUE, ORANGE, Picture

from .sketch import PALE, label, sheet

_ROOM = 0.24  # inches between blocks
_MOST = 7  # rows or columns of a block


def shapes_figure(D: int, D_q: int, N: int) -> Picture:
    """Draw Q, the scores and the output as products of blocks, each with its shape below it.

    D, D_q, N: rows of X, of a query, and tokens; 1 to 7 each, for the blocks are drawn to scale.
    """
    for name, size in {"D": D, "D_q": D_q, "N": N}.items():
        check_whole(name, size)
        if size > _MOST:
            raise ValueError(f"{name} must be at most {_MOST}, to be drawn to scale; got {size}.")
    X, Q = (r"\mathbf{X}", D, N), (r"\mathbf{Q}", D_q, N)
    bias = (r"\mathbf{\beta}_q", D_q, 1), (r"\mathbf{1}^\top", 1, N)
    lines = [
        [Q, "=", (r"\mathbf{\Omega}_q", D_q, D), X, "+", *bias],
        [(r"\mathbf{S}", N, N), "=", (r"\mathbf{K}^\top", N, D_q), Q],
        [(r"\mathrm{Sa}", D, N), "=", (r"\mathbf{V}", D, N), (r"\mathbf{A}", N, N)],
    ]
    unit = min(1.05 / max(D, N), 2.85 / (3 * N + D + 1))
    heights = [max(part[1] for part in line if part not in ("=", "+")) * unit + 0.58 for line in lines]
    with sheet(4.8, sum(heights)) as (figure, axes):
        top = sum(heights)
        for line, height in zip(lines, heights, strict=True):
            _product(axes, line, unit, top - (height - 0.1) / 2)
            top -= height
        return Picture(figure)


def _product(axes, line, unit, middle):
    """One equation from left to right, its blocks on one middle line."""
    x = 0.2
    for place, part in enumerate(line):
        if isinstance(part, str):
            label(axes, x, middle, f"${part}$", fontsize=14)
            x += 0.24
            continue
        name, rows, columns = part
        width, height = columns * unit, rows * unit
        face, colour = (PALE, BLUE) if place else ((ORANGE, 0.14), ORANGE)
        bottom = middle - height / 2
        axes.add_patch(Rectangle((x, bottom), width, height, facecolor=face, edgecolor=colour))
        fits = rows > 1 and columns > 1
        label(axes, x + width / 2, middle if fits else bottom + height + 0.15, f"${name}$")
        label(axes, x + width / 2, bottom - 0.15, rf"${rows} \times {columns}$")
        x += width + _ROOM
