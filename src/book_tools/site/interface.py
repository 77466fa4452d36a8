"""The interface speaks the book's language: what the themes say otherwise is put into it."""

from sphinx.application import Sphinx

from book_tools.language import spoken_by
from book_tools.site.pages import Page, on_page

ATTRIBUTES = {"title", "aria-label", "data-bs-title", "placeholder"}


def translate(page: Page) -> None:
    """Replace what the themes say on one page."""
    said = spoken_by(page.app).site.interface
    for tag in page.tags():
        for name in tag.attrs.keys() & ATTRIBUTES:
            tag[name] = said.get(tag[name], tag[name])
    for text in page.select(".btn__text-container"):
        text.string = said.get(text.text.strip(), text.text)
    for title in page.select("details.hide > summary .admonition-title"):
        title.string = said.get(title.text, title.text)
    for copyright_line in page.select("p.copyright"):
        copyright_line.string = f"© {page.app.config.copyright}"


def setup(app: Sphinx) -> dict[str, object]:
    """Translate every page."""
    on_page(app, translate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
