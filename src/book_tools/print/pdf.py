"""The book as a PDF, printed by Chromium: tagged, with an outline, and contents that name pages.

Chromium writes no page number of a link's target, so the book is printed twice: the second time the contents
name the pages on which the headings of the first stand.
"""

import html
import io
import tempfile
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote

import pikepdf
from playwright.sync_api import sync_playwright
from pypdf import PdfReader, PdfWriter

from book_tools.browser import launch
from book_tools.print.book import Book
from book_tools.print.chapters import Chapter, headings
from book_tools.print.text_layer import correct_text

STYLE = Path(__file__).parent / "static" / "pdf.css"
STYLES_OF_SITE = ("_static/pygments.css", "_static/mathematics.css")
NO_PAGE = "000"  # as wide as a page's number


def contents(chapters: list[Chapter], pages: dict[str, int], title: str) -> str:
    """Return the contents as HTML, each line with its page."""

    def line(name: str, text: str, level: int) -> str:
        return (
            f'<li class="level-{level}"><a href="#{name}"><span>{html.escape(text)}</span>'
            f'<span class="page">{pages.get(name, NO_PAGE)}</span></a></li>'
        )

    lines = []
    for chapter in chapters:
        lines.append(line(chapter.name, chapter.title, 1))
        lines += [line(name, text, 2) for name, text in headings(chapter)]
    return f'<nav><h1>{title}</h1><ul class="contents">{"".join(lines)}</ul></nav>'


def running_heads(chapters: list[Chapter]) -> str:
    """Return the style rules that put each chapter's title at the head of its pages."""
    rules = []
    for chapter in chapters:
        title = chapter.title.replace("\\", "\\\\").replace('"', '\\"')
        rules.append(f'@page c{chapter.name} {{ @top-left {{ content: "{title}" }} }}')
        rules.append(f'article[id="{chapter.name}"] {{ page: c{chapter.name} }}')
    return "\n".join(rules)


def document(book: Book, pages: dict[str, int]) -> str:
    """Return the whole book as one HTML document."""
    for image in [image for chapter in book.chapters for image in chapter.body.select("img[src]")]:
        if not image["src"].startswith(("file:", "data:")):
            image["src"] = (book.site / unquote(image["src"])).resolve().as_uri()
    links = "".join(
        f'<link rel="stylesheet" href="{path.resolve().as_uri()}">'
        for path in [*(book.site / name for name in STYLES_OF_SITE), STYLE]
        if path.is_file()
    )
    title, language = html.escape(book.title), book.language
    cover = (
        f'<section class="cover"><p class="book-title">{title}</p><p>{html.escape(book.author)}</p>'
        f"<p>{book.version} · {book.date}</p><p>{book.rights}</p></section>"
    )
    body = "".join(chapter.body.decode(formatter="minimal") for chapter in book.chapters)
    return (
        f'<!DOCTYPE html><html lang="{language.html}" data-theme="light"><head><meta charset="utf-8">'
        f"<title>{title}</title>{links}<style>{running_heads(book.chapters)}</style></head>"
        f"<body>{cover}{contents(book.chapters, pages, language.print.contents)}"
        f"<main>{body}</main></body></html>"
    )


def print_twice(book: Book) -> bytes:
    """Print the book with Chromium, its contents filled with the pages of a first print; PDF bytes."""
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = launch(playwright)
        page = browser.new_context(java_script_enabled=False, offline=True).new_page()
        source, pages, printed = Path(folder) / "book.html", {}, b""
        for _ in range(2):
            source.write_text(document(book, pages), encoding="utf-8")
            page.goto(source.as_uri(), timeout=0)
            printed = page.pdf(prefer_css_page_size=True, print_background=True, tagged=True, outline=True)
            pages = pages_of_targets(PdfReader(io.BytesIO(printed)))
        browser.close()
    return printed


def pages_of_targets(reader: PdfReader) -> dict[str, int]:
    """Return the page, counted from 1, of each id that a link of the file leads to."""
    return {
        name.removeprefix("/"): reader.get_destination_page_number(target) + 1
        for name, target in reader.named_destinations.items()
    }


def make_pdf(book: Book) -> bytes:
    """Return the book as a PDF; its date is the edition's."""
    writer = PdfWriter(clone_from=io.BytesIO(print_twice(book)))
    correct_text(writer)
    date = f"D:{datetime.fromisoformat(book.date):%Y%m%d}000000Z"
    writer.add_metadata(
        {"/Title": book.title, "/Author": book.author, "/CreationDate": date, "/ModDate": date}
    )
    written = io.BytesIO()
    writer.write(written)
    return packed(written)


def packed(file: io.BytesIO) -> bytes:
    """Return a PDF with its objects compressed: a tagged book has more of them than of anything else."""
    smaller = io.BytesIO()
    with pikepdf.open(file) as book:
        book.save(smaller, object_stream_mode=pikepdf.ObjectStreamMode.generate, deterministic_id=True)
    return smaller.getvalue()
