"""The whole book as one file, offered in each page's download menu once `book_tools.print` has made it.

The file is made from an edition's finished pages: the link comes into them afterwards, and again into each
page that is built anew.
"""

from pathlib import Path

from bs4 import BeautifulSoup
from sphinx.application import Sphinx

from book_tools.language import CHINESE, Language, spoken_in
from book_tools.site.pages import Page, on_page

NAME = "transformer-book"
DOCTYPE = "<!DOCTYPE html>"
FORMATS = ("pdf", "epub")
ITEM = """<li><a class="btn btn-sm dropdown-item" download="" href="{href}" title="{title}">
<span class="btn__icon-container"><i aria-hidden="true" class="fas fa-download"></i></span>
<span class="btn__text-container">{name}</span></a></li>"""


def file_name(kind: str, language: Language = CHINESE) -> str:
    """Return the name of an edition's file of this kind, another for each: a reader may want two."""
    return f"{NAME}.{kind}" if language is CHINESE else f"{NAME}-{language.code}.{kind}"


def megabytes(path: Path) -> str:
    """Return the size of a file as a reader is told it."""
    return f"{path.stat().st_size / 1e6:.1f} MB"


def offer(soup: BeautifulSoup, site: Path) -> None:
    """Offer each file that is there in a page's download menu, and none that is not."""
    language = spoken_in(soup)
    said = language.site
    for menu in soup.select(".dropdown-download-buttons ul"):
        for kind in FORMATS:
            href = file_name(kind, language)
            for old in menu.select(f'a[href="{href}"]'):
                old.find_parent("li").decompose()
            if (site / href).is_file():
                title = said.with_size.format(said.download.format(kind.upper()), megabytes(site / href))
                item = ITEM.format(href=href, title=title, name=said.whole_book.format(kind))
                menu.append(BeautifulSoup(item, "html.parser").li)


def offer_in_site(site: Path) -> None:
    """Bring the menus of all finished pages up to date."""
    for path in sorted(site.glob("*.html")):
        before = path.read_text(encoding="utf-8")
        soup = BeautifulSoup(before, "html.parser")
        offer(soup, site)
        # Beautiful Soup ends the line of the document's type once more each time.
        text = soup.decode(formatter="minimal").replace(f"{DOCTYPE}\n\n", f"{DOCTYPE}\n", 1)
        if text != before:
            path.write_text(text, encoding="utf-8")


def offer_in_page(page: Page) -> None:
    """Offer in a page that is built what an earlier build has made."""
    offer(page.soup, Path(page.app.outdir))


def setup(app: Sphinx) -> dict[str, object]:
    """Offer the files on every page."""
    on_page(app, offer_in_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
