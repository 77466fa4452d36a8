"""Full-text search by section, in the page: text as it stands, numbers, what has a number by its name.

Sphinx's own search cuts the text into words and knows whole pages only. Here the page that searches holds the
text of every section, and `scripts/search-page.js` looks through it; `static/search-words.js` says what
counts as the same text.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from sphinx.application import Sphinx

from book_tools.language import Language, spoken_by
from book_tools.site.previews import NUMBERED
from book_tools.site.scripts import write_script

NOISE = ".headerlink, noscript, script, style, annotation, guess-form :is(legend, button, .guess-label)"
NOISE += ", details.code > summary, details.raw"
SPHINX_OWN = ("searchtools.js", "language_data.js")  # Sphinx copies them with or without an index

Section = tuple[str, str, str]  # id, title, text


def sections_of(page: Path, language: Language) -> list[Section]:
    """Return what a reader reads in a finished page by section; the page's own begins with no id."""
    article = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser").find("article")
    for tag in article.select(NOISE):
        tag.decompose()
    found = [*_numbered(article, language), *_sections(article)]
    return [section for section in reversed(found) if section[1]]


def _numbered(article: Tag, language: Language) -> Iterator[Section]:
    """Take equations, figures and tables out of the article, the last first."""
    for tag in reversed(article.find_all(["div", "figure", "table"], id=NUMBERED)):
        name = tag.select_one(".eqno, .caption-number")
        title = _line(name.extract())
        title = language.site.equation.format(title) if title.startswith("(") else title
        yield tag["id"], title, _line(tag)
        tag.decompose()


def _sections(article: Tag) -> Iterator[Section]:
    """Take the sections out of the article, the last first, and so the inner before the outer."""
    sections = article.select("section[id]")
    for section in reversed(sections):
        heading = section.find(["h1", "h2", "h3", "h4", "h5", "h6"])
        title = _line(heading.extract()) if heading else ""
        yield "" if section is sections[0] else section["id"], title, _line(section)
        section.decompose()


def _line(tag: Tag) -> str:
    return " ".join(tag.get_text().split())


def write_texts(app: Sphinx, error: Exception | None) -> None:
    """Write the text of every section as a script for the search page: from a file it may not fetch."""
    if error or app.builder.format != "html":
        return
    rows = [
        (page, *section)
        for page in sorted(app.env.found_docs)
        for section in sections_of(Path(app.builder.get_outfilename(page)), spoken_by(app))
    ]
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
    """Take the place of Sphinx's search."""
    app.add_js_file("search-words.js", priority=799, loading_method="defer")
    app.connect("builder-inited", leave_out_index)
    app.connect("html-collect-pages", search_page)
    app.connect("html-page-context", load_scripts)
    app.connect("build-finished", write_texts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
