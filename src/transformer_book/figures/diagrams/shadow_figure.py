"""A score as a length: the shadow of each key on the query's line, times the query's length (section 2)."""

import numpy as np

from transformer_book.checks.numbers import check_whole
from transformer_book.figures.picture import BLUE, GREY, ORANGE, WIDTH, Picture, drawing, finite_numbers

from .sketch import matrix_of, plane, vector

_MOST = 3


def shadow_figure(query, keys, n: int = 1) -> Picture:
    """Draw one panel a key: query and key as arrows, the key's shadow on the query's line, and the score.

    query: (2,), not zero; keys: (2, M), at most three; n: the query's number, for its name.
    Below a panel stand shadow × length, then their product. Raises ValueError for other sizes and for a query
    without a direction.
    """
    query, keys = finite_numbers("query", query), matrix_of("keys", keys, (2, None))
    check_whole("n", n)
    if query.shape != (2,) or not query.any():
        raise ValueError(f"query must be two numbers, not both 0; got {query.tolist()}.")
    if keys.shape[1] > _MOST:
        raise ValueError(f"keys must be at most {_MOST}; got {keys.shape[1]}.")
    length = np.hypot(*query)
    along = query / length
    shadows = along @ keys  # (M,)
    points = np.column_stack([[0, 0], query, keys, np.outer(along, shadows)])
    low, high = points.min(axis=1) - 0.3, points.max(axis=1) + 0.25
    with drawing(WIDTH, 1.95) as figure:
        for m, axes in enumerate(np.atleast_1d(figure.subplots(1, keys.shape[1])), start=1):
            plane(axes, (low[0], high[0]), (low[1], high[1]))
            axes.axhline(0, color=(GREY, 0.5), linewidth=0.8, zorder=0)
            axes.axvline(0, color=(GREY, 0.5), linewidth=0.8, zorder=0)
            key, shadow = keys[:, m - 1], shadows[m - 1]
            foot = shadow * along
            axes.plot(
                [0, foot[0]], [0, foot[1]], color=ORANGE, linewidth=8, alpha=0.35, solid_capstyle="butt"
            )
            axes.plot([key[0], foot[0]], [key[1], foot[1]], color=GREY, linestyle=":", linewidth=1.4)
            aside = 0.28 * np.array([-along[1], along[0]])
            vector(axes, query, ORANGE, name=rf"$\mathbf{{q}}_{n}$", aside=aside)
            vector(axes, key, BLUE, name=rf"$\mathbf{{k}}_{m}$", aside=-aside)
            product = f"${shadow:.2f} \\times {length:.2f}$\n$s_{{{m}{n}}} = {shadow * length:.2f}$"
            axes.set_xlabel(product)
        return Picture(figure)
