"""What `show` printed, as small tables; the text itself is folded below them.

A value and its standard error share a row; values under the same names (`a.x`, `a.y`, `b.x`, `b.y`) have rows
and columns, as a matrix has; tokens stand in boxes in which their spaces show; a poem has its lines.
Output that holds anything else stays as it was printed.
"""

import dataclasses
import itertools
import json
import math
import re
from collections.abc import Iterator

from bs4 import BeautifulSoup, Tag
from sphinx.application import Sphinx

from book_tools.audit.printed import printed_lines
from book_tools.language import spoken_in
from book_tools.site.pages import Page, on_page

ROWS = 10  # of one table; more stand beside one another where there is room
WIDEST = 6  # columns of a table that is made of names
ERRORS = ("error", "se")
_STRING = r'"(?:\\.|[^"\\])*"'
_STRINGS = re.compile(rf"\({_STRING}(?:, {_STRING})*\)")
_VERSES = re.compile(r"[^，。？！；]+[，。？！；]?")


@dataclasses.dataclass(frozen=True)
class Value:
    """What stands under one key: a text and perhaps its error, or the rows of a matrix."""

    key: str
    text: str
    rows: tuple[tuple[str, ...], ...] = ()

    @property
    def strings(self) -> list[str]:
        """The strings of a list of them; empty for anything else."""
        is_list = _STRINGS.fullmatch(self.text)
        return [json.loads(part) for part in re.findall(_STRING, self.text)] if is_list else []

    @property
    def verses(self) -> list[str]:
        """The lines of a poem; empty for anything else."""
        (text, *more) = self.strings or [""]
        verses = _VERSES.findall(text)
        return verses if not more and len(verses) > 1 and "".join(verses) == text else []


@dataclasses.dataclass(frozen=True)
class Grid:
    """Values whose keys are each of some names before each of some others."""

    rows: list[str]
    columns: list[str]
    texts: list[list[str]]


def read(text: str) -> list[Value]:
    """Return the values of an output, errors beside what they belong to; none if it holds anything else."""
    found = [Value(key, value.text, value.rows) for key, value in printed_lines(text)]
    if sum(1 + len(value.rows) for value in found) != len(text.splitlines()):
        return []
    merged: list[Value] = []
    for value in found:
        if merged and _is_error(value, merged[-1]):
            merged[-1] = dataclasses.replace(merged[-1], text=_with_error(merged[-1].text, value.text))
        else:
            merged.append(value)
    return merged


def _is_error(value: Value, before: Value) -> bool:
    single = not (value.rows or before.rows or value.text.startswith("("))
    return single and value.key in [f"{before.key}.{name}" for name in ERRORS]


def _with_error(text: str, error: str) -> str:
    unit = text.partition(" ")[2]
    return f"{text.removesuffix(f' {unit}') if unit and error.endswith(unit) else text} ± {error}"


def arrange(values: list[Value]) -> Iterator[Value | Grid]:
    """Yield the values in their order, those under the same names as grids."""
    place = 0
    while place < len(values):
        grids = [_grid(values[place:], cut) for cut in (1, 2, 3, -1)]
        count, grid = max(grids, key=lambda found: found[0])
        yield grid or values[place]
        place += count or 1


def _grid(values: list[Value], cut: int) -> tuple[int, Grid | None]:
    """Return how many of the first values are a grid, with their keys cut in two there, and the grid."""
    groups: dict[str, dict[str, str]] = {}
    for name, group in itertools.groupby(values, key=lambda value: _halves(value, cut)[0]):
        group = list(group)
        texts = {_halves(value, cut)[1]: value.text for value in group}
        if (
            not name
            or name in groups
            or len(texts) < len(group)
            or (groups and [*texts] != [*next(iter(groups.values()))])
        ):
            break
        groups[name] = texts
    if len(groups) < 2 or len(columns := [*next(iter(groups.values()))]) < 2:
        return 0, None
    rows, texts = [*groups], [[*group.values()] for group in groups.values()]
    count = len(rows) * len(columns)
    if len(columns) > len(rows):
        rows, columns, texts = columns, rows, [list(row) for row in zip(*texts, strict=True)]
    return (count, Grid(rows, columns, texts)) if len(columns) <= WIDEST else (0, None)


def _halves(value: Value, cut: int) -> tuple[str, str]:
    """Return the name that groups a single value, the first parts of its key or the last, and the rest."""
    parts = value.key.split(".")
    if len(parts) <= abs(cut) or value.rows or value.text.startswith("("):
        return "", ""
    first, last = ".".join(parts[:cut]), ".".join(parts[cut:])
    return (first, last) if cut > 0 else (last, first)


class Writer:
    """Makes the HTML of one page's values."""

    def __init__(self, soup: BeautifulSoup):
        self.soup = soup

    def tag(self, name: str, *contents: Tag | str, **attributes: str) -> Tag:
        """Return a tag with its contents."""
        made = self.soup.new_tag(name, attrs=attributes)
        made.extend(contents)
        return made

    def blocks(self, values: list[Value]) -> Iterator[Tag]:
        """Yield tables and poems; plain values in a row share a table."""
        for kind, group in itertools.groupby(arrange(values), key=_kind):
            if kind == "plain":
                yield from self.lists(list(group))
            else:
                yield from (getattr(self, kind)(value) for value in group)

    def lists(self, values: list[Value]) -> Iterator[Tag]:
        """Yield tables of a key and its value, of about the same length."""
        size = math.ceil(len(values) / math.ceil(len(values) / ROWS))
        for first in range(0, len(values), size):
            rows = (self.row(value) for value in values[first : first + size])
            yield self.tag("table", *rows)

    def row(self, value: Value) -> Tag:
        """Return the row of a single value, vector or list of tokens."""
        contents = [value.text]
        if value.strings:
            tokens = (self.tag("code", string) for string in value.strings)
            contents = [part for token in tokens for part in (token, " ")][:-1]
        return self.tag("tr", self.tag("th", *self.breakable(value.key)), self.tag("td", *contents))

    def matrix(self, value: Value) -> Tag:
        """Return a matrix with its key before its first row."""
        rows = [self.tag("tr", *(self.tag("td", entry) for entry in row)) for row in value.rows]
        key = self.tag("th", *self.breakable(value.key), rowspan=str(len(rows)))
        rows[0].insert(0, key)
        return self.tag("table", *rows, **{"class": "matrix"})

    def grid(self, grid: Grid) -> Tag:
        """Return a table with names above and before its values."""
        head = self.tag(
            "tr", self.tag("td"), *(self.tag("th", *self.breakable(name)) for name in grid.columns)
        )
        rows = [
            self.tag("tr", self.tag("th", *self.breakable(name)), *(self.tag("td", text) for text in texts))
            for name, texts in zip(grid.rows, grid.texts, strict=True)
        ]
        return self.tag("table", head, *rows, **{"class": "grid"})

    def poem(self, value: Value) -> Tag:
        """Return a poem below its key."""
        lines = [part for verse in value.verses for part in (verse, self.tag("br"))][:-1]
        return self.tag(
            "div", self.tag("p", *self.breakable(value.key)), self.tag("p", *lines), **{"class": "poem"}
        )

    def breakable(self, key: str) -> list[Tag | str]:
        """Return a key that may go on in the next line behind a dot, but within no number."""
        first, *others = re.split(r"\.(?!\d)", key)
        return [first, *(part for other in others for part in (".", self.tag("wbr"), other))]


def _kind(value: Value | Grid) -> str:
    if isinstance(value, Grid):
        return "grid"
    if value.verses:
        return "poem"
    return "matrix" if value.rows else "plain"


def set_tables(page: Page) -> None:
    """Set what each cell of a page printed."""
    write, raw_output = Writer(page.soup), spoken_in(page.soup).site.raw
    for output in page.select("article .cell_output .output.stream"):
        text = output.pre.get_text()
        if values := read(text):
            raw = write.tag(
                "details", write.tag("summary", raw_output), write.tag("pre", text), **{"class": "raw"}
            )
            output.replace_with(write.tag("div", *write.blocks(values), raw, **{"class": "output values"}))


def setup(app: Sphinx) -> dict[str, object]:
    """Set the values of every page."""
    on_page(app, set_tables)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
