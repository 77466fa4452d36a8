"""Citations show the work they cite when the pointer rests on them."""

from sphinx.application import Sphinx

from book_tools.references import PAGE, texts
from book_tools.site.pages import Page, on_page


def show_works(page: Page) -> None:
    """Put the text of its entry on each link to the page of references."""
    start = page.app.builder.get_relative_uri(page.name, PAGE.removesuffix(".md")) + "#"
    for link in page.select(f"article a[href^='{start}']:not([title])"):
        link["title"] = texts(page.app.srcdir).get(link["href"].removeprefix(start), "")


def setup(app: Sphinx) -> dict[str, object]:
    """Show the works on every page."""
    on_page(app, show_works)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
