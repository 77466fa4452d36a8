"""Test accuracy against the number of training examples (section 9; not numbered)."""

import numpy as np

from .picture import BLUE, ORANGE, WIDTH, Picture, drawing


def accuracy_figure(sizes, curves) -> Picture:
    """Draw one line for each named model, the number of training examples on a logarithmic axis.

    sizes: (K,). curves: name to accuracies from 0 to 1, (K,), or (K, R) for R runs each: the line is then
    their mean, with bars from the worst run to the best. At most two models.
    """
    with drawing(WIDTH, 2.8) as figure:
        axes = figure.subplots()
        for (name, accuracies), (colour, marker) in zip(
            curves.items(), ((BLUE, "o"), (ORANGE, "s")), strict=False
        ):
            runs = np.asarray(accuracies, dtype=float).reshape(len(sizes), -1)  # (K, R)
            mean = runs.mean(axis=1)
            spread = [mean - runs.min(axis=1), runs.max(axis=1) - mean]
            axes.errorbar(
                sizes, mean, yerr=spread, color=colour, marker=marker, markersize=4, capsize=2, label=name
            )
        axes.set_xscale("log")
        axes.set_xticks(sizes, [f"{size:,}" for size in sizes], fontsize=9)
        axes.xaxis.minorticks_off()
        axes.set_xlabel("$n$")
        axes.set_ylim(0, 1)
        axes.legend(frameon=False, loc="lower right")
        return Picture(figure)
