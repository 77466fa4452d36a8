"""No line begins with a closing mark or ends with an opening one, beside formulas too.

A browser knows this of text, but a drawn formula is a box to it, before and after which a line may break.
"""

import re

from bs4 import NavigableString, Tag
from sphinx.application import Sphinx

from book_tools.site.pages import Page, on_page

BEFORE = re.compile(r"[（《“‘「【]+$")
AFTER = re.compile(r"^[，。、；：？！）》”’」】…]+")


def keep_marks(page: Page) -> None:
    """Put each formula within a line, with the marks that touch it, into a piece that does not break."""
    for formula in page.soup.select("article span.math"):
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


def setup(app: Sphinx) -> dict[str, object]:
    """Keep the marks of every page where they belong."""
    on_page(app, keep_marks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
