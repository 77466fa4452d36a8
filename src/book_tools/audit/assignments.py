"""References of the assignments to the book: what they name exists, and the cells below belong to it."""

import itertools
import re

from book_tools.audit.labels import CHAPTER, book_labels
from book_tools.language import CHINESE
from book_tools.notebooks.files import untied_outputs
from transformer_book import equations

_ROW = re.compile(r"^\| (\d+\.\d+) \| `(\w+)`", re.MULTILINE)
_GRADED = re.compile(r"-(\d+)$")


def assignment_faults(notebook, language=CHINESE):
    """Yield (number of the cell, text, what is wrong): stale outputs, and references to another thing."""
    for number, fault in untied_outputs(notebook):
        yield number, "", fault
    exercise = equation = None
    seen, marks = set(), language.marks
    headings = (marks.exercise_heading.format(chapter=CHAPTER), marks.equation_heading)
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type == "markdown":
            yield from (
                (number, text, "the book has none of this number") for text in _unknown(cell.source, marks)
            )
            if re.match("#+ ", cell.source):
                exercise, equation = (re.search(heading, cell.source, re.MULTILINE) for heading in headings)
                if exercise and exercise[0] in seen:
                    yield number, exercise[0], "this exercise stands twice"
                seen.add(exercise and exercise[0])
        graded = _GRADED.search(cell.metadata.get("nbgrader", {}).get("grade_id", ""))
        if exercise and graded and graded[1] != exercise[1]:
            yield number, graded.string, f"this cell stands below exercise {CHAPTER}.{exercise[1]}"
        names = re.findall(r"^def (\w+)", cell.source, re.MULTILINE) if cell.cell_type == "code" else []
        if equation and names and equation_of(names[0]) != equation[1]:
            yield number, names[0], f"is no function of equation {equation[1]}"
        equation = None if names else equation  # the first function below is the answer


def _unknown(markdown, marks):
    """Yield each mention of a numbered thing that the book does not have."""
    counts = book_labels().counts
    for kind, number in marks.mention.findall(markdown):
        chapter, _, count = number.partition(".")
        if chapter != str(CHAPTER) or not 1 <= int(count) <= counts[marks.mentioned[kind]]:
            yield f"{kind} {number}"


def equation_of(name):
    """Return the number of the equation whose function has these words in its name, and the fewest others."""
    words = set(name.split("_"))
    fitting = [
        (len(function), number)
        for number, function in _ROW.findall(equations.__doc__)
        if words <= set(function.split("_"))
    ]
    return min(itertools.chain(fitting, [(99, None)]))[1]
