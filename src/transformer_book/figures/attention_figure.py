"""Figure 12.1: scores, weights and causal weights as three small matrices, rows keys, columns queries."""

import numpy as np

from .picture import GREY, SEQUENTIAL, WIDTH, Picture, drawing, name_axis


def attention_figure(step, causal) -> Picture:
    """Draw figure 12.1: a) the scores of `step`, b) its weights, c) the weights of `causal`.

    step, causal: two `equations.Attention` of the same tokens, without and with the causal mask.
    Rows are keys m, columns are queries n; a hatched cell is one that the mask closes.
    """
    scores, weights, masked = (
        np.asarray(a, dtype=float) for a in (step.scores, step.weights, causal.weights)
    )
    if not scores.shape == weights.shape == masked.shape:
        raise ValueError(
            f"step and causal must be of the same tokens; got {scores.shape} and {masked.shape}."
        )
    with drawing(WIDTH, 2.15) as figure:
        a, b, c = figure.subplots(1, 3, sharey=True, width_ratios=[0.6, 1.3, 1.3])
        _matrix(a, scores, "a)  $s_{mn}$", digits=0, largest=scores.max())
        _matrix(b, weights, "b)  $a_{mn}$", digits=3, largest=1)
        _matrix(c, masked, r"c)  $a_{mn},\ m \leq n$", digits=3, largest=1, closed=masked == 0)
        name_axis(a, "y", "$m$", "key")
        for axes in (a, b, c):
            name_axis(axes, "x", "$n$", "query")
        return Picture(figure)


def _matrix(axes, values, title, digits, largest, closed=None):
    rows, columns = values.shape
    # The scale ends well above the largest value, so that black digits stand out on every cell.
    axes.imshow(values, cmap=SEQUENTIAL, vmin=min(0, values.min()), vmax=1.6 * largest, aspect="auto")
    axes.set_title(title)
    axes.set_xticks(range(columns), range(1, columns + 1))
    axes.set_yticks(range(rows), range(1, rows + 1))
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    for m in range(rows):
        for n in range(columns):
            shut = closed is not None and closed[m, n]
            text = "0" if shut else f"{values[m, n]:.{digits}f}"
            axes.text(n, m, text, ha="center", va="center")
            if shut:
                axes.fill([n - 0.5, n + 0.5, n + 0.5, n - 0.5], [m - 0.5, m - 0.5, m + 0.5, m + 0.5],
                          facecolor="none", edgecolor=(GREY, 0.5), hatch="////", linewidth=0)  # fmt: skip
