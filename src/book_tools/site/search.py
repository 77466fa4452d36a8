"""Full-text search by section, in the page: text as it stands, numbers, what has a number by its name.

Sphinx's own search cuts the text into words and knows whole pages only. Here the page that searches holds the
text of every section, and `scripts/search-page.js` looks through it; `static/search-words.js` says what
counts as the same text.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bs4 import BeautifulSoup, NavigableString, Tag
from sphinx.application import Sphinx

from book_tools.language import Language, spoken_by
from book_tools.site.pages import Page, on_page
from book_tools.site.previews import NUMBERED
from book_tools.site.scripts import write_script

NOISE = {"noscript", "script", "style", "annotation"}
OF_FORM = {"legend", "button"}
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
NUMBERS = {"eqno", "caption-number"}
SPHINX_OWN = ("searchtools.js", "language_data.js")  # Sphinx copies them with or without an index

Section = tuple[str, str, str]  # id, title, text


@dataclass
class Piece:
    """What a section or a numbered thing holds outside the pieces within it."""

    id: str
    is_section: bool
    text: list[str] = field(default_factory=list)
    title: list[str] | None = None

    def is_named_by(self, tag: Tag) -> bool:
        """Say whether this tag is the title: a section's first heading, a thing's number."""
        own = tag.name in HEADINGS if self.is_section else NUMBERS & classes(tag)
        return self.title is None and bool(own)

    def name(self, language: Language) -> str:
        """Return the title; an equation has its number alone, in brackets."""
        name = _line(self.title or [])
        bare = not self.is_section and name.startswith("(")
        return language.site.equation.format(name) if bare else name


def sections_of(soup: BeautifulSoup, language: Language) -> list[Section]:
    """Return what a reader reads in a finished page by section; the page's own begins with no id."""
    pieces: list[Piece] = []
    _read(soup.find("article"), Piece("", is_section=False), None, pieces)
    sections = [piece for piece in pieces if piece.is_section]
    for own in sections[:1]:
        own.id = ""
    things = [piece for piece in pieces if not piece.is_section]
    rows = [(piece.id, piece.name(language), _line(piece.text)) for piece in sections + things]
    return [row for row in rows if row[1]]


def _read(tag: Tag, piece: Piece, title: list[str] | None, pieces: list[Piece]) -> None:
    """Read a tag into its piece, or into the title; what is a piece of its own goes behind the others."""
    for part in tag.children:
        if not isinstance(part, Tag):
            if type(part) is NavigableString:  # comments are of other types
                (piece.text if title is None else title).append(part)
        elif _is_noise(part):
            continue
        elif part.get("id") and (part.name == "section" or _is_numbered(part)):
            pieces.append(Piece(part["id"], part.name == "section"))
            _read(part, pieces[-1], None, pieces)
        elif piece.is_named_by(part):
            piece.title = []
            _read(part, piece, piece.title, pieces)
        else:
            _read(part, piece, title, pieces)


def classes(tag: Tag) -> set[str]:
    """Return the classes of a tag; changes of pages write them as a text or as a list."""
    given = tag.get("class", [])
    return set(given.split() if isinstance(given, str) else given)


def _is_numbered(tag: Tag) -> bool:
    """Equations, figures and tables; exercises are sections."""
    return tag.name in ("div", "figure", "table") and bool(NUMBERED.match(tag["id"]))


def _is_noise(tag: Tag) -> bool:
    own = classes(tag)
    if tag.name in OF_FORM or "guess-label" in own:
        return tag.find_parent("guess-form") is not None
    folded = tag.name == "details" and "raw" in own
    handle = tag.name == "summary" and "code" in classes(tag.parent)
    return tag.name in NOISE or "headerlink" in own or folded or handle


def _line(texts: list[str]) -> str:
    return " ".join("".join(texts).split())


def keep_text(page: Page) -> None:
    """Keep the text of a page that is finished."""
    if page.name in page.app.env.found_docs:
        page.app.texts_of_pages[page.name] = sections_of(page.soup, spoken_by(page.app))


def text_of(app: Sphinx, name: str) -> list[Section]:
    """Return the text of a page: as this build made it, or from the file that it left as it was."""
    if name not in app.texts_of_pages:
        html = Path(app.builder.get_outfilename(name)).read_text(encoding="utf-8")
        app.texts_of_pages[name] = sections_of(BeautifulSoup(html, "html.parser"), spoken_by(app))
    return app.texts_of_pages[name]


def write_texts(app: Sphinx, error: Exception | None) -> None:
    """Write the text of every section as a script for the search page: from a file it may not fetch."""
    if error or app.builder.format != "html":
        return
    rows = [(page, *section) for page in sorted(app.env.found_docs) for section in text_of(app, page)]
    static = Path(app.outdir) / "_static"
    script = f"const bookTexts = {json.dumps(rows, ensure_ascii=False)};\n"
    (static / "search-text.js").write_text(script, encoding="utf-8")
    for name in SPHINX_OWN:
        (static / name).unlink(missing_ok=True)


def leave_out_index(app: Sphinx) -> None:
    """Have Sphinx build no index of its own."""
    app.builder.search = False


def search_page(app: Sphinx) -> Iterator[tuple[str, dict, str]]:
    """Add the search page, which Sphinx writes only beside its index."""
    yield "search", {}, "search.html"


def load_scripts(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Load the texts and what searches them on the search page alone."""
    if page == "search":
        said = spoken_by(app).site
        words = {"found": said.found, "nothing": said.nothing_found}
        write_script(app, "search-page.js", "searchWords", words)
        app.add_js_file("search-text.js", priority=800, loading_method="defer")
        app.add_js_file("search-page.js", priority=801, loading_method="defer")


def setup(app: Sphinx) -> dict[str, object]:
    """Take the place of Sphinx's search; loaded last, to read pages that no part changes any more."""
    app.texts_of_pages = {}
    on_page(app, keep_text)
    app.add_js_file("search-words.js", priority=799, loading_method="defer")
    app.connect("builder-inited", leave_out_index)
    app.connect("html-collect-pages", search_page)
    app.connect("html-page-context", load_scripts)
    app.connect("build-finished", write_texts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
