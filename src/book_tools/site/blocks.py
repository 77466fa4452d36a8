"""Blocks that plain text marks and the site styles: notes, proofs, answers, exercises.

* ``> **Title**`` alone in its paragraph begins a note; ``<!-- tip -->`` behind it names another kind.
* ``<div class="proof">`` holds a statement, whose first paragraph is bold alone, or a proof.
* ``<details>`` folds an answer or a hint. Code behind them at a section's end is folded with the answer that
  shows what it prints, so that no page ends with code that checks.
* A heading ``Exercise 12.4 …``, as the language's ``Marks`` write it, begins an exercise.
"""

import itertools

from bs4 import Comment, Tag
from sphinx.application import Sphinx

from book_tools.audit.printed import printed_lines
from book_tools.language import spoken_by
from book_tools.site.pages import Page, on_page


def bold_alone(paragraph: Tag | None) -> Tag | None:
    """Return the bold text that a paragraph consists of, or None."""
    if paragraph is None or paragraph.name != "p":
        return None
    parts = [part for part in paragraph.contents if isinstance(part, Tag) or str(part).strip()]
    words = [part for part in parts if not isinstance(part, Comment)]
    return words[0] if len(words) == 1 and words[0].name == "strong" else None


def make_title(paragraph: Tag) -> None:
    """Make a paragraph of bold text the title of its block."""
    title = bold_alone(paragraph)
    paragraph["class"] = "admonition-title"
    paragraph.clear()
    paragraph.extend(list(title.contents))


def notes(page: Page) -> None:
    """Turn block quotes with a title into notes."""
    for quote in page.select("article blockquote"):
        first = quote.find("p")
        if bold_alone(first) is None:
            continue
        kind = first.find(string=lambda text: isinstance(text, Comment))
        quote["class"] = ["admonition", kind.strip() if kind else "note"]
        make_title(first)
        if quote.div:
            quote.div.unwrap()
        quote.name = "div"


def statements(page: Page) -> None:
    """Give what a proof proves its title."""
    for block in page.select("article div.proof"):
        first = block.find(True)
        if bold_alone(first) is not None:
            make_title(first)
            block["class"] = ["admonition", "proof", "property"]


def folds(page: Page) -> None:
    """Style what is folded; no script is needed to open it."""
    for block in page.select("article details:not([class])"):
        block["class"] = ["admonition", "dropdown"]
        block.find("summary", recursive=False)["class"] = "admonition-title"


def exercises(page: Page) -> None:
    """Mark exercises."""
    for section in page.select("article section"):
        heading = section.find(["h2", "h3", "h4"], recursive=False)
        if heading is None or not spoken_by(page.app).marks.exercise.match(heading.text):
            continue
        section["class"] = "exercise"


def code_of_answers(page: Page) -> None:
    """Fold the code at a section's end with the answer that it computes: the last that shows its values."""
    for section in page.select("article section"):
        if not (answers := section.find_all("details", recursive=False)):
            continue
        behind = reversed(answers[-1].find_next_siblings())
        for cell in reversed(list(itertools.takewhile(_is_cell, behind))):
            shown = [answer for answer in answers if _printed(cell) & _keys(answer)]
            (shown or answers)[-1].append(cell)


def _is_cell(tag: Tag) -> bool:
    return "cell" in tag.get("class", [])


def _printed(cell: Tag) -> set[str]:
    return {key for stream in cell.select(".stream pre") for key, _ in printed_lines(stream.get_text())}


def _keys(answer: Tag) -> set[str]:
    return {data["value"].partition("[")[0] for data in answer.select("data[value]")}


def setup(app: Sphinx) -> dict[str, object]:
    """Style the blocks of every page."""
    for change in (notes, statements, folds, exercises, code_of_answers):
        on_page(app, change)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
