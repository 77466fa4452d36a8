"""List the printed numbers of a notebook, and make mutants of it: one digit, numeral or link changed.

The numbers are found in the source by the plain patterns below, not by the audit's reader, so that a number
which that reader drops is tried all the same. They are runs of digits that a reader sees as a number or an
index: in prose, tables, alt texts, mathematics, quoted code, names (GPT-2), and in stored text outputs;
numbers in words, sixteen; and links: where each leads, and the anchors that they lead to. Not counted: marks
of lists, addresses elsewhere, and measured cells.
"""

import copy
import dataclasses
import functools
import re

from book_tools import references
from book_tools.audit.prose import Lines, names
from book_tools.editions.places import editions, folder_of
from book_tools.language import CHINESE, LANGUAGES
from book_tools.notebooks.files import is_measured, pages, read_page

_NUMBER = re.compile(r"[0-9]+(?:(?:,|\{,\})[0-9]{3})*(?:\.[0-9]+)?")
_ALPHABETS = ("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹", "₀₁₂₃₄₅₆₇₈₉")
_ALPHABETS += tuple(group for language in LANGUAGES.values() for group in language.numbers.digits)
_ALIKE = str.maketrans({a: b for language in LANGUAGES.values() for a, b in language.numbers.alike.items()})
_SMALL_DIGITS = re.compile(f"[{_ALPHABETS[1]}]+|[{_ALPHABETS[2]}]+")
_VISIBLE_HTML = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>|&#?\w+;", re.DOTALL | re.IGNORECASE)
_INDEX = re.compile(r"_\{?[0-9,]*$")
HIDDEN = re.compile(
    r"<!--.*?-->|<[a-zA-Z/](?:\"[^\"\n]*\"|[^\"<>$])*>|(?<=\])\([^()\s]*(?:\s\"[^\"]*\")?\)"
    r"|https?://[^\s)>\]，。；、）]+|^[ >]*\d+[.)](?=\s)|&#\d+;",
    re.DOTALL | re.MULTILINE,
)
_MATH = re.compile(r"\$\$.*?\$\$|(?<![\\`])\$[^$]+\$", re.DOTALL)
_CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.DOTALL | re.MULTILINE)
_DATA = re.compile(r"<data value[^>]*>(.*?)</data>", re.DOTALL)
_LINK = re.compile(r"(?<=\]\()[^()\s:]+(?=\))")
_ANCHOR = re.compile(r"(?<=<a id=\")[^\"]+(?=\")")


def changeable_pages():
    """List the pages of all editions that are tried: all but the references, which their own file makes."""
    folders = [folder_of(language) for language in editions()]
    return [path for folder in folders for path in pages(folder=folder) if path.name != references.PAGE]


@dataclasses.dataclass(frozen=True)
class Site:
    """One printed number: the cell (0-based) and the field of it, its place in that text, its kind.

    A name or a link is changed as a whole, into one of `others`.
    """

    cell: int
    field: tuple
    start: int
    end: int
    kind: str
    line: int
    others: tuple[str, ...] = ()

    def text(self, notebook):
        return _get(notebook.cells[self.cell], self.field)[self.start : self.end]


def sites(notebook, language=CHINESE):
    """List every printed number of a notebook, in order."""
    found = []
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            found.extend(_text_sites(index, cell.source, language))
        elif cell.cell_type == "code" and not is_measured(cell):
            found.extend(_metadata_sites(index, cell, language))
            found.extend(_output_sites(index, cell))
    return found


def _metadata_sites(index, cell, language):
    alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
    field = ("metadata", "mystnb", "image", "alt")
    for start, end in _numbers(alt):
        yield Site(index, field, start, end, "alt text", 1)
    for start, end in _words(alt, language):
        yield Site(index, field, start, end, "alt text", 1, _other_words(alt[start:end], language))


def _text_sites(index, text, language):
    """Yield what can be changed in a Markdown text, as the patterns above find it."""
    lines = Lines(text)
    math, code = (_spans(pattern, text) for pattern in (_MATH, _CODE))
    seen = HIDDEN.sub(lambda match: match[0] if _within(match.start(), code) else " " * len(match[0]), text)

    def site(start, end, kind, others=()):
        return Site(index, ("source",), start, end, kind, lines.at(start), tuple(others))

    for name in _names().finditer(seen):
        if not _within(name.start(), math):
            yield site(*name.span(), "name", _other_names(name[0]))
    seen = _blank(_names(), seen)
    for start, end in _numbers(seen):
        kind = "quoted code" if _within(start, code) else _kind(text, start, _within(start, math))
        yield site(start, end, kind)
    for place in math + code:
        seen = seen[: place[0]] + " " * (place[1] - place[0]) + seen[place[1] :]
    for start, end in _words(seen, language, _spans(_DATA, text)):
        yield site(start, end, "number in words", _other_words(text[start:end], language))
    for pattern, kind in ((_LINK, "link"), (_ANCHOR, "anchor")):
        for match in pattern.finditer(text):
            if not _within(match.start(), code):
                yield site(*match.span(), kind, _others(pattern) - {match[0]})


def _words(text, language, bound=()):
    """Yield the places of numbers in words, those of any size where the text is bound to a value."""
    text = _blank(language.not_numbers, text)
    inside = [
        (low + match.start(), low + match.end())
        for low, high in bound
        for match in language.numbers.bound.finditer(text[low:high])
    ]
    yield from inside
    for match in language.numbers.plain.finditer(text):
        if not any(low < match.end() and match.start() < high for low, high in inside):
            yield match.span()


def _other_words(text, language):
    """The numerals that one of a language of words can be mistaken for: one word of it is another."""
    return tuple(
        text[: match.start()] + other + text[match.end() :]
        for match in re.finditer(r"\w+", text)
        for group in language.numbers.words
        for other in group
        if match[0].lower() in group and other != match[0].lower()
    )


def _blank(pattern, text):
    return pattern.sub(lambda match: " " * len(match[0]), text)


def _spans(pattern, text):
    return [match.span(match.lastindex or 0) for match in pattern.finditer(text)]


def _within(place, spans):
    return any(low <= place < high for low, high in spans)


@functools.cache
def _names():
    return re.compile("|".join(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])" for name in names()))


def _other_names(name):
    for match in re.finditer("[0-9]", name):
        for digit in "0123456789":
            other = name[: match.start()] + digit + name[match.end() :]
            if other not in names():
                yield other


@functools.cache
def _others(pattern):
    """All links within the book, or all its anchors: what one of them can be mistaken for."""
    texts = [
        cell.source for path in pages() for cell in read_page(path).cells if cell.cell_type == "markdown"
    ]
    return {found for text in texts for found in pattern.findall(text)}


def _kind(text, start, in_math):
    line = text[text.rfind("\n", 0, start) + 1 : start]
    if in_math and text[:start].count("$$") % 2:
        return "displayed equation"
    if in_math:
        return "index in inline mathematics" if _INDEX.search(line) else "inline mathematics"
    return "table" if line.lstrip().startswith("|") else "prose"


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
    changed = copy.copy(notebook)  # one cell is another: a copy of all cells takes longer than most checks
    changed.cells = list(notebook.cells)
    cell = changed.cells[site.cell] = copy.deepcopy(notebook.cells[site.cell])
    text = _get(cell, site.field)
    if site.others:
        _set(cell, site.field, text[: site.start] + random.choice(sorted(site.others)) + text[site.end :])
        return changed
    old = text.translate(_ALIKE)
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
