"""Test accuracy against the number of training examples (section 9; not numbered)."""

import numpy as np

from .picture import BLUE, ORANGE, WIDTH, Picture, check_filled, check_panels, drawing, name_axis


def accuracy_figure(sizes, curves) -> Picture:
    """Draw one line for each named model, the number of training examples on a logarithmic axis.

    sizes: (K,). curves: name to accuracies from 0 to 1, (K,), or (K, R) for R runs each: the line is then
    their mean, with bars from the worst run to the best. At most three models. Raises ValueError when there
    is nothing to draw, or not one row of accuracies per size.
    """
    check_filled("sizes", sizes)
    if not np.min(sizes) > 0:
        raise ValueError(f"sizes must be numbers above 0; got {np.min(sizes)}.")
    check_panels("curves", curves, 3)
    for name, accuracies in curves.items():
        shape = np.shape(accuracies)
        if len(shape) not in (1, 2) or shape[0] != len(sizes) or 0 in shape:
            raise ValueError(f"{name} must be accuracies of {len(sizes)} sizes; got shape {shape}.")
        if not (np.min(accuracies) >= 0 and np.max(accuracies) <= 1):
            raise ValueError(f"{name} must be accuracies from 0 to 1; got others, or NaN.")
    with drawing(WIDTH, 2.8) as figure:
        axes = figure.subplots()
        for (name, accuracies), (colour, marker) in zip(
            curves.items(), ((BLUE, "o"), (ORANGE, "s"), ("black", "^")), strict=False
        ):
            runs = np.asarray(accuracies, dtype=float).reshape(len(sizes), -1)  # (K, R)
            mean = runs.mean(axis=1)
            spread = [mean - runs.min(axis=1), runs.max(axis=1) - mean]
            axes.errorbar(
                sizes, mean, yerr=spread, color=colour, marker=marker, markersize=4, capsize=2, label=name
            )
        axes.set_xscale("log")
        axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
        axes.xaxis.minorticks_off()
        name_axis(axes, "x", "$n$", "examples")
        name_axis(axes, "y", "acc", "accuracy")
        axes.set_ylim(0, 1)
        axes.legend(frameon=False, loc="lower right")
        return Picture(figure)
