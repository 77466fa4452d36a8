"""One small drawing a section, for the cards of the front page: SVG in the colour of the text around it.

Where a section has a picture of numbers the drawing holds the same numbers, computed by the library.
"""

from collections.abc import Callable, Iterable

import numpy as np

from transformer_book import equations

WIDTH, HEIGHT = 96, 54
LINE = 'fill="none" stroke="currentColor"'  # in the drawing itself: books have their own style sheets
POINTS = np.array([[0, 1, 1], [1, 0, 1]]).T @ np.array([[1, 0, 1], [0, 1, 1]])  # scores to draw, (3, 3)


def box(x: float, y: float, width: float, height: float, opacity: float = 1.0) -> str:
    """A filled rectangle."""
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill-opacity="{opacity:.2f}"/>'


def frame(x: float, y: float, width: float, height: float) -> str:
    """An empty rectangle."""
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" {LINE} stroke-width="2"/>'


def line(points: str) -> str:
    """A line along an SVG path."""
    return f'<path d="{points}" {LINE} stroke-width="2"/>'


def cells(values: np.ndarray, x: float, y: float, size: float) -> Iterable[str]:
    """Squares as dark as the values (rows, columns), which lie between 0 and 1."""
    for (row, column), value in np.ndenumerate(values):
        yield box(x + column * size, y + row * size, size - 1, size - 1, 0.08 + 0.92 * float(value))


def bars(
    values: np.ndarray, x: float, width: float = 7, base: float = 46, height: float = 38
) -> Iterable[str]:
    """Bars as high as the values, which lie between 0 and 1."""
    for index, value in enumerate(values):
        tall = max(1.0, height * float(value))
        yield box(x + index * (width + 2), base - tall, width, tall, 0.85)


def tokens() -> Iterable[str]:
    """A line of text, cut into boxes."""
    yield line("M8 14H88")
    for x, width in ((8, 22), (33, 12), (48, 26), (77, 11)):
        yield box(x, 26, width, 16, 0.75)


def self_attention() -> Iterable[str]:
    """Three vectors, each with an arc to every other."""
    weights = equations.softmax(POINTS.astype(float))
    for query in range(3):
        for key in range(3):
            if key != query:
                x, y = 18 + 30 * query, 18 + 30 * key
                width = 5 * weights[key, query]
                yield (
                    f'<path d="M{x} 40A{abs(x - y) / 2} 22 0 0 {int(y > x)} {y} 40" {LINE} '
                    f'stroke-width="{width:.2f}" stroke-opacity="0.6"/>'
                )
    for x in (18, 48, 78):
        yield f'<circle cx="{x}" cy="42" r="5"/>'


def matrix_form() -> Iterable[str]:
    """A matrix times a matrix."""
    yield from cells(equations.softmax(POINTS.astype(float)), 55, 13, 10)
    for x in range(4):
        yield box(8 + 9 * x, 13, 7, 28, 0.35 + 0.15 * x)
    yield line("M47 24l6 6m0-6l-6 6")


def scaling() -> Iterable[str]:
    """The same scores through the softmax, as they are and divided by the square root of 64."""
    scores = np.random.default_rng(12).normal(size=(64, 2, 4)).prod(axis=1).sum(axis=0)[:, None]
    yield from bars(equations.softmax(scores)[:, 0], 8)
    yield from bars(equations.softmax(scores / 8)[:, 0], 54)


def positions() -> Iterable[str]:
    """Sinusoidal codes of sixteen positions."""
    yield from cells((equations.sinusoidal(np.arange(15), 8) + 1) / 2, 9, 6, 5.2)


def heads() -> Iterable[str]:
    """Heads side by side: the previous token, the first, the token itself, all before."""
    N = 5
    before, first = np.eye(N, k=1), np.zeros((N, N))
    first[0] = 1
    spread = np.triu(np.ones((N, N))) / np.arange(1, N + 1)
    for x, y, table in ((22, 3, before), (50, 3, first), (22, 29, np.eye(N)), (50, 29, spread)):
        yield from cells(table, x, y, 4.8)


def layer() -> Iterable[str]:
    """The residual path with two blocks on it."""
    yield line("M6 40H90m-5-4l5 4l-5 4")
    for x in (18, 54):
        yield box(x + 4, 10, 20, 16, 0.75)
        yield line(f"M{x - 6} 40V18h10m20 0h6v22")


def masks() -> Iterable[str]:
    """Who sees whom: everybody, those before, and another sequence."""
    N = 5
    for x, table in ((5, np.ones((N, N))), (36, np.triu(np.ones((N, N)))), (67, np.ones((N, 3)))):
        yield from cells(0.8 * table, x, 14, 5.2)


def beyond_text() -> Iterable[str]:
    """A picture cut into patches."""
    for row in range(3):
        for column in range(3):
            yield frame(8 + 14 * column, 6 + 14 * row, 13, 13)
    yield line("M13 40C14 20 22 14 28 14S42 22 42 40")
    yield line("M54 27h8m-4-4l4 4l-4 4")
    for index in range(5):
        yield box(67, 5 + 9 * index, 20, 7, 0.3 + 0.14 * index)


def limits() -> Iterable[str]:
    """Other weights, the same answer."""
    yield from bars(np.array([0.9, 0.2, 0.1]), 8)
    yield from bars(np.array([0.1, 0.5, 0.6]), 62)
    yield line("M41 22h12M41 30h12")


def summary() -> Iterable[str]:
    """A list, ticked off."""
    for y in (12, 27, 42):
        yield line(f"M14 {y}l4 4l7-8")
        yield box(34, y - 2, 46, 4, 0.6)


def notes() -> Iterable[str]:
    """A power law: a straight line on logarithmic axes."""
    yield line("M12 6V46H90")
    yield line("M18 12L84 40")
    for x in range(5):
        yield f'<circle cx="{18 + 16.5 * x}" cy="{12 + 7 * x}" r="3"/>'


def exercises() -> Iterable[str]:
    """Three questions, harder and harder."""
    for row in range(3):
        yield box(40, 10 + 15 * row, 48, 4, 0.45)
        for star in range(row + 1):
            yield f'<circle cx="{30 - 10 * star}" cy="{12 + 15 * row}" r="3.5"/>'


DRAWINGS: dict[str, Callable[[], Iterable[str]]] = {
    "01_tokens": tokens,
    "02_self_attention": self_attention,
    "03_matrix_form": matrix_form,
    "04_scaling": scaling,
    "05_positions": positions,
    "06_multi_head": heads,
    "07_layer": layer,
    "08_masks": masks,
    "09_beyond_text": beyond_text,
    "10_limits": limits,
    "11_summary": summary,
    "12_notes": notes,
    "13_exercises": exercises,
}


def pictogram(name: str) -> str:
    """Return the drawing of a section as SVG; what it shows the card says in words.

    Raises KeyError for a page that has none.
    """
    return (
        f'<svg class="pictogram" viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true" focusable="false">'
        f"{''.join(DRAWINGS[name]())}</svg>"
    )
