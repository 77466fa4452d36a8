"""What a head gives a verb's subject and its distractor, sentence by sentence (section 6; not numbered)."""

import numpy as np

from .picture import BLUE, GREY, ORANGE, WIDTH, Picture, check_panels, drawing, name_axis


def subject_head_figure(groups) -> Picture:
    """Draw two dots a sentence, the weight on the subject (round) and on the distractor (square), joined.

    groups: name to weights (sentences, 2), subject first. The line is orange where the distractor wins.
    Raises ValueError for weights of another shape, or none.
    """
    check_panels("groups", groups, 6)
    groups = {name: np.asarray(values, dtype=float) for name, values in groups.items()}
    for name, values in groups.items():
        if values.ndim != 2 or values.shape[1] != 2 or values.size == 0:
            raise ValueError(
                f"{name} must be (sentences, 2), subject and distractor; got shape {values.shape}."
            )
    with drawing(WIDTH, 2.7) as figure:
        axes = figure.subplots()
        start, middles = 0, []
        for values in groups.values():
            places = start + np.arange(len(values))
            for x, (subject, distractor) in zip(places, values, strict=True):
                axes.plot(
                    [x, x], [subject, distractor], color=BLUE if subject > distractor else ORANGE, linewidth=1
                )
            axes.plot(places, values[:, 0], "o", color=BLUE, markersize=4.5)
            axes.plot(places, values[:, 1], "s", color=GREY, markersize=3.5)
            middles.append(places.mean())
            start += len(values) + 2
        axes.set_xticks(middles, list(groups))
        axes.tick_params(axis="x", length=0)
        axes.set(ylim=(-0.03, 1.03), yticks=[0, 0.5, 1])
        name_axis(axes, "y", "$a_{mn}$", "weight")
        return Picture(figure)
