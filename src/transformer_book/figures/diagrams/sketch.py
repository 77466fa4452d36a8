"""What the diagrams share: an empty sheet measured in inches, matrices with numbers, boxes and arrows."""

import contextlib

import numpy as np
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle

from transformer_book.figures.picture import BLUE, GREY, SEQUENTIAL, drawing, finite_numbers
from transformer_book.printing import format_number

PALE = (BLUE, 0.14)
LINE = GREY


@contextlib.contextmanager
def sheet(width: float, height: float):
    """A figure of this size in inches and its axes, in which one unit is one inch and y goes up."""
    with drawing(width, height) as figure:
        figure.set_layout_engine("none")
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, width), ylim=(0, height))
        axes.axis("off")
        yield figure, axes


def matrix_of(name: str, values, shape=(None, None)) -> np.ndarray:
    """Return values as a matrix of finite numbers and of this shape (None: any size); else ValueError."""
    values = finite_numbers(name, values)
    fits = values.ndim == 2 and values.size
    if not fits or any(size not in (None, got) for size, got in zip(shape, values.shape, strict=True)):
        wanted = " × ".join("any" if size is None else str(size) for size in shape)
        raise ValueError(f"{name} must be a matrix of {wanted} numbers; got shape {values.shape}.")
    return values


def label(axes, x, y, text, **options):
    """Write a text with its middle at a point."""
    axes.text(x, y, text, **{"ha": "center", "va": "center"} | options)


def matrix(axes, left, top, values, *, cell=(0.3, 0.3), digits=None, edge=LINE, gaps=0.0):
    """Draw a matrix: one box an entry, the darker the larger, with its number where digits are given.

    gaps: inches between columns, so that they read as columns. Returns the middle of its lower edge.
    """
    width, height = cell
    rows, columns = values.shape
    # The scale ends well above the largest value, so that black digits stand out on every cell.
    low, high = min(0, values.min()), max(values.max(), 0)
    shades = SEQUENTIAL((values - low) / max(1.6 * (high - low), 1e-12))
    for row in range(rows):
        for column in range(columns):
            x, y = left + column * (width + gaps), top - (row + 1) * height
            axes.add_patch(
                Rectangle((x, y), width, height, facecolor=shades[row, column], edgecolor=edge, linewidth=0.8)
            )
            if digits is not None:
                number = format_number(float(values[row, column]), digits)
                label(axes, x + width / 2, y + height / 2 - 0.01, number)
    return left + (columns * (width + gaps) - gaps) / 2, top - rows * height


def box(axes, left, bottom, width, height, text="", *, colour="white", edge=BLUE, **options):
    """Draw a box with rounded corners and a text in it."""
    style = "round,pad=0,rounding_size=0.05"
    axes.add_patch(
        FancyBboxPatch((left, bottom), width, height, boxstyle=style, facecolor=colour, edgecolor=edge)
    )
    label(axes, left + width / 2, bottom + height / 2 - 0.01, text, **options)


def arrow(axes, start, end, *, colour="black", width=1.0, bend=0.0):
    """Draw an arrow from a point to a point."""
    axes.add_patch(
        FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=9, shrinkA=0, shrinkB=0, color=colour,
                        linewidth=width, connectionstyle=f"arc3,rad={bend}")
    )  # fmt: skip


def plane(axes, x, y):
    """Make axes a plane of points from x[0] to x[1] and y[0] to y[1], without ticks or frame."""
    axes.set(xlim=x, ylim=y, aspect="equal", xticks=[], yticks=[])
    for side in axes.spines.values():
        side.set_visible(False)


def vector(axes, tip, colour, width=1.8, name="", aside=(0, 0)):
    """Draw a vector from the origin, and its name beside its tip."""
    looks = {"arrowstyle": "-|>", "color": colour, "linewidth": width, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", tip, (0, 0), arrowprops=looks)
    label(axes, tip[0] + aside[0], tip[1] + aside[1], name, color=colour)


def path(axes, points, *, colour="black", width=1.0):
    """Draw a line through points, with an arrow head at its last one."""
    xs, ys = zip(*points[:-1], strict=True)
    axes.plot(xs, ys, color=colour, linewidth=width, solid_joinstyle="miter", solid_capstyle="butt")
    arrow(axes, points[-2], points[-1], colour=colour, width=width)
