"""References of the assignments to the book's exercises and equations: each planted mistake is named."""

import copy
import re

import pytest

from book_tools.audit.assignments import assignment_faults, equation_of
from book_tools.audit.labels import book_labels
from book_tools.notebooks.files import assignments, read


@pytest.fixture(scope="module", params=assignments(), ids=lambda path: path.stem)
def notebook(request):
    return read(request.param)


def test_a_sound_assignment_has_no_fault(notebook):
    assert list(assignment_faults(notebook)) == []


def test_each_heading_with_another_number_is_named(notebook):
    """An exercise's heading by its cells, an equation's by its function; whatever the number becomes."""
    for index, cell in enumerate(notebook.cells):
        for match in re.finditer(r"(?:^#+ 练习 12\.|（式 12\.)(\d)", cell.source):
            for digit in set("123456789") - {match[1]}:
                changed = copy.deepcopy(notebook)
                changed.cells[index].source = (
                    cell.source[: match.start(1)] + digit + cell.source[match.end(1) :]
                )
                assert list(assignment_faults(changed)), f"{match[0]} may become {digit}"


@pytest.mark.parametrize("mention", ["练习 {ex}", "式 12.10", "图 12.4", "表 12.2", "式 11.1"])
def test_a_mention_of_what_the_book_lacks_is_named(mention):
    notebook = read(assignments()[0])
    mention = mention.format(ex=f"12.{book_labels().counts['ex'] + 1}")
    notebook.cells[0].source += f"\n\n见{mention}。"
    assert (1, mention, "the book has none of this number") in list(assignment_faults(notebook))


def test_an_answer_below_another_exercise_is_named():
    (hand,) = (read(path) for path in assignments() if path.stem == "hand")
    for cell in hand.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "answer-6":
            cell.metadata["nbgrader"]["grade_id"] = "answer-4"
    (fault,) = assignment_faults(hand)
    assert fault[1:] == ("answer-4", "this cell stands below exercise 12.6")


def test_an_exercise_that_stands_twice_is_named():
    (hand,) = (read(path) for path in assignments() if path.stem == "hand")
    heading = next(cell for cell in hand.cells if re.match(r"#+ 练习 12\.", cell.source))
    hand.cells.append(copy.deepcopy(heading))
    ((number, text, fault),) = assignment_faults(hand)
    assert (number, fault) == (len(hand.cells), "this exercise stands twice")
    assert heading.source.startswith(text)


@pytest.mark.parametrize(
    ("name", "number"),
    [("self_attention", "12.3"), ("scaled_attention", "12.5"), ("rope", "12.7"), ("softmax", None)],
)
def test_a_function_belongs_to_its_equation(name, number):
    assert equation_of(name) == number
