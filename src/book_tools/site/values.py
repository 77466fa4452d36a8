"""Numbers that tell where they come from: each ``<data value="KEY">`` leads to what stands behind it.

A computed number becomes a link to the code cell that prints it, a fact a link to its reference; the hint
that appears on hover, focus or tap (static/book.js) says the same in words. Without JavaScript the link
stays, and its tooltip.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import nbformat
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from book_tools.audit.facts import COURSE, load_facts
from book_tools.audit.printed import Values
from book_tools.language import spoken_by
from book_tools.references import PAGE, works
from book_tools.site.pages import Page, on_page

logger = logging.getLogger(__name__)

LONGEST_VALUE = 80


@dataclass(frozen=True)
class Source:
    """What stands behind a number: where its link leads, and the hint in words."""

    href: str
    hint: str


class Sources:
    """The sources of one page's numbers."""

    def __init__(self, app: Sphinx, page: str):
        self.app = app
        self.page = page
        self.said = spoken_by(app).site
        self.facts = load_facts(Path(app.srcdir))
        path = Path(app.env.doc2path(page))
        self.notebook = nbformat.read(path, as_version=4) if path.suffix == ".ipynb" else None
        self.values = Values(self.notebook) if self.notebook else None

    def of(self, key: str) -> Source:
        """Return the source of a key; KeyError where neither a cell nor the facts table has it."""
        if key.startswith("fact:"):
            return self._fact(key.removeprefix("fact:"))
        if self.values is None:
            raise KeyError(f"{key}: this page is no notebook, no code cell prints it")
        text = self.values.text(key)
        place = self.values.cell(key) - 1
        seen = sum(map(is_shown, self.notebook.cells[: place + 1]))
        shown = text if len(text) <= LONGEST_VALUE else text[:LONGEST_VALUE] + "…"
        anchor = cell_id(self.notebook.cells[place].execution_count)
        return Source(f"#{anchor}", self.said.printed_by.format(seen, key, shown))

    def _fact(self, key: str) -> Source:
        fact = self.facts[key]
        reference = fact["reference"]
        if reference == COURSE:
            cover = self.app.builder.get_relative_uri(self.page, self.app.config.root_doc)
            return Source(cover, self.said.from_course.format(fact["where"]))
        if reference.startswith("https://"):
            return Source(reference, self.said.from_address.format(reference, fact["where"]))
        fields = works(self.app.srcdir)[reference].fields
        title = re.sub(r"[{}]", "", fields["title"])
        href = self.app.builder.get_relative_uri(self.page, PAGE.removesuffix(".md")) + f"#{reference}"
        return Source(href, self.said.from_work.format(title, fields["year"], fact["where"]))


def is_shown(cell: nbformat.NotebookNode) -> bool:
    """Say whether a cell is one of the code cells that the page shows."""
    return cell.cell_type == "code" and "remove-cell" not in cell.metadata.get("tags", [])


def cell_id(execution_count: int) -> str:
    """Return the anchor of a code cell, the same in links and pages."""
    return f"cell-{execution_count}"


def anchor_cells(app: Sphinx, doctree: nodes.document) -> None:
    """Give each code cell of a page its anchor."""
    for cell in doctree.findall(nodes.container):
        if cell.get("nb_element") == "cell_code" and cell.get("exec_count"):
            cell["ids"].append(cell_id(cell["exec_count"]))


def link_values(page: Page) -> None:
    """Make each bound number of a page a link to its source; one without a source is a warning."""
    bound = page.select("article data[value]:not(.guess, .option, guess-form data)")
    sources = Sources(page.app, page.name) if bound else None
    for data in bound:
        try:
            source = sources.of(data["value"])
        except KeyError as error:
            logger.warning("no source of %r: %s", data["value"], error.args[0], location=page.name)
            continue
        attributes = {"class": "bound-value"}
        if data.find(class_="math"):
            attributes["aria-label"] = data["value"]  # drawn mathematics gives a link no name
        data.wrap(page.soup.new_tag("a", href=source.href, title=source.hint, attrs=attributes))


def setup(app: Sphinx) -> dict[str, object]:
    """Link the numbers of every page."""
    app.connect("doctree-read", anchor_cells)
    on_page(app, link_values)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
