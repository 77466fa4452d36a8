"""The attention weights of one head over the tokens of a real text (section 6; not numbered)."""

import numpy as np

from .picture import (
    SEQUENTIAL,
    TEXT,
    WIDTH,
    Picture,
    check_filled,
    check_panels,
    drawing,
    finite_numbers,
    name_axis,
)


def token_weights_figure(tokens, panels) -> Picture:
    """Draw weights as matrices, rows keys and columns queries, both labelled with the text's tokens.

    tokens: N texts; panels: name to weights (N, N), at most two, each column of which sums to 1.
    Raises ValueError when their sizes differ, and for weights outside 0 to 1.
    """
    check_filled("tokens", tokens)
    check_panels("panels", panels, 2)
    matrices = {name: finite_numbers(name, values, shares=True) for name, values in panels.items()}
    for name, values in matrices.items():
        if values.shape != (len(tokens), len(tokens)):
            raise ValueError(
                f"{name} must be ({len(tokens)}, {len(tokens)}), keys by queries; got {values.shape}."
            )
    # A dollar sign would start a formula.
    labels = [(token.strip() or repr(token)).replace("$", r"\$") for token in tokens]
    height, size = (2.9, 7) if len(matrices) > 1 else (3.4, TEXT)
    with drawing(WIDTH, height) as figure:
        all_axes = np.atleast_1d(figure.subplots(1, len(matrices), sharey=True))
        for axes, (name, values) in zip(all_axes, matrices.items(), strict=True):
            axes.imshow(values, cmap=SEQUENTIAL, vmin=0, vmax=1, aspect="auto")
            axes.set_title(name)
            axes.set_xticks(range(len(labels)), labels, rotation=90, fontsize=size)
            axes.set_yticks(range(len(labels)), labels, fontsize=size)
            axes.tick_params(length=0)
            name_axis(axes, "x", "$n$", "query")
        name_axis(all_axes[0], "y", "$m$", "key")
        return Picture(figure)
