"""How long the gradients at queries are in training, as quantiles over queries (section 4; not numbered)."""

import numpy as np

from .picture import BLUE, GREY, ORANGE, WIDTH, Picture, check_filled, check_panels, drawing, name_axis

_LEAST = 1e-8  # shorter ones are drawn there: a logarithmic axis has no zero


def query_gradient_figure(steps, panels) -> Picture:
    """Draw a panel for each title: the median, the middle 80 % as a band, and the longest hundredth's start.

    steps: of the training (T,); panels: one or two titles to quantiles 10, 50, 90, 99 and 100 % (T, 5). The
    axis of lengths is logarithmic. Raises ValueError when there is nothing to draw, or other quantiles.
    """
    check_filled("steps", steps)
    check_panels("panels", panels, 2)
    for title, quantiles in panels.items():
        if np.shape(quantiles) != (len(steps), 5):
            wanted = f"5 quantiles for each of {len(steps)} steps"
            raise ValueError(f"{title} must be {wanted}; got shape {np.shape(quantiles)}.")
    with drawing(WIDTH, 2.6) as figure:
        all_axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, colour, (title, quantiles) in zip(all_axes, (ORANGE, BLUE), panels.items(), strict=False):
            low, middle, high, last, _ = np.maximum(quantiles, _LEAST).T
            axes.fill_between(steps, low, high, color=colour, alpha=0.25, linewidth=0, label="10–90 %")
            axes.plot(steps, middle, "o-", color=colour, markersize=3, label="50 %")
            axes.plot(steps, last, "--", color=GREY, label="99 %")
            axes.set(yscale="log", title=title)
            name_axis(axes, "x", "$t$", "step")
            axes.legend(frameon=False)
        name_axis(all_axes[0], "y", r"$\|\partial L / \partial \mathbf{q}\|$", "gradient")
        return Picture(figure)
