"""Paper runs no script: explorers become tables, guesses questions with the answer below; folds open."""

from bs4 import Tag

from book_tools.print.chapters import Chapter


def make_plain(chapter: Chapter) -> None:
    """Make text of what a page does only on a screen."""
    body = chapter.body
    for change in (
        open_guesses,
        show_tables,
        print_values,
        show_code,
        open_folds,
        plain_cover,
        drop_navigation,
    ):
        change(body)
    for cell in body.select("div.cell"):
        cell["class"] = "cell"


def open_guesses(body: Tag) -> None:
    """Leave the question and its options; what answers them stands below, as in the notebook."""
    for form in body.select("guess-form"):
        options = form.select_one("fieldset ul, fieldset ol")
        for label in form.select("li label"):
            label.input.decompose()
            label.unwrap()
        form.replace_with(options) if options else form.decompose()
    for answer in body.select("guess-answer"):
        answer.unwrap()


def show_tables(body: Tag) -> None:
    """Put the tables of the default state, which stand in every explorer, in the explorer's place."""
    for explorer in body.select("[data-state]"):
        explorer.name = "div"
        explorer.attrs = {"class": "explorer"}


def print_values(body: Tag) -> None:
    """Set bound numbers as plain text: the code they come from is on the page."""
    for value in body.select("a.bound-value, data"):
        value.unwrap()


def show_code(body: Tag) -> None:
    """Leave the code of each cell, and what it printed once: as tables."""
    for fold in body.select("details.code"):
        fold.summary.decompose()
        fold.unwrap()
    for raw in body.select("details.raw"):
        raw.decompose()


def open_folds(body: Tag) -> None:
    """Open what is folded and left in place: code without a title, the rest with it."""
    for fold in body.select("details"):
        title = fold.find("summary", recursive=False)
        if "hide" in fold.get("class", []):
            title.decompose()
        else:
            title.name, title.attrs = "p", {"class": "title"}
        fold.name, fold.attrs = "div", {"class": "fold"}


def plain_cover(body: Tag) -> None:
    """Leave one drawing of the cover's sentence, with the arcs that stand there before a reader points.

    The small pictures of the sections go: in a list without the site's cards each would fill half a page.
    """
    for tag in body.select(
        ".arcs.tall, .arcs .word:not(.first) > .of, .opening figcaption, .start, .pictogram"
    ):
        tag.decompose()
    for word in body.select(".arcs .word"):
        del word["tabindex"], word["role"], word["aria-label"]


def drop_navigation(body: Tag) -> None:
    """Remove what helps on the site alone: lists of pages, buttons, empty notes for scripts."""
    for tag in body.select(".toctree-wrapper, button, script, style, template, noscript"):
        tag.decompose()
