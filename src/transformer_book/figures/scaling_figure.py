"""Figure 12.2: without √D_q the softmax settles on one key as D_q grows; with it the weights stay spread."""

import numpy as np

from .picture import BLUE, GREY, ORANGE, WIDTH, Picture, check_filled, drawing, name_axis


def scaling_figure(sizes, plain, scaled, law_plain, law_scaled, one_plain, one_scaled) -> Picture:
    """Draw figure 12.2: a) mean largest weight against D_q, b) the weights of one draw, sorted.

    sizes: the values of D_q; plain, scaled: an `equations.Estimate` for each, sampled from vectors (points
    with two standard errors either way); law_plain, law_scaled: the same through the exact law (lines);
    one_plain, one_scaled: the weights (keys,) of a single query. The dashed line is the uniform weight.
    Raises ValueError when there is nothing to draw, or not one estimate for each size.
    """
    check_filled("sizes", sizes)
    check_filled("one_plain", one_plain)
    curves = {"plain": plain, "scaled": scaled, "law_plain": law_plain, "law_scaled": law_scaled}
    for name, series in curves.items():
        if len(series) != len(sizes):
            raise ValueError(f"{name} must be an estimate for each of {len(sizes)} sizes; got {len(series)}.")
    one_plain, one_scaled = (np.sort(np.asarray(w, dtype=float))[::-1] for w in (one_plain, one_scaled))
    if one_plain.ndim != 1 or one_plain.shape != one_scaled.shape:
        raise ValueError(
            f"one_scaled must be of one_plain's shape {one_plain.shape}; got {one_scaled.shape}."
        )
    keys = len(one_plain)
    with drawing(WIDTH, 2.6) as figure:
        a, b = figure.subplots(1, 2)
        for points, law, colour, marker in ((plain, law_plain, ORANGE, "o"), (scaled, law_scaled, BLUE, "s")):
            a.plot(sizes, [e.mean for e in law], color=colour, linewidth=1)
            a.errorbar(sizes, [e.mean for e in points], [2 * e.standard_error for e in points],
                       color=colour, marker=marker, markersize=4, linestyle="none", capsize=2)  # fmt: skip
        a.axhline(1 / keys, color=GREY, linestyle="--", linewidth=1)
        a.set(xscale="log", ylim=(-0.02, 1.04), title=r"a)  $\mathrm{E}\,[\,\max_m a_m\,]$")
        name_axis(a, "x", "$D_q$", "query-size")
        labels = [str(size) for size in sizes]
        labels[-2::-2] = [""] * len(labels[-2::-2])  # all of them would run into one another
        a.set_xticks(sizes, labels)
        a.xaxis.minorticks_off()
        a.text(sizes[-1], plain[-1].mean - 0.07, "$s$", color=ORANGE, ha="right", va="top", fontsize=12)
        a.text(sizes[-1], scaled[-1].mean + 0.05, r"$s/\sqrt{D_q}$", color=BLUE, ha="right", fontsize=12)
        a.text(sizes[0], 1 / keys + 0.015, f"1/{keys}", color=GREY)

        rank = range(1, keys + 1)
        for weights, colour, marker in ((one_plain, ORANGE, "o"), (one_scaled, BLUE, "s")):
            b.plot(rank, weights, color=colour, marker=marker, markersize=4, linewidth=1)
        b.axhline(1 / keys, color=GREY, linestyle="--", linewidth=1)
        b.set(ylim=(-0.02, 1.04), title="b)  $a_m$")
        name_axis(b, "x", "$m$", "sorted-key")
        b.set(xticks=[1, keys // 2, keys], yticks=[0, 0.5, 1])
        return Picture(figure)
