"""List the printed numbers of a notebook, and make mutants of it: one digit or numeral of one number changed.

A printed number is a run of digits that a reader sees as a number or an index: in prose, tables,
captions, alt texts, in displayed and inline mathematics, in quoted code, and in stored text outputs; and a
bound number in words, 四倍. Not counted: digits of listed names (GPT-2), of structure (list numbers,
labels, links, options), and of measured cells.
"""

import copy
import dataclasses
import re

from book_tools.audit.prose import Lines, names, pieces
from book_tools.notebooks.files import is_measured

_NUMBER = re.compile(r"[0-9]+(?:(?:,|\{,\})[0-9]{3})*(?:\.[0-9]+)?")
_ALPHABETS = ("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹", "₀₁₂₃₄₅₆₇₈₉", "一二三四五六七八九", "十百千", "万亿")
_SMALL_DIGITS = re.compile(f"[{_ALPHABETS[1]}]+|[{_ALPHABETS[2]}]+")
_NUMERAL = re.compile("[零〇一二两三四五六七八九十百千万亿]+(?:分之[一二两三四五六七八九十百千万亿]+)?")
_VISIBLE_HTML = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>|&#?\w+;", re.DOTALL | re.IGNORECASE)
_INDEX = re.compile(r"_\{?[0-9,]*$")


@dataclasses.dataclass(frozen=True)
class Site:
    """One printed number: the cell (0-based) and the field of it, its place in that text, its kind."""

    cell: int
    field: tuple
    start: int
    end: int
    kind: str
    line: int

    def text(self, notebook):
        return _get(notebook.cells[self.cell], self.field)[self.start : self.end]


def sites(notebook):
    """List every printed number of a notebook, in order."""
    found = []
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            found.extend(_text_sites(index, ("source",), cell.source))
        elif cell.cell_type == "code" and not is_measured(cell):
            found.extend(_metadata_sites(index, cell))
            found.extend(_output_sites(index, cell))
    return found


def _metadata_sites(index, cell):
    settings = cell.metadata.get("mystnb", {})
    if settings.get("figure", {}).get("caption"):
        field = ("metadata", "mystnb", "figure", "caption")
        yield from _text_sites(index, field, settings["figure"]["caption"])
    if settings.get("image", {}).get("alt"):
        field = ("metadata", "mystnb", "image", "alt")
        for start, end in _numbers(settings["image"]["alt"]):
            yield Site(index, field, start, end, "alt text", 1)


def _text_sites(index, field, text):
    lines = Lines(text)
    for piece in pieces(text):
        if piece.kind == "list":
            continue
        for start, end in _numbers(_without_names(piece.text) if piece.kind == "text" else piece.text):
            kind = _kind(piece, text, piece.start + start)
            yield Site(
                index, field, piece.start + start, piece.start + end, kind, lines.at(piece.start + start)
            )
        if piece.kind == "data" and not re.search("[0-9]", piece.text):
            for match in _NUMERAL.finditer(piece.text):
                start, end = (piece.start + place for place in match.span())
                yield Site(index, field, start, end, "number in words", lines.at(start))


def _kind(piece, text, start):
    if piece.kind == "display":
        return "displayed equation"
    if piece.kind == "math":
        return (
            "index in inline mathematics"
            if _INDEX.search(piece.text[: start - piece.start])
            else "inline mathematics"
        )
    if piece.kind in ("code", "literal"):
        return "quoted code"
    line = text[text.rfind("\n", 0, start) + 1 : start]
    return "table" if line.lstrip().startswith("|") else "alt text" if piece.kind == "alt" else "prose"


def _without_names(text):
    for name in names():
        text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", "·" * len(name), text)
    return text


def _numbers(text):
    yield from (match.span() for match in _NUMBER.finditer(text))
    yield from (match.span() for match in _SMALL_DIGITS.finditer(text))


def _output_sites(index, cell):
    for position, output in enumerate(cell.outputs):
        if output.output_type == "stream":
            yield from _plain_sites(index, ("outputs", position, "text"), output.text, "stored output")
        for mime in ("text/plain", "text/html", "text/markdown", "text/latex"):
            text = output.get("data", {}).get(mime)
            if isinstance(text, str):
                visible = _VISIBLE_HTML.sub(lambda m: "·" * len(m[0]), text) if mime == "text/html" else text
                yield from _plain_sites(index, ("outputs", position, "data", mime), visible, "stored output")


def _plain_sites(index, field, text, kind):
    lines = Lines(text)
    for start, end in _numbers(text):
        yield Site(index, field, start, end, kind, lines.at(start))


def mutate(notebook, site, random):
    """Return a copy of the notebook in which one digit of the number at `site` is another digit."""
    changed = copy.deepcopy(notebook)
    cell = changed.cells[site.cell]
    text = _get(cell, site.field)
    old = text.replace("两", "二")
    place = random.choice([i for i in range(site.start, site.end) if old[i] in "".join(_ALPHABETS)])
    alphabet = next(alphabet for alphabet in _ALPHABETS if old[place] in alphabet)
    digit = random.choice([other for other in alphabet if other != old[place]])
    _set(cell, site.field, text[:place] + digit + text[place + 1 :])
    return changed


def _get(value, field):
    for name in field:
        value = value[name]
    return value


def _set(value, field, text):
    _get(value, field[:-1])[field[-1]] = text
