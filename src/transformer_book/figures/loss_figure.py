"""Losses against training steps, or against the position in a text (sections 5 and 7; not numbered)."""

import numpy as np

from .picture import BLUE, GREY, ORANGE, WIDTH, Picture, check_filled, check_panels, drawing, name_axis

_LOOKS = [(BLUE, "-"), (ORANGE, "-"), ("black", "--"), (GREY, ":")]


def loss_figure(x, curves, xlabel, boundary=None, titles=("",), errors=None, levels=None) -> Picture:
    """Draw one panel of losses, in nats a token, for each title; in a panel one line for each named curve.

    x: where the losses were taken (K,); curves: one dict for each title, name to losses (K,), at most four;
    xlabel: symbol under the axis, $t$ of steps or another one of positions; boundary: x of a dashed vertical
    line, such as the length in training;
    errors: name to standard errors (K,), drawn as bands of two on either side; levels: name to one loss, a
    thin horizontal line. Raises ValueError when there is nothing to draw, or not one loss or error for
    each x.
    """
    check_filled("x", x)
    panels = [curves] if isinstance(curves, dict) else list(curves)
    if len(panels) != len(titles) or not panels:
        raise ValueError(f"curves must be one dict for each of {len(titles)} titles; got {len(panels)}.")
    for lines in panels:
        check_panels("curves", lines, len(_LOOKS))
        for what, rows in (("a loss", lines), ("an error", errors or {})):
            for name, row in rows.items():
                if len(row) != len(x):
                    raise ValueError(f"{name} must be {what} for each of {len(x)} x; got {len(row)}.")
    with drawing(WIDTH, 2.8) as figure:
        all_axes = np.atleast_1d(figure.subplots(1, len(panels), sharey=True))
        for axes, title, lines in zip(all_axes, titles, panels, strict=True):
            for (name, losses), (colour, style) in zip(lines.items(), _LOOKS, strict=False):
                axes.plot(x, losses, color=colour, linestyle=style, label=name)
                if errors and name in errors:
                    band = 2 * np.asarray(errors[name])
                    axes.fill_between(x, losses - band, losses + band, color=colour, alpha=0.25, linewidth=0)
            for (name, level), style in zip((levels or {}).items(), ("-.", (0, (1, 3))), strict=False):
                axes.axhline(level, color=GREY, linestyle=style, linewidth=1, label=name)
            if boundary is not None:
                axes.axvline(boundary, color=GREY, linestyle="--", linewidth=1)
            axes.set(title=title)
            name_axis(axes, "x", xlabel, "step" if xlabel == "$t$" else "position")
        name_axis(all_axes[0], "y", "$-\\log p$", "loss")
        figure.legend(
            *all_axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False
        )
        return Picture(figure)
