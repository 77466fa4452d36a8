"""RoPE as a turn: key and query turn by their positions, and the angle between them keeps (section 5)."""

import numpy as np

from transformer_book.equations import rope_scores, rotate
from transformer_book.figures.picture import BLUE, GREY, ORANGE, WIDTH, Picture, drawing, finite_numbers

from .sketch import plane, vector

_MOST = 3


def turn_figure(key, query, theta: float, positions) -> Picture:
    """Draw one panel for each (m, n): the key turned by mθ, the query by nθ, and the score below.

    key, query: (2,); theta: radians a position; positions: at most three pairs (m, n).
    Raises ValueError for other sizes. The thin arrows are the vectors before they turn.
    """
    key, query = finite_numbers("key", key), finite_numbers("query", query)
    positions = finite_numbers("positions", positions)
    if key.shape != (2,) or query.shape != (2,):
        raise ValueError(f"key and query must be two numbers each; got {key.shape} and {query.shape}.")
    if positions.ndim != 2 or positions.shape[1] != 2 or not 0 < len(positions) <= _MOST:
        raise ValueError(f"positions must be 1 to {_MOST} pairs (m, n); got shape {positions.shape}.")
    arrows = ((key, BLUE, r"$\mathbf{k}$"), (query, ORANGE, r"$\mathbf{q}$"))
    # Each (2, 1 + panels): the vector before it turns, then turned by the position of each panel.
    tips = [
        rotate(
            np.repeat(before[:, None], 1 + len(positions), axis=1), np.append(0, places), np.array([theta])
        )
        for (before, _, _), places in zip(arrows, positions.T, strict=True)
    ]
    points = np.concatenate([[[0], [0]], *tips], axis=1)
    reach = np.abs(points).max()
    low, high = points.min(axis=1) - 0.3 * reach, points.max(axis=1) + 0.3 * reach
    with drawing(WIDTH, 2.1) as figure:
        panels = np.atleast_1d(figure.subplots(1, len(positions)))
        for panel, (axes, (m, n)) in enumerate(zip(panels, positions, strict=True), start=1):
            plane(axes, (low[0], high[0]), (low[1], high[1]))
            axes.set_title(f"$m = {m:.0f},\\ n = {n:.0f}$", loc="center")
            for (before, colour, name), turned, position in zip(arrows, tips, (m, n), strict=True):
                after = turned[:, panel]
                aside = 0.2 * reach * np.array([-after[1], after[0]]) / max(np.hypot(*after), 1e-12)
                vector(axes, before, GREY, 0.9)
                _arc(axes, before, position * theta, colour)
                vector(axes, after, colour, 2.0, name, aside)
            score = rope_scores(query[:, None], key[:, None], np.array([n]), np.array([m]), np.array([theta]))
            axes.set_xlabel(f"$s_{{mn}} = {score[0, 0]:.3f}$")
        return Picture(figure)


def _arc(axes, before, angle, colour):
    """The way that an arrow turns, at a third of its length."""
    start = np.arctan2(before[1], before[0])
    way = start + np.linspace(0, angle, 60)
    radius = 0.35 * np.hypot(*before)
    axes.plot(radius * np.cos(way), radius * np.sin(way), color=colour, linewidth=1.2)
