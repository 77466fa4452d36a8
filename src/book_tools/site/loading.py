"""What every page loads before it is drawn: one style sheet, and no script that can wait or measures much."""

import posixpath
import re
from pathlib import Path

from sphinx.application import Sphinx

from book_tools.site.pages import Page, on_page, short_digest
from book_tools.site.scripts import change_script

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
    joined = f"sheets-{short_digest(' '.join(names))}.css"
    page.app.joined_sheets[joined] = names
    first, *others = sheets
    version = short_digest(" ".join(sheet["href"].removeprefix(root) for sheet in sheets))
    first["href"] = f"{root}_static/{joined}?v={version}"
    for sheet in others:
        sheet.decompose()


def let_scripts_wait(page: Page) -> None:
    """Have scripts run when the page is read, and fetch none of these before what is drawn."""
    for script in page.select("head > script[src]"):
        if CAN_WAIT.search(script["src"]):
            script["defer"] = ""
    for link in page.select("head > link[rel=preload][as=script]"):
        link.decompose()


def write_sheets(app: Sphinx, error: Exception | None) -> None:
    """Write the joined sheets in place of their parts, unless no page was written: then they are there."""
    if error:
        return
    site, done = Path(app.outdir), set()
    for name, parts in app.joined_sheets.items():
        sheets = [sheet for part in parts for sheet in _with_imports(site, part)]
        (site / "_static" / name).write_text(
            "\n".join(_text(site, sheet) for sheet in sheets), encoding="utf-8"
        )
        done.update(sheets)
    for sheet in done:
        (site / sheet).unlink()


def _beside(name: str, address: str) -> str:
    """Return the name of a file whose address stands in another one."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), address))


def _with_imports(site: Path, name: str) -> list[str]:
    """List a sheet and what it imports, in the order in which their rules hold."""
    imported = [
        _beside(name, found[1]) for found in IMPORT.finditer((site / name).read_text(encoding="utf-8"))
    ]
    return [*(sheet for inner in imported for sheet in _with_imports(site, inner)), name]


def _text(site: Path, name: str) -> str:
    """Return a sheet's own rules, its addresses as seen from the folder of the joined one."""

    def moved(match: re.Match) -> str:
        return f"url({posixpath.relpath(_beside(name, match[2]), '_static')})"

    return ADDRESS.sub(moved, IMPORT.sub("", (site / name).read_text(encoding="utf-8")))


def drop_measuring(app: Sphinx, error: Exception | None) -> None:
    """Have the theme measure no box for the keyboard: book.js does, and leaves out what is hidden.

    The theme asks for the layout of every hidden answer, one by one, as soon as the page is read.
    """
    if error or app.builder.format != "html":
        return
    change_script(app, "scripts/pydata-sphinx-theme.js", MEASURING, "forEach(()=>{})")


def setup(app: Sphinx) -> dict[str, object]:
    """Join the sheets before they are cut to what pages use."""
    app.joined_sheets = {}  # name -> the names of its parts
    on_page(app, join_sheets)
    on_page(app, let_scripts_wait)
    app.connect("build-finished", write_sheets, priority=800)
    app.connect("build-finished", drop_measuring)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
