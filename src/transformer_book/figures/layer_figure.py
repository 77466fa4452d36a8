"""Figure 12.3: one pre-norm Transformer layer; only the attention passes anything between columns."""

from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle

from .picture import BLUE, ORANGE, Picture, drawing

_PITCH = 0.62  # inches from one column to the next
_CENTRES = [1.0 + _PITCH * n for n in range(4)]
_LEFT, _RIGHT = _CENTRES[0] - 0.25, _CENTRES[-1] + 0.25


def layer_figure() -> Picture:
    """Draw figure 12.3, upwards: X, norm, attention across columns, +, norm, MLP within columns, +, X.

    The residual connections are orange: they leave before a norm and come back at the sum, past each branch.
    """
    with drawing(3.9, 5.6) as figure:
        figure.set_layout_engine("none")
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, 3.9), ylim=(0, 5.6))
        axes.axis("off")
        _tokens(axes, 0.15)
        _each(axes, 1.15, "LN")
        _across(axes, 1.7, "MhSa")
        _sum(axes, 2.45)
        _each(axes, 3.15, "LN")
        _each(axes, 3.7, "MLP")
        _sum(axes, 4.25)
        _tokens(axes, 4.85)
        steps = [(0.7, 1.15), (1.45, 1.7), (2.2, 2.45), (2.65, 3.15), (3.45, 3.7), (4.0, 4.25), (4.45, 4.85)]
        for start, end in steps:
            for x in _CENTRES:
                _arrow(axes, x, start, x, end)
        _residual(axes, 0.88, 2.55)
        _residual(axes, 2.85, 4.35)
        return Picture(figure)


def _tokens(axes, y):
    """The matrix X, one narrow rectangle a column."""
    for n, x in enumerate(_CENTRES, start=1):
        axes.add_patch(Rectangle((x - 0.13, y), 0.26, 0.55, facecolor=(BLUE, 0.14), edgecolor=BLUE))
        axes.text(x, y + 0.27, rf"$\mathbf{{x}}_{n}$", ha="center", va="center")
    axes.text(_RIGHT + 0.1, y + 0.27, r"$D \times N$", va="center")


def _each(axes, y, name):
    """The same function on every column: one box each."""
    for x in _CENTRES:
        _box(axes, x - 0.25, x + 0.25, y, 0.3)
        axes.text(x, y + 0.14, name, ha="center", va="center")


def _across(axes, y, name):
    """A function that mixes the columns: one box for all, with the paths between columns drawn in."""
    _box(axes, _LEFT, _RIGHT, y, 0.5, (BLUE, 0.14))
    for below in _CENTRES:
        for above in _CENTRES:
            axes.plot([below, above], [y + 0.02, y + 0.48], color=BLUE, linewidth=0.5, alpha=0.6)
    background = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
    axes.text((_LEFT + _RIGHT) / 2, y + 0.25, name, ha="center", va="center", bbox=background)


def _sum(axes, y):
    """The matrix sum: a bar across, a plus in every column."""
    _box(axes, _LEFT, _RIGHT, y, 0.2, edge=ORANGE)
    for x in _CENTRES:
        axes.text(x, y + 0.09, "+", ha="center", va="center", color=ORANGE, fontsize=12)


def _residual(axes, start, end):
    """All columns leave below a branch, together, and come back at its sum."""
    side = _LEFT - 0.35
    path_x, path_y = [_CENTRES[-1], side, side], [start, start, end]
    axes.plot(path_x, path_y, color=ORANGE, linewidth=1.8, solid_joinstyle="round")
    axes.plot(_CENTRES, [start] * len(_CENTRES), "o", color=ORANGE, markersize=4)
    _arrow(axes, side, end, _LEFT, end, ORANGE, 1.8)


def _box(axes, left, right, y, height, colour="white", edge=BLUE):
    style = "round,pad=0,rounding_size=0.05"
    axes.add_patch(
        FancyBboxPatch((left, y), right - left, height, boxstyle=style, facecolor=colour, edgecolor=edge)
    )


def _arrow(axes, x0, y0, x1, y1, colour="black", width=0.9):
    axes.add_patch(
        FancyArrowPatch((x0, y0), (x1, y1), arrowstyle="-|>", mutation_scale=8, shrinkA=0, shrinkB=0,
                        color=colour, linewidth=width)
    )  # fmt: skip
