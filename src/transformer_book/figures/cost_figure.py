"""The three costs of self-attention against the length of the text (section 3; not numbered)."""

from .picture import BLUE, GREY, ORANGE, WIDTH, Picture, drawing


def cost_figure(lengths, projections, scores, mixing) -> Picture:
    """Draw multiply-adds against N on logarithmic axes: 3 N D² rises with N, N² D_q and N² D with its square.

    lengths: values of N; projections, scores, mixing: multiply-adds at each length.
    """
    if not len(lengths) == len(projections) == len(scores) == len(mixing):
        raise ValueError("projections, scores and mixing must hold one count for each length.")
    with drawing(WIDTH, 2.7) as figure:
        axes = figure.subplots()
        axes.loglog(lengths, projections, color=BLUE, marker="s", markersize=4)
        axes.loglog(lengths, scores, color=ORANGE, marker="o", markersize=4)
        axes.loglog(lengths, mixing, color=GREY, marker="^", markersize=4)
        axes.set_xticks(lengths, [f"{n:,}" for n in lengths], fontsize=8)
        axes.xaxis.minorticks_off()
        axes.set_xlabel("$N$")
        for counts, name, colour in (
            (projections, "$3ND^2$", BLUE),
            (scores, "$N^2D_q$", ORANGE),
            (mixing, "$N^2D$", GREY),
        ):
            axes.annotate(name, (lengths[-1], counts[-1]), xytext=(6, 0), textcoords="offset points",
                          color=colour, va="center", annotation_clip=False)  # fmt: skip
        return Picture(figure)
