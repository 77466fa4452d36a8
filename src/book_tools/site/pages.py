"""Changes to finished pages: every module hands in a function, and each page is parsed and written once."""

from collections.abc import Callable
from dataclasses import dataclass

from bs4 import BeautifulSoup
from sphinx.application import Sphinx

Change = Callable[["Page"], None]


@dataclass
class Page:
    """One finished page: its name in Sphinx (``01_tokens``), its HTML, and the application that builds it."""

    name: str
    soup: BeautifulSoup
    app: Sphinx


def on_page(app: Sphinx, change: Change) -> None:
    """Have ``change(page)`` called for every page of the HTML build, in the order of registration."""
    if not hasattr(app, "page_changes"):
        app.page_changes = []
        app.connect("builder-inited", _apply_to_rendered_pages)
    app.page_changes.append(change)


def _apply_to_rendered_pages(app: Sphinx) -> None:
    """Wrap the builder's templates: what they render is the whole page, the theme's parts included."""
    if app.builder.format != "html":
        return
    render = app.builder.templates.render

    def render_and_change(template: str, context: dict) -> str:
        text = render(template, context)
        if "<html" not in text:  # a part, which the theme renders only to see whether it is empty
            return text
        page = Page(context["pagename"], BeautifulSoup(text, "html.parser"), app)
        for change in app.page_changes:
            change(page)
        return page.soup.decode(formatter="minimal")

    app.builder.templates.render = render_and_change
