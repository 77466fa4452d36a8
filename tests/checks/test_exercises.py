"""The exercises as a set: how many, how hard, each with a computed answer, the open ones with marks."""

import re

import pytest

from book_tools.audit.printed import Values
from book_tools.notebooks.files import BOOK, read

HEADING = re.compile(r"^### 练习 12\.(\d+) (★+) ", re.MULTILINE)


@pytest.fixture(scope="module")
def page():
    return read(BOOK / "13_exercises.ipynb")


@pytest.fixture(scope="module")
def exercises(page):
    """Each exercise's number: its stars, its text, and the cell behind it."""
    found = {}
    for cell, following in zip(page.cells, [*page.cells[1:], None], strict=True):
        if heading := HEADING.search(cell.source):
            found[int(heading[1])] = (len(heading[2]), cell.source, following)
    return found


def test_there_are_24_a_third_of_two_stars_and_at_least_five_of_three(exercises):
    assert list(exercises) == list(range(1, 25))
    stars = [stars for stars, _, _ in exercises.values()]
    assert stars.count(2) == 8
    assert stars.count(3) >= 5


def test_each_has_an_answer_and_a_cell_that_computes_it(exercises):
    without = [
        number
        for number, (_, text, cell) in exercises.items()
        if f"<summary>练习 12.{number} 的解答</summary>" not in text or cell.cell_type != "code"
    ]
    assert not without, f"no answer, or no cell behind it: {without}"


def test_each_open_one_has_marks_that_add_up(exercises, page):
    values = Values(page)
    for number, (stars, text, _) in exercises.items():
        rows = re.findall(rf'\| <data value="(e{number}\.(?:marks\[\d+\]|full))">(\d+)</data> \|', text)
        if stars < 3:
            assert not rows, f"marks in 12.{number}, which is not open"
            continue
        assert "<summary>评分标准</summary>" in text, f"12.{number} has no marks"
        *marks, full = (int(mark) for _, mark in rows)
        assert sum(marks) == full == values.value(f"e{number}.full"), f"12.{number}: {marks} and {full}"
