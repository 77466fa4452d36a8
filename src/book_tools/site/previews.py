"""Previews: what a link to an equation, figure, table or exercise leads to, shown at the link.

Each page's pieces go into a script of their own, loaded when a reader first rests on a link to that page; a
script, because pages under `file://` may not fetch. Without JavaScript the links stay as they are.
"""

import copy
import json
import re
from pathlib import Path

from bs4 import Tag
from sphinx.application import Sphinx

from book_tools.site.pages import Page, on_page

FOLDER = "previews"
NUMBERED = re.compile(r"^(eq|fig|tab|ex)-\d")


def pieces(page: Page) -> dict[str, str]:
    """Return HTML by id for everything in a page that carries a number of its own."""
    found = page.soup.find_all(id=NUMBERED)
    return {node["id"]: piece(node) for node in found if node.find_parent("article")}


def piece(node: Tag) -> str:
    """Return what a preview shows: an exercise's title and first paragraph, anything else as a whole."""
    shown = copy.copy(node)
    for link in shown.select(".headerlink"):
        link.decompose()
    if shown.name == "section":
        title, text = shown.find(["h2", "h3", "h4"]), shown.find("p")
        return f"<p><strong>{title.get_text()}</strong></p>{text or ''}"
    for named in [shown, *shown.find_all(id=True)]:
        if not named.find_parent("svg"):
            del named["id"]
    return str(shown).replace("plot-", "hint-")  # a drawing refers to its own parts, not to the page's


def write_pieces(page: Page) -> None:
    """Write the script with a page's pieces."""
    if not (found := pieces(page)):
        return
    folder = Path(page.app.outdir) / "_static" / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    data = json.dumps(found, ensure_ascii=False, sort_keys=True)
    (folder / f"{page.name}.js").write_text(f'bookPreview("{page.name}", {data});\n', encoding="utf-8")


def setup(app: Sphinx) -> dict[str, object]:
    """Write the pieces of every page."""
    on_page(app, write_pieces)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
