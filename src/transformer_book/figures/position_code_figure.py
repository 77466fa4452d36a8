"""Sinusoidal codes as a heat map and as clock hands (section 5; not numbered)."""

import numpy as np
from matplotlib.colors import LinearSegmentedColormap

from .picture import BLUE, GREY, ORANGE, WIDTH, Picture, drawing, finite_numbers, name_axis

# Zero is clear; both ends stay apart with every common form of colour blindness.
DIVERGING = LinearSegmentedColormap.from_list(
    "book_both", [(0, (ORANGE, 1.0)), (0.5, (ORANGE, 0.0)), (0.5, (BLUE, 0.0)), (1, (BLUE, 1.0))]
)


def position_code_figure(codes, hands) -> Picture:
    """Draw a) the codes as a heat map, one position per column, b) the pairs of each as the hands of a clock.

    codes: (D, P), for the heat map; hands: (D', P'), a few positions of a small code: entries 2i and
    2i + 1 are the height and the reach of hand i. Raises ValueError for an odd number of rows.
    """
    codes, hands = finite_numbers("codes", codes), finite_numbers("hands", hands)
    for name, code in (("codes", codes), ("hands", hands)):
        if code.ndim != 2 or len(code) % 2 or code.size == 0:
            raise ValueError(f"{name} must be a matrix with an even number of rows; got shape {code.shape}.")
    clocks = hands.shape[1]
    with drawing(WIDTH, 3.1) as figure:
        parts = figure.subplot_mosaic(
            [["map"] * clocks, [f"clock{p}" for p in range(clocks)]], height_ratios=[1.6, 1]
        )
        heat = parts["map"].imshow(codes, cmap=DIVERGING, vmin=-1, vmax=1, aspect="auto")
        parts["map"].set(title=r"a)  $\mathrm{PE}$")
        name_axis(parts["map"], "x", "$p$", "position")
        name_axis(parts["map"], "y", "$2i,\\ 2i+1$", "entry")
        figure.colorbar(heat, ax=parts["map"], ticks=[-1, 0, 1], pad=0.01)
        for p in range(clocks):
            _clock(parts[f"clock{p}"], hands[:, p])
            parts[f"clock{p}"].set_title(f"{'b)  ' if p == 0 else ''}$p = {p}$")
        return Picture(figure)


def _clock(axes, code):
    """One clock: the fastest hand is the longest; angle 0 points to the right, as cos and sin have it."""
    axes.set(xlim=(-1.15, 1.15), ylim=(-1.15, 1.15), aspect="equal")
    axes.axis("off")
    turn = np.linspace(0, 2 * np.pi, 100)
    axes.plot(np.cos(turn), np.sin(turn), color=GREY, linewidth=0.8)
    pairs = code.reshape(-1, 2)
    colours = [ORANGE, BLUE, "black", GREY]
    for i, (height, reach) in enumerate(pairs):
        length = 1 - 0.18 * i
        axes.plot([0, length * reach], [0, length * height], color=colours[i % 4], linewidth=1.4 + 0.7 * i,
                  solid_capstyle="round", zorder=len(pairs) - i)  # fmt: skip
