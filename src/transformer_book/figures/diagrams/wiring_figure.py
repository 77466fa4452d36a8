"""Encoder and decoder, and the cross-attention that joins them, with shapes (section 8)."""

from transformer_book.checks.numbers import check_whole
from transformer_book.figures.picture import BLUE, GREY, ORANGE, Picture

from .sketch import PALE, arrow, box, label, path, sheet

_LEFT, _RIGHT, _WIDTH = 0.3, 2.7, 1.35


def wiring_figure(config, num_sources: int, num_targets: int) -> Picture:
    """Draw an encoder-decoder for M source and N target tokens; norms and residual paths are left out.

    config: an `EncoderDecoderConfig`; num_sources: M; num_targets: N. Queries of the cross-attention come
    from the decoder, keys and values (orange) from the encoder's output.
    """
    check_whole("num_sources", num_sources)
    check_whole("num_targets", num_targets)
    D, M, N, L = config.dim, num_sources, num_targets, config.num_layers
    outputs = config.target_vocabulary_size or config.vocabulary_size
    source, target = _LEFT + _WIDTH / 2, _RIGHT + _WIDTH / 2
    with sheet(4.8, 5.35) as (figure, axes):
        for left, bottom, height in ((_LEFT, 1.0, 1.42), (_RIGHT, 1.0, 3.08)):
            box(axes, left - 0.2, bottom, _WIDTH + 0.4, height, colour=(GREY, 0.07), edge=GREY)
        label(axes, _LEFT - 0.1, 2.56, rf"$\times {L}$", ha="left")
        label(axes, _RIGHT + _WIDTH + 0.1, 4.24, rf"$\times {L}$", ha="right")
        for x, name, columns, y in ((source, "M", M, 0.42), (target, "N", N, 0.42), (source, "M", M, 2.95)):
            label(axes, x, y, rf"$D \times {name} = {D} \times {columns}$")
        _block(axes, _LEFT, 1.16, "MhSa", r"$m \leq M$")
        _block(axes, _LEFT, 1.84, "MLP")
        _block(axes, _RIGHT, 1.16, "MhSa", r"$m \leq n$")
        _block(axes, _RIGHT, 2.5, "MhSa", rf"$\mathbf{{A}}:\ {M} \times {N}$", edge=ORANGE)
        _block(axes, _RIGHT, 3.5, "MLP")
        _block(axes, _RIGHT, 4.5, "softmax")
        for x, steps in {source: [(0.56, 1.16), (1.62, 1.84), (2.3, 2.81)],
                         target: [(0.56, 1.16), (1.62, 2.5), (2.96, 3.5), (3.96, 4.5)]}.items():  # fmt: skip
            for start, end in steps:
                arrow(axes, (x, start), (x, end))
        label(axes, target + 0.06, 2.06, rf"$\mathbf{{Q}}:\ {D} \times {N}$", ha="left")
        path(axes, [(source, 3.09), (source, 3.3), (2.28, 3.3), (2.28, 2.73), (_RIGHT, 2.73)],
             colour=ORANGE, width=1.8)  # fmt: skip
        label(
            axes, (source + 2.28) / 2, 3.46, rf"$\mathbf{{K}},\ \mathbf{{V}}:\ {D} \times {M}$", color=ORANGE
        )
        label(axes, target, 5.12, rf"$|\mathcal{{V}}| \times N = {outputs} \times {N}$")
        return Picture(figure)


def _block(axes, left, bottom, name, note="", edge=BLUE):
    """A box with a name, and under the name what it sees."""
    box(axes, left, bottom, _WIDTH, 0.46, colour=PALE, edge=edge)
    middle = left + _WIDTH / 2
    label(axes, middle, bottom + (0.32 if note else 0.22), name)
    label(axes, middle, bottom + 0.12, note)
