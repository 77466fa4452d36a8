"""Captions: the paragraph below a figure or above a table, in the notebook, becomes the caption of its page.

``**Figure 12.1**: …`` and, for what has no number, ``**Figure**: …``, as the language's ``Marks`` write it.
"""

import re

from bs4 import Tag
from sphinx.application import Sphinx
from sphinx.util import logging

from book_tools.language import spoken_by
from book_tools.site.pages import Page, on_page

logger = logging.getLogger(__name__)


def captions(page: Page) -> list[tuple[re.Match, Tag, Tag]]:
    """List (mark, its node, the paragraph) for the captions of a page."""
    language = spoken_by(page.app)
    marks = [
        (language.caption.fullmatch(strong.text), strong)
        for strong in page.select("article p > strong:first-child")
    ]
    return [
        (mark, strong, strong.parent)
        for mark, strong in marks
        if mark and str(strong.next_sibling or "").startswith(language.marks.caption_gap)
    ]


def content(page: Page, mark: re.Match, strong: Tag, paragraph: Tag) -> list[Tag]:
    """Return what a caption holds: its number, its text, and a link to it where it has an id."""
    language = spoken_by(page.app)
    text = page.soup.new_tag("span", attrs={"class": "caption-text"})
    strong.next_sibling.replace_with(strong.next_sibling.removeprefix(language.marks.caption_gap))
    strong.extract()
    text.extend(list(paragraph.contents))
    parts = [text]
    if mark["number"]:
        number = page.soup.new_tag("span", attrs={"class": "caption-number"})
        number.string = f"{mark[0]} "
        parts.insert(0, number)
    if paragraph.get("id"):
        link = page.soup.new_tag("a", href=f"#{paragraph['id']}", title=language.site.links[mark["kind"]])
        link["class"], link.string = "headerlink", "#"
        parts.append(link)
    return parts


def owner_of(is_figure: bool, paragraph: Tag) -> Tag | None:
    """Return the image above the paragraph, or the table below it."""
    if is_figure:
        above = paragraph.find_previous_sibling()
        return above and above.select_one("img")
    below = paragraph.find_next_sibling()
    return below if below is None or below.name == "table" else below.select_one("table")


def set_captions(page: Page) -> None:
    """Move each caption of a page to its figure or table; one without is a warning."""
    for mark, strong, paragraph in captions(page):
        is_figure = mark["kind"] == spoken_by(page.app).marks.figure
        owner = owner_of(is_figure, paragraph)
        if owner is None:
            logger.warning("a caption stands beside no figure or table: %s", mark[0], location=page.name)
            continue
        parts = content(page, mark, strong, paragraph)
        if is_figure:
            if owner.parent.name == "p":
                owner.parent.unwrap()
            owner = owner.wrap(page.soup.new_tag("figure", attrs={"class": "align-default"}))
            caption = page.soup.new_tag("figcaption")
            owner.append(caption)
            caption = caption.append(page.soup.new_tag("p"))
        else:
            caption = page.soup.new_tag("caption")
            owner.insert(0, caption)
        caption.extend(parts)
        if paragraph.get("id"):
            owner["id"] = paragraph["id"]
        paragraph.extract()


def setup(app: Sphinx) -> dict[str, object]:
    """Set the captions of every page."""
    on_page(app, set_captions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
