"""Each page links to its counterpart in the other editions, where a build makes several.

A link leads to what is in view: `static/editions.js` finds the cell, the numbered thing or the section. For
search engines the head names all editions of a page.
"""

from pathlib import Path

from sphinx.application import Sphinx

from book_tools.language import CHINESE, LANGUAGES, Language, spoken_by
from book_tools.notebooks.files import page_path
from book_tools.site.pages import Page, on_page

SCRIPT = "editions.js"
MADE_HERE = ("search",)  # pages that every site has, without a source


def folder_of(language: Language) -> str:
    """Return the folder of an edition's site, from that of the first."""
    return "" if language is CHINESE else f"{language.code}/"


def editions_of(app: Sphinx, name: str) -> list[Language]:
    """List the languages of this build's editions that have a page of this name."""
    book = Path(app.srcdir) if spoken_by(app) is CHINESE else Path(app.srcdir).parent
    found = (LANGUAGES[code] for code in app.config.book_editions)
    return [
        language
        for language in found
        if name in MADE_HERE or page_path(book / folder_of(language), name) is not None
    ]


def link_editions(page: Page) -> None:
    """Put links to a page's counterparts beside its buttons, and name them all in its head.

    Search engines want whole addresses there, so that without the site's address the head names none.
    """
    here, known = spoken_by(page.app), editions_of(page.app, page.name)
    if here not in known or len(known) < 2:
        return
    root = "" if here is CHINESE else "../"
    address = page.app.config.html_baseurl.rstrip("/").removesuffix(folder_of(here).rstrip("/")).rstrip("/")
    for language in known:
        place = f"{folder_of(language)}{page.name}.html"
        if address:
            named = page.soup.new_tag("link", rel="alternate", hreflang=language.html)
            named["href"] = f"{address}/{place}"
            page.soup.head.append(named)
        if language is here:
            continue
        link = page.soup.new_tag("a", href=root + place, lang=language.html, hreflang=language.html)
        link["class"], link["title"] = "btn btn-sm other-edition", language.site.other
        link.string = language.name
        for buttons in page.select(".article-header-buttons"):
            buttons.insert(0, link)


def load_script(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Load the script where there is another edition to lead to."""
    if len(editions_of(app, page)) > 1:
        app.add_js_file(SCRIPT, loading_method="defer")


def setup(app: Sphinx) -> dict[str, object]:
    """Link the pages of every edition; the build says which there are."""
    app.add_config_value("book_editions", [], "html", list)
    app.connect("html-page-context", load_script)
    on_page(app, link_editions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
