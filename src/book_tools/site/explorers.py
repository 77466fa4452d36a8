"""Serves the explorers' JavaScript and data from the site itself, and only on pages that hold an explorer."""

import re
from pathlib import Path

from sphinx.application import Sphinx

from transformer_book.widgets.bundle import KINDS, page_script
from transformer_book.widgets.page_data import data_script

SCRIPT = "explorers.js"
_TAG = re.compile(rf"<({'|'.join(KINDS)})-explorer\s([^>]*)>")
_SOURCE = re.compile(r'data-source="([^"]*)"')


def write_script(app: Sphinx) -> None:
    """Write the script beside the site's other static files."""
    if app.builder.format == "html":
        write_static(app, SCRIPT, page_script())


def load_script(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Load the script in the page's head, so that an explorer takes its place before the first paint.

    A classic script, neither a module nor deferred: modules do not load from `file://`, and a deferred one
    would let the fallback table flash up and move the page. Data come later: their place is reserved.
    """
    attributes = [match[2] for match in _TAG.finditer(context.get("body", ""))]
    if attributes:
        app.add_js_file(SCRIPT)
    for name in sorted({name for text in attributes for name in source_names(text)}):
        script = f"explorers-{name}.js"
        write_static(app, script, data_script(name))
        app.add_js_file(script, loading_method="defer")


def source_names(attributes: str) -> list[str]:
    """Names of the packs of data that an explorer's element asks for."""
    found = _SOURCE.search(attributes)
    return found[1].split() if found else []


def write_static(app: Sphinx, name: str, text: str) -> None:
    """Write a file to the site's static folder."""
    folder = Path(app.outdir) / "_static"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, object]:
    """Connect the two steps."""
    app.connect("builder-inited", write_script)
    app.connect("html-page-context", load_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
