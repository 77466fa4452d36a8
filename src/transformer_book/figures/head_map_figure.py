"""One number for each head of a model, as a map of layers and heads (section 6; not numbered)."""

import numpy as np

from .picture import ORANGE, SEQUENTIAL, WIDTH, Picture, check_panels, drawing, finite_numbers, name_axis


def head_map_figure(panels, marked=()) -> Picture:
    """Draw a score from 0 to 1 for every head: layers down, heads across, counted from 0 as in the code.

    panels: name to scores (L, H), at most three; marked: for each panel a (layer, head) to frame, or None.
    Raises ValueError for panels of another shape, scores outside 0 to 1, and a mark that is not a head of
    its panel.
    """
    check_panels("panels", panels, 3)
    scores = {name: finite_numbers(name, values, shares=True) for name, values in panels.items()}
    marked = list(marked) + [None] * (len(scores) - len(marked))
    if len(marked) != len(scores):
        raise ValueError(f"marked must be a head for each of {len(scores)} panels; got {len(marked)}.")
    for (name, values), mark in zip(scores.items(), marked, strict=True):
        if values.ndim != 2 or values.size == 0:
            raise ValueError(f"{name} must be a matrix (layers, heads); got shape {values.shape}.")
        if mark is not None and not (0 <= mark[0] < values.shape[0] and 0 <= mark[1] < values.shape[1]):
            raise ValueError(f"marked must be a head of {name}, {values.shape}; got {mark}.")
    tallest = max(values.shape[0] / values.shape[1] for values in scores.values())
    with drawing(WIDTH, min(2.4, 1.0 + 4.0 * tallest / len(scores))) as figure:
        all_axes = np.atleast_1d(figure.subplots(1, len(scores)))
        for axes, (name, values), mark in zip(all_axes, scores.items(), marked, strict=True):
            shown = axes.imshow(values, cmap=SEQUENTIAL, vmin=0, vmax=1, aspect="auto")
            axes.set(title=name)
            name_axis(axes, "x", "$h$", "head")
            step = 1 if values.shape[0] <= 12 else 5
            axes.set_xticks(range(0, values.shape[1], 1 if values.shape[1] <= 9 else 3))
            axes.set_yticks(range(0, values.shape[0], step))
            if mark is not None:
                layer, head = mark
                x = [head - 0.5, head + 0.5, head + 0.5, head - 0.5, head - 0.5]
                y = [layer - 0.5, layer - 0.5, layer + 0.5, layer + 0.5, layer - 0.5]
                axes.plot(x, y, color=ORANGE, linewidth=2, clip_on=False)
        name_axis(all_axes[0], "y", "layer", "layer")
        figure.colorbar(shown, ax=all_axes, ticks=[0, 0.5, 1], pad=0.02)
        return Picture(figure)
