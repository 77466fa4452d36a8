"""What every figure shares: one look, and a picture whose bytes are the same on every drawing.

All colours are black, white, BLUE, ORANGE and GREY, or one of these with an opacity: the site gives each its
counterpart in the dark, and what lies below shows through.
"""

import contextlib
import functools
import io
from pathlib import Path

import matplotlib.style
import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from transformer_book.checks.messages import must_be
from transformer_book.storage.files import write_atomically

from .fonts import families, one_warning
from .svg import AXIS, SETTINGS, as_svg

# Okabe and Ito's colours: different with every common form of colour blindness, and in grey.
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#6B6B6B"
_FAINT = 0.03  # the least opacity of a cell: what is drawn can be told from what is not
# The larger the denser, in grey as well.
SEQUENTIAL = LinearSegmentedColormap.from_list("book", [(BLUE, _FAINT), (BLUE, 1.0)])

DPI = 200
_ROUNDING = 1e-6  # a weight of 1 in float32 may be a little more
TEXT = 11.2  # points: at 4.8 inches, 11 pixels on a phone, where a figure is 350 pixels wide
_STYLE = {
    "font.size": TEXT,
    "mathtext.fontset": "dejavusans",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": TEXT,
    "legend.handlelength": 1.5,
    "axes.titlelocation": "left",
    "figure.facecolor": "white",
    "axes.facecolor": "none",
    "image.composite_image": False,
    "image.interpolation": "none",  # a cell is a pixel of the file, whatever the size of the drawing
    **SETTINGS,
    "lines.linewidth": 1.6,
}
WIDTH = 4.8  # inches


class Picture:
    """A finished drawing: shows itself in Jupyter, and `figure` is matplotlib's own object to work on.

    It shows itself as SVG, a photograph as PNG.
    """

    def __init__(self, figure: Figure, photograph: bool = False):
        self.figure, self.photograph = figure, photograph
        with one_warning():
            self.svg = None if photograph else self._drawn(as_svg, figure, TEXT)

    @functools.cached_property
    def png(self) -> bytes:
        """The drawing as PNG. No software's name or date: the same drawing gives the same bytes."""
        stream = io.BytesIO()
        with one_warning():
            self._drawn(self.figure.savefig, stream, format="png", dpi=DPI, metadata={"Software": None})
        return stream.getvalue()

    def _drawn(self, draw, *arguments, **options):
        with matplotlib.style.context(_look()):
            return draw(*arguments, **options)

    def _repr_svg_(self) -> str | None:
        return self.svg

    def _repr_png_(self) -> bytes | None:
        return self.png if self.photograph else None

    def __repr__(self) -> str:
        width, height = self.figure.get_size_inches() * DPI
        return f"Picture({width:.0f} × {height:.0f})"

    def save(self, path) -> None:
        """Write a file, whole or not at all: SVG where its name ends so, else PNG."""
        vectors = self.svg is not None and Path(path).suffix == ".svg"
        write_atomically(path, self.svg.encode() if vectors else self.png)


def name_axis(axes, side: str, symbol: str, name: str, **options) -> None:
    """Write a symbol at the axis `side`, "x" or "y"; the site puts an edition's word for `name` with it."""
    label = getattr(axes, f"set_{side}label")(symbol, **options)
    label.set_gid(AXIS + name)


def check_panels(name: str, panels, most: int) -> None:
    """Raise unless panels are a dict (TypeError) of at least one entry and as many as there is room for."""
    if not isinstance(panels, dict):
        raise TypeError(f"{name} must be a dict; got {type(panels).__name__}.")
    if not 0 < len(panels) <= most:
        raise ValueError(f"{name} must be 1 to {most} entries; got {len(panels)}.")


def check_filled(name: str, values) -> None:
    """Raise ValueError when there is nothing to draw."""
    if np.size(values) == 0:
        raise ValueError(f"{name} must be something to draw; got nothing.")


def finite_numbers(name: str, values, *, shares: bool = False) -> np.ndarray:
    """Return values as an array; ValueError unless they are finite numbers, with shares=True from 0 to 1."""
    if hasattr(values, "detach"):  # a torch tensor, recognised without importing torch
        values = values.detach().cpu()
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    right = (array >= 0) & (array <= 1 + _ROUNDING) if shares else np.isfinite(array)
    if isinstance(values, np.ma.MaskedArray) or not right.all():
        wanted = "numbers from 0 to 1" if shares else "finite numbers"
        raise ValueError(must_be(name, wanted, "others, or NaN"))
    return array


@contextlib.contextmanager
def drawing(width: float, height: float):
    """An empty figure of this size in inches, in the book's look whatever the reader's own settings are."""
    with matplotlib.style.context(_look()):
        yield Figure(figsize=(width, height), layout="constrained")


def _look():
    return ["default", _STYLE | {"font.family": families()}]
