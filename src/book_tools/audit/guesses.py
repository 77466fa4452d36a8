"""Guesses that a reader commits to before the answer: what each asks for, and what the answer is.

A text cell bears the mark of its language's guesses and asks for one number, or for one choice from a list:

    **Make a guess**: how many positions away? <data class="guess" value="{distance.cat}"></data>

    **Make a guess**: do the scores change?

    * <data class="option" value="{scores.kept}">none of them</data>
    * <data class="option" value="not {scores.kept}">all of them</data>

The values are expressions (`expressions`) over what code cells print; the cells right below, up to the next
text, print at least one of their keys. Exactly one option is true. A number in an option stands in its
condition.
"""

import ast
import dataclasses
import re

import numpy as np
from nbformat.v4 import new_notebook

from book_tools.audit.expressions import Expression, ExpressionError, truth
from book_tools.audit.printed import Values
from book_tools.audit.prose import Lines, Piece, names, pieces
from book_tools.audit.quantities import quantities
from book_tools.audit.report import Finding
from book_tools.language import CHINESE

_SMALL = 4  # numbers in words up to four things in plain sight are no answers
_NO_NUMBERS = re.compile(r"\$[^$]*\$|`[^`]*`|<data .*?</data>")  # what is bound is checked with the prose


@dataclasses.dataclass(frozen=True)
class Guess:
    """One guess: its text cell (from 1), the place of its mark there, and its number or its options."""

    cell: int
    start: int
    marks: tuple[Piece, ...]

    @property
    def is_choice(self):
        return self.marks[0].kind == "option"

    def answer(self, values):
        """Return the number that is right, or for each option whether it is; ExpressionError says why not."""
        if self.is_choice:
            return [truth(mark.key, values) for mark in self.marks]
        found = Expression(self.marks[0].key).evaluate(values)
        if isinstance(found, bool | np.bool_ | str) or np.ndim(found) or not np.isfinite(found):
            raise ExpressionError(f"{self.marks[0].key} must be one number; got {found}")
        return float(found)


def guesses(notebook, language=CHINESE):
    """List the guesses of a notebook, in order."""
    found, mark = [], language.marks.guess
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type == "markdown" and mark in cell.source:
            starts = [match.start() for match in re.finditer(re.escape(mark), cell.source)]
            marks = _marks(cell.source)
            for start, end in zip(starts, [*starts[1:], len(cell.source)], strict=True):
                own = tuple(mark for mark in marks if start < mark.start < end)
                found.append(Guess(number, start, own))
    return found


def _marks(source):
    return [piece for piece in pieces(source) if piece.kind in ("guess", "option")]


def cells_below(notebook, number, language=CHINESE):
    """List the code cells below a text cell, up to the next text; a figure's caption is none."""
    found = []
    for cell in notebook.cells[number:]:
        if cell.cell_type == "code":
            found.append(cell)
        elif not language.figure_caption.match(cell.source):
            break
    return found


def check_guesses(notebook, page, language=CHINESE):
    """Yield the findings of a notebook's guesses."""
    values, asked = Values(notebook), guesses(notebook, language)
    for guess in asked:
        lines = Lines(notebook.cells[guess.cell - 1].source)
        for start, text, expected in _faults(guess, values, notebook, language):
            yield Finding(page, guess.cell, lines.at(start), text, expected)
    within = {mark for guess in asked for mark in guess.marks}
    for number, cell in enumerate(notebook.cells, start=1):
        for mark in _marks(cell.source) if cell.cell_type == "markdown" else []:
            if mark not in within:
                line = Lines(cell.source).at(mark.start)
                yield Finding(page, number, line, mark.key, f"stands behind no {language.marks.guess}")


def _faults(guess, values, notebook, language):
    """Yield (place, text, what is wrong) for one guess."""
    kinds, name = [mark.kind for mark in guess.marks], language.marks.guess
    if kinds != ["guess"] and (set(kinds) != {"option"} or len(kinds) == 1):
        yield guess.start, name, f"must ask for one number or one choice of several; got {kinds or 'neither'}"
        return
    below = Values(new_notebook(cells=cells_below(notebook, guess.cell, language)))
    try:
        keys = {key for mark in guess.marks for key in Expression(mark.key).keys}
        right = guess.answer(values)
    except ExpressionError as error:
        yield guess.start, name, str(error)
        return
    if not any(below.has(key) for key in keys):
        yield guess.start, name, f"the cells right below must print one of {', '.join(sorted(keys))}"
    if not guess.is_choice:
        return
    if sum(right) != 1:
        yield guess.start, name, f"exactly one option must be true; got {sum(right)} of {len(right)}"
    for mark in guess.marks:
        missing = [
            q for q in _numbers(mark.text, language) if not _stands_in(float(q.value), mark.key, values)
        ]
        for quantity in missing:
            yield (
                mark.start,
                mark.text,
                f"the number {float(quantity.value):g} must stand in its condition, {mark.key}",
            )


def _numbers(text, language):
    """The numbers that an option shows: all in digits, and those in words above four and between."""
    text = _NO_NUMBERS.sub("", text)
    for name in names():
        text = text.replace(name, "")
    in_digits = re.search(r"\d", text) is not None
    return [q for q in quantities(text, language) if in_digits or q.value > _SMALL or q.value.denominator > 1]


def _stands_in(number, condition, values):
    """Say whether a condition compares with a number: a constant in it, or what a key of it prints."""
    expression = Expression(condition)
    known = [value for value in expression.operands(values) if isinstance(value, int | float)]
    for node in ast.walk(expression.tree):
        if not any(isinstance(part, ast.Name) for part in ast.walk(node)):
            try:
                known.append(float(expression.worth([], node)))
            except (ExpressionError, TypeError, ValueError):
                continue  # a piece that is no number by itself
    return any(np.isclose(number, value, rtol=1e-9, atol=0) for value in known)
