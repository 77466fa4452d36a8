"""Masks side by side: which keys each query may see (section 8)."""

import numpy as np
from matplotlib.patches import Rectangle

from transformer_book.figures.picture import BLUE, GREY, WIDTH, Picture, check_panels, drawing, name_axis

_MOST = 3


def masks_figure(masks) -> Picture:
    """Draw up to three masks, titles to booleans (M, N): rows are keys m, columns are queries n.

    A blue cell is open, a hatched one is closed. Raises ValueError for masks that are not boolean matrices.
    """
    check_panels("masks", masks, _MOST)
    masks = {title: np.asarray(mask) for title, mask in masks.items()}
    for title, mask in masks.items():
        if mask.dtype != bool or mask.ndim != 2 or not mask.size:
            raise ValueError(f"masks must be boolean matrices; {title} is {mask.dtype}, shape {mask.shape}.")
    widths = [mask.shape[1] for mask in masks.values()]
    tallest = max(len(mask) for mask in masks.values())
    with drawing(WIDTH, 2.3) as figure:
        panels = np.atleast_1d(figure.subplots(1, len(masks), width_ratios=widths))
        for axes, (title, mask) in zip(panels, masks.items(), strict=True):
            _mask(axes, mask, tallest)
            axes.set_title(title)
            name_axis(axes, "x", "$n$", "query")
            axes.xaxis.set_label_position("top")
        name_axis(panels[0], "y", "$m$", "key")
        return Picture(figure)


def _mask(axes, mask, tallest):
    rows, columns = mask.shape
    for m, n in np.ndindex(rows, columns):
        looks = {"facecolor": (BLUE, 0.75)} if mask[m, n] else {"facecolor": "none", "hatch": "////"}
        axes.add_patch(
            Rectangle((n - 0.46, m - 0.46), 0.92, 0.92, edgecolor=(GREY, 0.6), linewidth=0.6, **looks)
        )
    axes.set(xlim=(-0.6, columns - 0.4), ylim=(tallest - 0.4, -0.6), aspect="equal", anchor="NW")
    axes.set_xticks(range(columns), range(1, columns + 1))
    axes.set_yticks(range(rows), range(1, rows + 1))
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
