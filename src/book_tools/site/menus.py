"""The header's menu and its buttons' hints by the browser's own means, without Bootstrap's script.

That script is longer than any other that a page loads, for one menu and nine hints.
"""

from pathlib import Path

from sphinx.application import Sphinx

from book_tools.site.pages import Page, on_page

SCRIPT = "scripts/bootstrap.js"


def fold_menus(page: Page) -> None:
    """Make each menu one that opens by itself; `book.js` closes it where a reader acts elsewhere."""
    for button in page.select(".dropdown > [data-bs-toggle=dropdown]"):
        button.parent.name = "details"
        button.name = "summary"
        for attribute in ("data-bs-toggle", "aria-expanded", "type"):
            del button[attribute]


def keep_hints(page: Page) -> None:
    """Leave buttons their titles, which the script would have drawn."""
    for button in page.select("[data-bs-toggle=tooltip]"):
        if title := button.attrs.pop("data-bs-title", None):
            button["title"] = title
        for attribute in ("data-bs-toggle", "data-bs-placement"):
            del button[attribute]


def drop_script(page: Page) -> None:
    """Load no Bootstrap."""
    for script in page.select(f"script[src*='{SCRIPT}']"):
        script.decompose()


def remove_script(app: Sphinx, error: Exception | None) -> None:
    """Keep the script out of the site, and out of what is cut to the words that scripts use."""
    for path in Path(app.outdir, "_static").glob(f"{SCRIPT}*"):
        path.unlink()


def setup(app: Sphinx) -> dict[str, object]:
    """Change every page."""
    for change in (fold_menus, keep_hints, drop_script):
        on_page(app, change)
    app.connect("build-finished", remove_script, priority=700)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
