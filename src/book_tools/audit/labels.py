"""Typed numbers and links: each number exists, once, in order; each link says what it leads to.

Equations, figures, tables and exercises are counted anew through the whole book, sections in `_toc.yml`,
works in `references.bib`; what a page types has to agree.
"""

import dataclasses
import functools
import re
from collections import Counter
from urllib.parse import unquote

import yaml

from book_tools import references
from book_tools.audit.prose import pieces
from book_tools.editions.places import folder_of
from book_tools.language import CHINESE
from book_tools.notebooks.files import BOOK, ROOT, pages, read, read_text

CHAPTER = 12
UNNUMBERED = ""  # of a figure
KINDS = ("eq", "fig", "tab", "ex")  # what has a number of its own; how a link says it, `Language.marks`


@dataclasses.dataclass(frozen=True)
class Page:
    """What a page's links can lead to: its title, its section's number, its anchors with their numbers."""

    title: str
    section: int | None
    anchors: dict[str, str | None]  # the number, or without one the heading below it


class Labels:
    """The numbers of a book: each page's Markdown texts, in order, and which pages are numbered sections."""

    def __init__(self, texts, sections=(), works=(), language=CHINESE):
        self.pages, self.counts, self.linked = {}, Counter(), set()
        self.works, self.language = list(works), language
        marks = language.marks
        self.caption = re.compile(rf'<a id="[^"]*"></a>\*\*{marks.figure}\*\*{marks.caption_gap}')
        for name, markdowns in texts.items():
            number = list(sections).index(name) + 1 if name in sections else None
            self.pages[name] = Page(_title(markdowns), number, dict(self._anchors(markdowns)))

    def _anchors(self, markdowns):
        """Yield (id, number) for the anchors of a page, numbers counted and not read."""
        for markdown in markdowns:
            anchor = ""
            for piece in pieces(markdown, self.language):
                if piece.kind == "reference":
                    self.linked.add(unquote(piece.key))
                elif piece.kind == "anchor":
                    anchor = piece.key
                    heading = re.compile(r"[^\n]*\n+#+ (.*)").match(markdown, piece.start)
                    if self.caption.match(markdown, piece.start):
                        yield anchor, UNNUMBERED
                    else:
                        yield anchor, heading[1] if heading and _kind(anchor) not in KINDS else None
                elif piece.kind == "numbered" and piece.key in KINDS:
                    self.counts[piece.key] += 1
                    yield anchor, f"{CHAPTER}.{self.counts[piece.key]}"

    def faults(self, found, page):
        """Yield (place, text, what is wrong) for the typed numbers and the links of one text's pieces."""
        anchor, exercise, page = None, None, page.rpartition("/")[2]
        for piece in found:
            if piece.kind == "foreign":
                yield piece.start, piece.text, "only Sphinx reads this; write plain Markdown"
            elif piece.kind == "touching":
                yield (
                    piece.start,
                    piece.text,
                    "write <!-- --> before a formula in <data>: VS Code draws it then",
                )
            elif piece.kind == "apart":
                yield piece.start, piece.text, "write a link as [text](address), so that both can be compared"
            elif piece.kind == "anchor":
                if anchor:
                    yield anchor.start, anchor.key, "nothing with a number follows this anchor"
                anchor = piece if _kind(piece.key) in KINDS else None
                if not anchor and page in self.pages and f"{page}#{piece.key}" not in self.linked:
                    yield piece.start, piece.key, "no link of the book leads to this anchor"
            elif piece.kind == "numbered":
                if fault := self._number_fault(piece, anchor, exercise, page):
                    yield piece.start, piece.text, fault
                anchor = None if piece.key in (*KINDS, "section") else anchor
                exercise = piece.text if piece.key == "ex" else exercise
            elif piece.kind == "reference" and (fault := self.link_fault(piece.text, piece.key, page)):
                yield piece.start, piece.text, fault
        if anchor:
            yield anchor.start, anchor.key, "nothing with a number follows this anchor"

    def _number_fault(self, piece, anchor, exercise, page):
        """Say what is wrong with a typed number, or return None."""
        own = self.pages.get(page, Page("", None, {}))
        if piece.key == "answer":
            return None if piece.text == exercise else f"this answer stands with exercise {exercise}"
        if piece.key == "section":
            expected = own.section and str(own.section)
            return None if piece.text == expected else f"this page is section {expected} of _toc.yml"
        if anchor is None or _kind(anchor.key) != piece.key:
            return f'put <a id="{_id(piece.key, piece.text)}"></a> before it'
        expected = own.anchors.get(anchor.key)
        if expected is None or piece.text != expected:
            return f"counted through the book, it is {expected}"
        return None if anchor.key == _id(piece.key, expected) else f"its anchor is {_id(piece.key, expected)}"

    def link_fault(self, text, address, page):
        """Say what is wrong with a link within the book, or return None."""
        name, _, anchor = unquote(address).partition("#")
        text = " ".join(text.split())
        target = self.pages.get(name)
        if not name:
            return f"name the page too: {page}{address}"
        if target is None:
            return f"no page of the book is called {name}"
        if not anchor:
            expected = self._page_names(target, page)
        elif name == references.PAGE:
            expected = [f"[{self.works.index(anchor) + 1}]"] if anchor in self.works else []
        elif anchor not in target.anchors:
            expected = []
        else:
            called = target.anchors[anchor]
            expected = [self.language.marks.names.get(_kind(anchor), "%s") % called] if called else []
            if called == UNNUMBERED:
                expected = list(self.language.marks.beside)
        if not expected:
            return f"{name} has no anchor {anchor!r} of a thing with a name"
        return None if text in expected else f"a link there says {' or '.join(expected)}"

    def _page_names(self, target, page):
        """List how a link may name a page; without a number by its title, or its head."""
        marks = self.language.marks
        if target.section is None:
            titles = [target.title, target.title.partition(marks.title_end)[0]]
            titles += [title[:1].lower() + title[1:] for title in titles]  # within a sentence
            return list(dict.fromkeys(titles))
        own = self.pages[page].section if page in self.pages else None
        beside = {1: [marks.next], -1: [marks.previous]}.get(target.section - own, []) if own else []
        return [marks.names["section"] % target.section, target.title, *beside]


def _kind(anchor):
    return anchor.partition("-")[0]


def _id(kind, number):
    return f"{kind}-{number.replace('.', '-')}"


def _title(markdowns):
    lines = (line for markdown in markdowns for line in markdown.splitlines())
    return re.sub(r"^# (?:\d+\. )?", "", next((line for line in lines if line.startswith("# ")), ""))


@functools.cache
def book_labels(language=CHINESE):
    """The labels of an edition of the book on disk."""
    texts = {
        path.name: [cell.source for cell in read(path).cells if cell.cell_type == "markdown"]
        if path.suffix == ".ipynb"
        else [read_text(path)]
        for path in pages(folder=folder_of(language))
    }
    parts = yaml.safe_load(read_text(ROOT / "_toc.yml"))["parts"]
    files = [chapter["file"] for part in parts if part.get("numbered") for chapter in part["chapters"]]
    return Labels(texts, [f"{name}.ipynb" for name in files], references.works(BOOK), language)
