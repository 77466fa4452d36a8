"""What every page loads before it is drawn: one style sheet, and no script that can wait or measures much."""

import hashlib
import itertools
import posixpath
import re
from pathlib import Path

from sphinx.application import Sphinx

from book_tools.site.pages import Page, on_page

IMPORT = re.compile(r"""@import\s+(?:url\()?["']?([^"')]+)["']?\)?\s*;""")
ADDRESS = re.compile(r"""url\((["']?)(?!data:|#)([^"')]+)\1\)""")
OF_SOME_PAGES = ("/front.css", "/mathematics.css")
MEASURING = re.compile(r"forEach\(e=>\{e\.tabIndex=e\.scrollWidth>[^{}]*\}\)")
# Scripts of Sphinx and its extensions that act once the page is read.
CAN_WAIT = re.compile(r"/(doctools|clipboard\.min|copybutton|sphinx-book-theme|translations)\.js")


def join_sheets(page: Page) -> None:
    """Load the sheets that stand in the head as one, but for those that only some pages have."""
    found = page.select("head > link[rel=stylesheet][href*='_static/']")
    sheets = [sheet for sheet in found if not sheet["href"].endswith(OF_SOME_PAGES)]
    if not sheets:
        return
    # The page for missing ones names files from the server's root.
    root = sheets[0]["href"].partition("_static/")[0]
    names = [sheet["href"].removeprefix(root).partition("?")[0] for sheet in sheets]
    joined = _name(names)
    if not hasattr(page.app, "joined_sheets"):
        page.app.joined_sheets = {}
    page.app.joined_sheets[joined] = names
    first, *others = sheets
    first["href"] = (
        f"{root}_static/{joined}?v={_digest([sheet['href'].removeprefix(root) for sheet in sheets])}"
    )
    for sheet in others:
        sheet.decompose()


def let_scripts_wait(page: Page) -> None:
    """Have scripts run when the page is read, and fetch none of these before what is drawn."""
    for script in page.select("head > script[src]"):
        if CAN_WAIT.search(script["src"]):
            script["defer"] = ""
    for link in page.select("head > link[rel=preload][as=script]"):
        link.decompose()


def _name(names: list[str]) -> str:
    return f"sheets-{_digest(names)}.css"


def _digest(parts: list[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:8]


def write_sheets(app: Sphinx, error: Exception | None) -> None:
    """Write the joined sheets in place of their parts, unless no page was written: then they are there."""
    joined = getattr(app, "joined_sheets", {})
    if error or not joined:
        return
    static = Path(app.outdir) / "_static"
    for name, parts in joined.items():
        texts = [_text(Path(app.outdir), part) for part in parts]
        (static / name).write_text("\n".join(texts), encoding="utf-8")
    for part in {"_static/basic.css", *itertools.chain(*joined.values())}:  # theme.css imports basic.css
        (Path(app.outdir) / part).unlink(missing_ok=True)


def _text(site: Path, name: str) -> str:
    """Return a sheet with what it imports, its addresses as seen from the folder of the joined one."""
    folder = posixpath.dirname(name)

    def beside(address: str) -> str:
        return posixpath.normpath(posixpath.join(folder, address))

    def inner(match: re.Match) -> str:
        return _text(site, beside(match[1]))

    def moved(match: re.Match) -> str:
        return f"url({posixpath.relpath(beside(match[2]), '_static')})"

    text = ADDRESS.sub(moved, (site / name).read_text(encoding="utf-8"))
    return IMPORT.sub(inner, text)


def drop_measuring(app: Sphinx, error: Exception | None) -> None:
    """Have the theme measure no box for the keyboard: book.js does, and leaves out what a guess hides.

    The theme asks for the layout of every hidden answer, one by one, as soon as the page is read.
    """
    path = Path(app.outdir) / "_static" / "scripts" / "pydata-sphinx-theme.js"
    if error or app.builder.format != "html" or not path.is_file():
        return
    text, found = MEASURING.subn("forEach(()=>{})", path.read_text(encoding="utf-8"))
    if found:  # a copy that an earlier build has changed holds none
        path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, object]:
    """Join the sheets before they are cut to what pages use."""
    on_page(app, join_sheets)
    on_page(app, let_scripts_wait)
    app.connect("build-finished", write_sheets, priority=800)
    app.connect("build-finished", drop_measuring)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
