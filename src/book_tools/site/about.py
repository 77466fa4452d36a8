"""What a page says about itself: a description and a picture for those who link to it, edition and licence.

Version and date stand in CITATION.cff. What needs the site's address (canonical links, the picture, the
sitemap) is left out while `_config.yml` names none.
"""

import copy
import io
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

from matplotlib.figure import Figure
from sphinx.application import Sphinx
from sphinx.config import Config

from book_tools.edition import edition
from book_tools.language import CHINESE, spoken_by
from book_tools.site.pages import Page, on_page
from transformer_book.figures.fonts import families

LONGEST = 160  # characters of a description that search engines show
CARD = (1200, 630)  # pixels; source: https://ogp.me and what its readers show


def description(page: Page) -> str:
    """Return the page's first words: whole sentences of its first paragraph, as far as they fit."""
    paragraph = copy.copy(page.soup.select_one("article p:not(.caption)"))
    if paragraph is None:
        return ""
    for source in paragraph.select("annotation"):  # the TeX behind a formula
        source.decompose()
    text = " ".join(paragraph.get_text().split())
    end = text.rfind(spoken_by(page.app).site.sentence_end, 0, LONGEST) + 1
    return text[: end or LONGEST]


def card(title: str, book: str) -> bytes:
    """Draw the picture that stands beside a link to a page: its title over arcs of attention; PNG bytes."""
    figure = Figure(figsize=(CARD[0] / 100, CARD[1] / 100), dpi=100, facecolor="#0b2545")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, CARD[0]), ylim=(0, CARD[1]))
    axes.axis("off")
    fonts = {"color": "white", "fontfamily": families()}
    axes.text(80, 400, title, fontsize=min(44, 1300 / max(len(title), 1)), **fonts)
    axes.text(80, 330, book, fontsize=20, **{**fonts, "color": "#9ec5fe"})
    for end in range(1, 6):
        arrow = {"arrowstyle": "->", "color": "#9ec5fe", "lw": 6 / end, "connectionstyle": "arc3,rad=0.35"}
        axes.annotate("", (1080 - 180 * end, 110), (1080, 110), arrowprops=arrow)
    target = io.BytesIO()
    figure.savefig(target, format="png", metadata={"Software": None})
    return target.getvalue()


def tell(page: Page) -> None:
    """Write description, title and, with an address, canonical link and picture into the page's head."""
    address, book = page.app.config.html_baseurl.rstrip("/"), page.app.config.html_title
    heading = page.soup.select_one("article h1")
    head = page.soup.head
    title = heading.get_text().strip().rstrip("#") if heading else book
    properties = {"og:type": "article", "og:title": title, "og:site_name": book}
    if text := description(page):
        head.append(page.soup.new_tag("meta", attrs={"name": "description", "content": text}))
        properties["og:description"] = text
    if address and page.name in page.app.env.found_docs:
        picture = Path(page.app.outdir) / "_static" / "cards" / f"{page.name}.png"
        picture.parent.mkdir(parents=True, exist_ok=True)
        picture.write_bytes(card(title, book))
        properties["og:url"] = f"{address}/{page.name}.html"
        properties["og:image"] = f"{address}/_static/cards/{picture.name}"
    for name, content in properties.items():
        head.append(page.soup.new_tag("meta", attrs={"property": name, "content": content}))


def state_edition(page: Page) -> None:
    """Put licence, version and date into the footer."""
    for line in page.select("p.copyright"):
        stated = edition()
        line.string = (
            f"{line.text} · {stated['version']} · {stated['date']} · {spoken_by(page.app).site.licences}"
        )


def write_lists(app: Sphinx, error: Exception | None) -> None:
    """Write robots.txt and, with an address, the sitemap that it names."""
    if error or app.builder.format != "html":
        return
    lines = ["User-agent: *", "Allow: /"]
    if address := app.config.html_baseurl.rstrip("/"):
        urls = ElementTree.Element("urlset", xmlns="http://www.sitemaps.org/schemas/sitemap/0.9")
        for name in sorted(app.env.found_docs):
            ElementTree.SubElement(ElementTree.SubElement(urls, "url"), "loc").text = f"{address}/{name}.html"
        sitemap = ElementTree.tostring(urls, encoding="utf-8", xml_declaration=True)
        (Path(app.outdir) / "sitemap.xml").write_bytes(sitemap)
        own = {spoken_by(app).code}
        below = [f"{code}/" for code in app.config.book_editions if code not in {CHINESE.code, *own}]
        lines += [f"Sitemap: {address}/{folder}sitemap.xml" for folder in ["", *below]]
    (Path(app.outdir) / "robots.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def place_of_links(app: Sphinx, config: Config) -> None:
    """Have the 404 page link from the site's root: a server shows it at any address."""
    root = urlsplit(config.html_baseurl).path.rstrip("/") + "/"
    config.notfound_urls_prefix = root
    title, text = spoken_by(app).site.not_found
    config.notfound_context = {"title": title, "body": f"<h1>{title}</h1>\n<p>{text.format(root=root)}</p>"}


def setup(app: Sphinx) -> dict[str, object]:
    """Tell about every page; the page for missing ones comes from sphinx-notfound-page."""
    app.connect("config-inited", place_of_links, priority=100)
    app.setup_extension("notfound.extension")
    on_page(app, tell)
    on_page(app, state_edition)
    app.connect("build-finished", write_lists)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
