"""Predict, then reveal: after a guess the answer stays out of sight until the reader commits to it.

What is hidden: the outputs of the code cells right below a guess, and all that follows up to the next heading
or guess, except explorers and what introduces them. It stands in the page; `scripts/guesses.js` hides it, so
that without a script all is shown.
"""

from pathlib import Path

import nbformat
from bs4 import BeautifulSoup, Tag
from sphinx.application import Sphinx
from sphinx.util import logging

from book_tools.audit.expressions import ExpressionError
from book_tools.audit.guesses import Guess, guesses
from book_tools.audit.printed import Values
from book_tools.language import Language, spoken_by
from book_tools.site.pages import Page, on_page
from book_tools.site.scripts import write_script
from transformer_book.printing import format_number

logger = logging.getLogger(__name__)
SCRIPT = "guesses.js"
_MARKS = "data.guess, data.option"
_NUMBER = """<fieldset><legend>{said.ask_number}</legend><label><span
class="guess-label">{said.my_guess}</span>
<input type="text" autocomplete="off" size="8"> <span class="guess-unit"></span></label>
</fieldset>"""
_CHOICE = "<fieldset><legend>{said.ask_choice}</legend></fieldset>"
_FORM = """<form novalidate>{fieldset}<p class="guess-buttons"><button type="submit">{said.commit}</button>
<button type="button" class="guess-skip">{said.skip}</button>
<button type="button" class="guess-again">{said.guess_again}</button></p>
<p class="guess-result" role="status" tabindex="-1"></p></form>"""


def set_guesses(page: Page) -> None:
    """Give each guess of a page its form, and close what answers it."""
    places = page.select("article data.guess, article data.option")
    path = Path(page.app.env.doc2path(page.name)) if places else None
    if not places or path.suffix != ".ipynb":
        return
    notebook = nbformat.read(path, as_version=4)
    values, used = Values(notebook), set()
    language = spoken_by(page.app)
    asked = [guess for guess in guesses(notebook, language) if guess.marks]
    if sum(len(guess.marks) for guess in asked) != len(places):
        logger.warning("a guess stands where it cannot be asked", location=page.name)
        return
    for guess in asked:
        own, places = places[: len(guess.marks)], places[len(guess.marks) :]
        name = f"guess-{notebook.cells[guess.cell - 1].id}"
        while name in used:
            name += "-2"
        used.add(name)
        try:
            _set(page.soup, guess, own, name, values, language)
        except ExpressionError as error:
            logger.warning("%s", error, location=page.name)


def _set(
    soup: BeautifulSoup, guess: Guess, marks: list[Tag], name: str, values: Values, language: Language
) -> None:
    """Put one guess's form below its paragraph, or around its list, and close its answer."""
    answer = guess.answer(values)
    form = soup.new_tag("guess-form", id=name)
    fieldset = (_CHOICE if guess.is_choice else _NUMBER).format(said=language.site)
    form.append(BeautifulSoup(_FORM.format(fieldset=fieldset, said=language.site), "html.parser"))
    if guess.is_choice:
        block = marks[0].find_parent(["ul", "ol"])
        block.insert_before(form)
        form.fieldset.append(block)
        for mark, right in zip(marks, answer, strict=True):
            _make_radio(soup, mark, name, right)
    else:
        marks[0].find_parent("p").insert_after(form)
        marks[0].decompose()
        shown, unit = _shown(guess.marks[0].key, answer, values)
        form["data-shown"] = shown
        form["data-answer"] = repr(100 * answer if unit == "%" else answer)
        form.select_one(".guess-unit").string = unit
    for part in parts_of_answer(form):
        part.wrap(soup.new_tag("guess-answer", attrs={"data-guess": name}))


def _make_radio(soup: BeautifulSoup, mark: Tag, name: str, right: bool) -> None:
    """Make an option of a list something to choose."""
    label = soup.new_tag("label")
    button = soup.new_tag(
        "input", attrs={"type": "radio", "name": name, "data-right": str(bool(right)).lower()}
    )
    mark.insert_before(label)
    label.extend([button, " ", *list(mark.contents)])
    mark.decompose()


def _shown(expression: str, answer: float, values: Values) -> tuple[str, str]:
    """Return the answer as text, as the cell prints it where it is one value, and its unit."""
    key = expression.strip().removeprefix("{").removesuffix("}")
    if "{" in key or not values.has(key):
        return format_number(answer, 0 if answer == int(answer) else 3), ""
    text = values.text(key)
    _, _, unit = text.partition(" ")
    return text, unit


def parts_of_answer(form: Tag) -> list[Tag]:
    """List what answers the guess of a form: outputs right below, then all behind them up to the next guess.

    Explorers stay, for they are to be tried out, and so does the paragraph right above one, which says how,
    unless it is the first behind the cells: that tells the answer. Text between the guess and the first cell
    belongs to the guess.
    """
    found, reached = [], "the guess"
    for part in _block(form).find_next_siblings():
        is_cell = "cell" in part.get("class", [])
        begins_another = part.select_one(f"{_MARKS}, guess-form") or _asks_for_a_choice(part)
        if part.name in ("section", "guess-form") or begins_another:
            break
        if reached == "the answer":
            reached = "the text"
        elif not is_cell and reached == "the cells":
            reached = "the answer"
        if reached in ("the answer", "the text"):
            to_try = _is_explorer(part) or (reached == "the text" and _introduces_explorer(part))
            found += [] if to_try else [part]
        elif is_cell:
            reached = "the cells"
            found += [output for output in part.select(".cell_output") if not _is_explorer(output)]
    return found


def _is_explorer(part: Tag | None) -> bool:
    return part is not None and part.name != "section" and bool(part.select("[data-state]"))


def _asks_for_a_choice(part: Tag) -> bool:
    following = part.find_next_sibling()
    return following is not None and following.name in ("ul", "ol") and bool(following.select("data.option"))


def _introduces_explorer(part: Tag) -> bool:
    return part.name == "p" and _is_explorer(part.find_next_sibling())


def _block(tag: Tag) -> Tag:
    """Return the child of the page's section that a tag stands in, or is."""
    while tag.parent.name not in ("section", "article"):
        tag = tag.parent
    return tag


def load_script(page: Page) -> None:
    """Load the script right before a page's first guess: no answer is drawn before it is closed."""
    first = page.soup.find("guess-form")
    if first:
        version = write_script(page.app, SCRIPT, "guessWords", spoken_by(page.app).site.told)
        first.insert_before(page.soup.new_tag("script", src=f"_static/{SCRIPT}?v={version}"))


def setup(app: Sphinx) -> dict[str, object]:
    """Set the guesses of every page."""
    on_page(app, set_guesses)
    on_page(app, load_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
