"""GELU beside ReLU (section 7; not numbered)."""

import numpy as np

from .picture import BLUE, GREY, ORANGE, WIDTH, Picture, drawing, finite_numbers


def activation_figure(x, gelu) -> Picture:
    """Draw GELU, from its values at x (K,), rising, and ReLU, dashed. Raises ValueError for other shapes."""
    x, gelu = finite_numbers("x", x), finite_numbers("gelu", gelu)
    if x.shape != gelu.shape:
        raise ValueError(f"gelu must be one value for each of {x.size} x; got {gelu.size}.")
    if x.ndim != 1 or x.size < 2:
        raise ValueError(f"x must be a vector of at least 2 numbers; got shape {x.shape}.")
    with drawing(WIDTH, 2.5) as figure:
        axes = figure.subplots()
        axes.axhline(0, color=GREY, linewidth=0.6)
        axes.plot(x, np.maximum(x, 0), color=ORANGE, linestyle="--")
        axes.plot(x, gelu, color=BLUE)
        axes.set(xlabel="$x$", xlim=(x[0], x[-1]))
        axes.text(1.1, 2.2, "$\\max(0, x)$", color=ORANGE, ha="right")
        axes.text(1.6, 0.8, "$x\\,\\Phi(x)$", color=BLUE)
        return Picture(figure)
