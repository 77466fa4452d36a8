"""The book's Sphinx extension: what the site needs beyond Jupyter Book, one module an idea."""

import hashlib
from pathlib import Path

from sphinx.application import Sphinx

from book_tools import language

PARTS = (
    "book_tools.site.addresses",
    "book_tools.site.numbering",
    "book_tools.site.captions",
    "book_tools.site.front_page",
    "book_tools.site.blocks",
    "book_tools.site.citations",
    "book_tools.site.offline",
    "book_tools.site.formulas",
    "book_tools.site.mathematics_font",
    "book_tools.site.typography",
    "book_tools.site.interface",
    "book_tools.site.guesses",
    "book_tools.site.code_folds",
    "book_tools.site.printed_tables",
    "book_tools.site.about",
    "book_tools.site.values",
    "book_tools.site.stored_outputs",
    "book_tools.site.take_home",
    "book_tools.site.whole_book",
    "book_tools.site.accessibility",
    "book_tools.site.menus",
    "book_tools.site.appearance",
    "book_tools.site.explorers",
    "book_tools.site.images",
    "book_tools.site.figures",
    "book_tools.site.loading",
    "book_tools.site.lean",
    "book_tools.site.previews",
    "book_tools.site.editions",
    "book_tools.site.policy",
    "book_tools.site.search",
)


def fingerprint() -> str:
    """A digest of the parts' code, their scripts and sheets, and what they say."""
    rooms = (Path(__file__).parent, Path(language.__file__).parent)
    code = sorted(path for room in rooms for path in room.rglob("*") if path.suffix in (".py", ".js", ".css"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in code)).hexdigest()


def setup(app: Sphinx) -> dict[str, object]:
    """Load the parts; each is a Sphinx extension of its own and can be used alone."""
    app.add_config_value("site_code", fingerprint(), "html", str)  # other code: every page is written again
    for part in PARTS:
        app.setup_extension(part)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
