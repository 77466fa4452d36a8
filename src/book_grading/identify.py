"""Which cell of the set each cell of a submission is, whatever an editor did to its marks."""

import re

from book_grading.source_notebooks import released

WORD = re.compile(r"\w+")
FUNCTION = re.compile(r"(?:async +)?def +(\w+)")


def tidy(source):
    """Return a cell's text without what editors change at the ends of its lines."""
    return "\n".join(line.rstrip() for line in source.strip().split("\n"))


def identify(assignment, submission):
    """Return, for each of a submission's cells, the position in the set of the cell that it is, or None.

    nbgrader's mark tells; where a notebook has lost all of them, nbformat's own id; then an unchanged text;
    then, for an answer that is nowhere else, the names that a cell defines.
    """
    cells = assignment.cells
    marks = {cell.grade_id: i for i, cell in enumerate(cells) if cell.grade_id}
    marked = any(cell.grade_id in marks for cell in submission.cells)
    ids = {} if marked else {cell.id: i for i, cell in enumerate(cells) if cell.id}
    texts = {tidy(released(cell)): i for i, cell in enumerate(cells) if cell.role != "derivation"}
    found = []
    for cell in submission.cells:
        i = marks.get(cell.grade_id, ids.get(cell.id, texts.get(tidy(cell.source))))
        found.append(i if i is not None and cells[i].kind == cell.kind else None)
    wanted = {
        name: i
        for i, cell in enumerate(cells)
        if cell.role == "answer" and i not in found
        for name, _ in cell.answers
    }
    for place, cell in enumerate(submission.cells):
        if wanted and found[place] is None and cell.kind == "code":
            found[place] = next((wanted[name] for name in defined(cell.source) if name in wanted), None)
    return found


def defined(source):
    """Yield the names that stand left of an equals sign, or are functions, at the left margin of a cell."""
    for line in source.split("\n"):
        function = FUNCTION.match(line)
        if function:
            yield function[1]
        elif not line[:1].isspace():
            head, equals, _ = line.partition("=")
            yield from WORD.findall(head) if equals else ()
