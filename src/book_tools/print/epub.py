"""The book as an EPUB 3: a file a chapter, formulas as MathML, pictures as PNG, a navigation document.

Source: EPUB 3.3, https://www.w3.org/TR/epub-33/. The same pages give the same bytes.
"""

import base64
import io
import re
import uuid
import zipfile
from html import escape
from pathlib import Path
from urllib.parse import unquote

from bs4 import Comment
from PIL import Image

from book_tools.language import Language
from book_tools.print.book import Book
from book_tools.print.chapters import Chapter, headings, ids

STYLE = Path(__file__).parent / "static" / "epub.css"
FONT = re.compile(r"url\(data:font/woff2;base64,([^)]*)\)")
# XML tells capitals apart; HTML, from which the chapters are read, does not. Older readers have no variables.
SVG_NAMES = {name.lower(): name for name in ("viewBox", "clipPath", "patternUnits", "preserveAspectRatio")}
VARIABLE = re.compile(r"var\(--[\w-]+,(#\w+)\)")
SAME_DATE = (2026, 1, 1, 0, 0, 0)
TYPES = {
    ".xhtml": "application/xhtml+xml",
    ".css": "text/css",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
PAGE = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="{language}"
xml:lang="{language}" data-theme="light"><head><meta charset="utf-8"/><title>{title}</title>
{styles}</head><body>{body}</body></html>
"""
CONTAINER = """<?xml version="1.0" encoding="utf-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/>
</rootfiles></container>
"""
PACKAGE = """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="book" xml:lang="{language}">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="book">urn:uuid:{identifier}</dc:identifier>
<dc:title>{title}</dc:title><dc:language>{language}</dc:language><dc:creator>{author}</dc:creator>
<dc:date>{date}</dc:date><dc:rights>{rights}</dc:rights>
<meta property="dcterms:modified">{date}T00:00:00Z</meta>
<meta property="schema:accessMode">textual</meta>
<meta property="schema:accessMode">visual</meta>
<meta property="schema:accessModeSufficient">textual</meta>
<meta property="schema:accessibilityFeature">MathML</meta>
<meta property="schema:accessibilityFeature">alternativeText</meta>
<meta property="schema:accessibilityFeature">structuralNavigation</meta>
<meta property="schema:accessibilityFeature">tableOfContents</meta>
<meta property="schema:accessibilityHazard">none</meta>
<meta property="schema:accessibilitySummary">{accessibility}</meta>
</metadata>
<manifest>{items}</manifest><spine>{spine}</spine></package>
"""


def place_links(chapters: list[Chapter]) -> None:
    """Name the file of what a link leads to, where it is another one."""
    files = {name: chapter.name for chapter in chapters for name in ids(chapter)}
    for chapter in chapters:
        for link in chapter.body.select('a[href^="#"]'):
            name = link["href"].removeprefix("#")
            if files.get(name, chapter.name) != chapter.name:
                link["href"] = f"{files[name]}.xhtml#{name}"


def take_pictures(book: Book) -> dict[str, bytes]:
    """Return the chapters' pictures by their names in the EPUB, and point the chapters to them."""
    found = {}
    for image in (image for chapter in book.chapters for image in chapter.body.select("img[src]")):
        source = book.site / unquote(image["src"])
        suffix = ".svg" if source.suffix == ".svg" else ".png"
        image["src"] = f"images/{source.stem}{suffix}"
        if image["src"] not in found:
            found[image["src"]] = source.read_bytes() if suffix == ".svg" else png(source)
    return found


def png(path: Path) -> bytes:
    """Return a picture as PNG, which every reading system knows: WebP is new in EPUB 3.3."""
    written = io.BytesIO()
    with Image.open(path) as picture:
        picture.save(written, "PNG", optimize=True)
    return written.getvalue()


def style_sheets(site: Path) -> dict[str, bytes]:
    """Return the style sheets and the font of the formulas."""
    found = {"style.css": STYLE.read_bytes()}
    pygments, mathematics = site / "_static" / "pygments.css", site / "_static" / "mathematics.css"
    if pygments.is_file():
        found["pygments.css"] = pygments.read_bytes()
    if mathematics.is_file():
        text = mathematics.read_text(encoding="utf-8")
        found["mathematics.woff2"] = base64.b64decode(FONT.search(text)[1])
        found["mathematics.css"] = FONT.sub('url("mathematics.woff2")', text).encode()
    return found


def page(title: str, body: str, styles: dict[str, bytes], language: Language) -> bytes:
    """Return one XHTML file."""
    links = "".join(
        f'<link rel="stylesheet" type="text/css" href="{name}"/>' for name in styles if name.endswith(".css")
    )
    return PAGE.format(title=escape(title), styles=links, body=body, language=language.html).encode()


def chapter_body(chapter: Chapter) -> str:
    """Return a chapter as well-formed XML."""
    for comment in chapter.body.find_all(string=lambda text: isinstance(text, Comment)):
        comment.extract()
    for name, space in (
        ("math", "http://www.w3.org/1998/Math/MathML"),
        ("svg", "http://www.w3.org/2000/svg"),
    ):
        for tag in chapter.body.find_all(name):
            tag["xmlns"] = space
    for tag in chapter.body.select("svg, svg *"):
        tag.name = SVG_NAMES.get(tag.name, tag.name)
        tag.attrs = {SVG_NAMES.get(key, key): VARIABLE.sub(r"\1", str(value)) if key == "style" else value
                     for key, value in tag.attrs.items()}  # fmt: skip
    for table in chapter.body.find_all("mtable", scriptlevel=True):
        del table["scriptlevel"]  # of MathML Core; EPUB asks for MathML 3
    return chapter.body.decode(formatter="minimal")


def navigation(chapters: list[Chapter], title: str) -> str:
    """Return the contents as EPUB's readers expect them."""

    def entry(chapter: Chapter) -> str:
        file = f"{chapter.name}.xhtml"
        lines = [f'<li><a href="{file}#{name}">{escape(text)}</a></li>' for name, text in headings(chapter)]
        inner = f"<ol>{''.join(lines)}</ol>" if lines else ""
        return f'<li><a href="{file}">{escape(chapter.title)}</a>{inner}</li>'

    return f'<nav epub:type="toc"><h1>{title}</h1><ol>{"".join(map(entry, chapters))}</ol></nav>'


def package(book: Book, files: dict[str, bytes], order: list[str]) -> str:
    """Return the package document: what the book is, its files, and the order in which they are read."""
    items = []
    for name, content in files.items():
        found = {
            "nav": name == "nav.xhtml",
            "mathml": name.endswith(".xhtml") and b"<math" in content,
            "svg": name.endswith(".xhtml") and b"<svg" in content,
        }
        properties = " ".join(key for key, value in found.items() if value)
        items.append(
            f'<item id="{item_id(name)}" href="{name}" media-type="{TYPES[Path(name).suffix]}"'
            + (f' properties="{properties}"/>' if properties else "/>")
        )
    spine = "".join(f'<itemref idref="{item_id(name)}"/>' for name in order)
    identifier = uuid.uuid5(uuid.NAMESPACE_URL, f"{book.title} {book.version} {book.date}")
    return PACKAGE.format(
        identifier=identifier,
        title=escape(book.title),
        author=escape(book.author),
        date=book.date,
        rights=escape(book.rights),
        items="".join(items),
        spine=spine,
        language=book.language.html,
        accessibility=book.language.print.accessibility,
    )


def item_id(name: str) -> str:
    """Return the id of a file in the package: a name that begins with no digit."""
    return "file-" + re.sub(r"[^A-Za-z0-9]", "-", name)


def files_of(book: Book) -> dict[str, bytes]:
    """Return every file of the EPUB by its path, the package's type first."""
    place_links(book.chapters)
    pictures, styles = take_pictures(book), style_sheets(book.site)
    title = (
        f'<section class="cover"><p class="book-title">{escape(book.title)}</p><p>{escape(book.author)}</p>'
        f"<p>{book.version} · {book.date}</p><p>{book.rights}</p></section>"
    )
    contents = book.language.print.contents
    pages = {
        "title.xhtml": page(book.title, title, styles, book.language),
        "nav.xhtml": page(contents, navigation(book.chapters, contents), styles, book.language),
    }
    for chapter in book.chapters:
        pages[f"{chapter.name}.xhtml"] = page(chapter.title, chapter_body(chapter), styles, book.language)
    content = {**pages, **styles, **pictures}
    return {
        "mimetype": b"application/epub+zip",
        "META-INF/container.xml": CONTAINER.encode(),
        "EPUB/package.opf": package(book, content, list(pages)).encode(),
        **{f"EPUB/{name}": text for name, text in content.items()},
    }


def make_epub(book: Book) -> bytes:
    """Return the book as an EPUB."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, content in files_of(book).items():
            method = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(zipfile.ZipInfo(name, SAME_DATE), content, method)
    return written.getvalue()
