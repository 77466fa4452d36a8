"""Stored outputs beside code that did not make them are a warning: the strict build publishes none."""

from sphinx.application import Sphinx
from sphinx.util import logging

from book_tools.notebooks.files import read, untied_outputs

logger = logging.getLogger(__name__)


def check_outputs(app: Sphinx, env: object, changed: list[str]) -> None:
    """Warn of each code cell of the book, changed page or not, whose outputs come from other code."""
    for page in sorted(env.found_docs):
        path = env.doc2path(page)
        if path.endswith(".ipynb"):
            for cell, fault in untied_outputs(read(path)):
                logger.warning("cell %d: %s", cell, fault, location=page)


def setup(app: Sphinx) -> dict[str, object]:
    """Check all stored outputs in every build."""
    app.connect("env-before-read-docs", check_outputs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
