"""What Chinese typesetting asks for and browsers don't do."""

import re

from bs4 import NavigableString, Tag
from sphinx.application import Sphinx

from book_tools.site.pages import Page, on_page

BEFORE = re.compile(r"[（《“‘「【]+$")
AFTER = re.compile(r"^[，。、；：？！）》”’」】…]+")

HAN = re.compile(r"[\u4e00-\u9fff]")


def keep_marks(page: Page) -> None:
    """Begin no line with a closing mark after a formula, and end none with an opening one before it.

    A browser does so in text, but a drawn formula is a box to it, around which a line may break.
    """
    for formula in page.select("article span.math"):
        before = _split(formula.previous_sibling, BEFORE)
        after = _split(formula.next_sibling, AFTER)
        if before or after:
            piece = formula.wrap(page.soup.new_tag("span", attrs={"class": "unbroken"}))
            piece.insert(0, before)
            piece.append(after)


def _split(text: Tag | NavigableString | None, marks: re.Pattern) -> str:
    """Take the marks away from a text and return them; "" where there are none, or where it is no text."""
    match = marks.search(text) if isinstance(text, NavigableString) else None
    if not match:
        return ""
    text.replace_with(text[: match.start()] + text[match.end() :])
    return match[0]


def upright_terms(page: Page) -> None:
    """Mark emphasised Chinese, for the style sheet to set upright: slanted, its characters are distorted."""
    for emphasis in page.select("article em"):
        if HAN.search(emphasis.text):
            emphasis["class"] = "term"


def setup(app: Sphinx) -> dict[str, object]:
    """Set the text of every page."""
    on_page(app, keep_marks)
    on_page(app, upright_terms)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
