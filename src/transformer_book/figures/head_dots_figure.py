"""One number for each head as a dot over its layer, one head marked among all (section 6; not numbered)."""

import numpy as np

from transformer_book.checks.messages import must_be

from .picture import BLUE, GREY, ORANGE, WIDTH, Picture, check_panels, drawing, finite_numbers, name_axis


def head_dots_figure(panels, marked, *, line=0.0) -> Picture:
    """Draw each head's number over its layer; one head is orange, a dashed line is what to compare with.

    panels: name to numbers (L, H), at most two, side by side on one scale; marked: (layer, head).
    Raises ValueError for panels of another shape, numbers that are not finite, or a head that is not there.
    """
    check_panels("panels", panels, 2)
    panels = {name: finite_numbers(name, values) for name, values in panels.items()}
    layer, head = marked
    for name, values in panels.items():
        if values.ndim != 2 or values.size == 0:
            raise ValueError(must_be(name, "a matrix (layers, heads)", f"shape {values.shape}"))
        if not (0 <= layer < values.shape[0] and 0 <= head < values.shape[1]):
            raise ValueError(must_be("marked", f"a head of {name}, {values.shape}", marked))
    with drawing(WIDTH, 2.6) as figure:
        all_axes = np.atleast_1d(figure.subplots(1, len(panels), sharey=True))
        for axes, (name, values) in zip(all_axes, panels.items(), strict=True):
            layers = np.repeat(np.arange(len(values)), values.shape[1])
            axes.axhline(line, color=GREY, linewidth=1, linestyle="--")
            axes.plot(layers, values.ravel(), "o", color=BLUE, markersize=3)
            axes.plot([layer], [values[layer, head]], "o", color=ORANGE, markersize=6)
            axes.annotate(
                f"L{layer}H{head}",
                (layer, values[layer, head]),
                xytext=(-6, 0),
                textcoords="offset points",
                ha="right",
                va="center",
            )
            axes.set(title=name)
            name_axis(axes, "x", "layer", "layer")
        return Picture(figure)
