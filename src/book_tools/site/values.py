"""Numbers that tell where they come from: every ``<data value="KEY">`` in the prose leads to what stands behind it.

A computed number becomes a link to the code cell that prints it, a fact a link to its reference; the hint that
appears on hover, focus or tap (static/book.js) says the same in words. Without JavaScript the link and its tooltip stay.
"""

import csv
import re
from dataclasses import dataclass
from pathlib import Path

import nbformat
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from book_tools.site.pages import Page, on_page

logger = logging.getLogger(__name__)

PRINTED_LINE = re.compile(r"^([A-Za-z_][\w.]*) =(?: .*)?$")
LONGEST_HINT = 90


@dataclass(frozen=True)
class Source:
    """What stands behind a number: where its link leads, and the hint in words."""

    href: str
    hint: str


def printed_by_cells(notebook: nbformat.NotebookNode) -> dict[str, Source]:
    """Return the source of each value that the notebook's cells print, by key."""
    sources = {}
    for cell in notebook.cells:
        if cell.cell_type != "code" or not cell.execution_count:
            continue
        for output in cell.outputs:
            for line in output.get("text", "").splitlines():
                if match := PRINTED_LINE.match(line):
                    shown = line if len(line) <= LONGEST_HINT else line[:LONGEST_HINT] + "…"
                    hint = f"由第 {cell.execution_count} 个代码单元打印：{shown.rstrip(' =')}"
                    sources[match[1]] = Source(f"#{cell_id(cell.execution_count)}", hint)
    return sources


def facts(app: Sphinx, page: str) -> dict[str, Source]:
    """Return the source of each fact that has a work in the bibliography, by ``fact:KEY``."""
    table = Path(app.srcdir) / "data" / "facts.csv"
    if not table.exists():
        return {}
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    works = {citation.key: citation for citation in app.env.get_domain("cite").citations}
    sources = {}
    for row in rows:
        work = works.get(row["reference"])
        if work is None:
            continue  # the warning comes where such a fact is used
        href = app.builder.get_relative_uri(page, work.bibliography_key.docname) + f"#{work.citation_id}"
        fields = work.entry.fields
        title = re.sub(r"[{}]", "", fields["title"])
        sources[f"fact:{row['key']}"] = Source(href, f"出自 {title} ({fields['year']})，{row['where']}")
    return sources


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
    bound = page.soup.select("article data[value]")
    if not bound:
        return
    path = Path(page.app.env.doc2path(page.name))
    sources = facts(page.app, page.name)
    if path.suffix == ".ipynb":
        sources |= printed_by_cells(nbformat.read(path, as_version=4))
    for data in bound:
        key = data["value"]
        source = sources.get(key) or sources.get(re.sub(r"\[[\d,: ]+\]$", "", key))
        if source is None:
            logger.warning("no code cell prints %s, and no fact has that name", key, location=page.name)
            continue
        data.wrap(page.soup.new_tag("a", href=source.href, title=source.hint, attrs={"class": "bound-value"}))


def setup(app: Sphinx) -> dict[str, object]:
    """Link the numbers of every page."""
    app.connect("doctree-read", anchor_cells)
    on_page(app, link_values)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
