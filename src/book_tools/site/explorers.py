"""Serves the explorers' JavaScript from the site itself, and only on pages that hold an explorer."""

import re
from pathlib import Path

from sphinx.application import Sphinx

from transformer_book.widgets.bundle import KINDS, page_script

SCRIPT = "explorers.js"
_TAG = re.compile(rf"<({'|'.join(KINDS)})-explorer[\s>]")


def write_script(app: Sphinx) -> None:
    """Write the script beside the site's other static files."""
    if app.builder.format == "html":
        folder = Path(app.outdir) / "_static"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / SCRIPT).write_text(page_script(), encoding="utf-8")


def load_script(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Load the script in the page's head, so that an explorer takes its place before the page is first painted.

    A classic script, neither a module nor deferred: modules do not load from `file://`, and a deferred script would
    let the fallback table flash up and move the page.
    """
    if _TAG.search(context.get("body", "")):
        app.add_js_file(SCRIPT)


def setup(app: Sphinx) -> dict[str, object]:
    """Connect the two steps."""
    app.connect("builder-inited", write_script)
    app.connect("html-page-context", load_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
