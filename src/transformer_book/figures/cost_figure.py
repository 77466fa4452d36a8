"""The costs of self-attention against the length of the text (section 3; not numbered)."""

import numpy as np

from .picture import BLUE, ORANGE, WIDTH, Picture, check_filled, drawing, name_axis


def cost_figure(lengths, projections, attention) -> Picture:
    """Draw multiply-adds against N on logarithmic axes: 3 N D² rises with N, N² (D_q + D) with its square.

    lengths: values of N; projections, attention: multiply-adds at each length. Raises ValueError when they
    are not equally many, and for a number that a logarithmic axis cannot show.
    """
    check_filled("lengths", lengths)
    if not len(lengths) == len(projections) == len(attention):
        found = f"{len(projections)} and {len(attention)}"
        raise ValueError(
            f"projections and attention must be {len(lengths)} counts, one per length; got {found}."
        )
    for name, values in (("lengths", lengths), ("projections", projections), ("attention", attention)):
        if not np.min(values) > 0:
            raise ValueError(f"{name} must be numbers above 0; got {np.min(values)}.")
    with drawing(WIDTH, 2.7) as figure:
        axes = figure.subplots()
        axes.loglog(lengths, projections, color=BLUE, marker="s", markersize=4)
        axes.loglog(lengths, attention, color=ORANGE, marker="o", markersize=4)
        axes.set_xticks(lengths, [f"{n:,}" for n in lengths])
        axes.xaxis.minorticks_off()
        axes.yaxis.minorticks_off()
        name_axis(axes, "x", "$N$", "length")
        for counts, name, colour in ((projections, "$3ND^2$", BLUE), (attention, "$N^2(D_q+D)$", ORANGE)):
            higher = counts[-1] == max(projections[-1], attention[-1])  # the names stand clear of both lines
            axes.annotate(name, (lengths[-1], counts[-1]), xytext=(-4, 6 if higher else -14),
                          textcoords="offset points", color=colour, ha="right",
                          va="bottom" if higher else "top")  # fmt: skip
        return Picture(figure)
