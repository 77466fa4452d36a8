"""The student version: nothing of the solutions in it, the same cells as nbgrader makes, a zip of its own."""

import ast
import copy
import json
import re
import sys
import zipfile

import pytest

from book_grading import matching, release, submissions
from book_grading import source_notebooks as notebooks
from book_grading.roster import Roster, Student
from book_grading.source_notebooks import BadSet

NAMES = ("hand", "code", "project")


@pytest.mark.parametrize("name", NAMES)
def test_no_solution_line_is_in_the_student_version(sets, tmp_path, name):
    assignment = sets[name]
    release.release(assignment, tmp_path)
    with zipfile.ZipFile(tmp_path / f"{name}.zip") as archive:
        (member,) = archive.namelist()
        text = "\n".join(release.strings_in(json.loads(archive.read(member))))
    lines = release.secret_lines(assignment)
    assert len(lines) > 40, "too few distinctive lines: the search below would say little"
    assert not [line for line in lines if line in text]
    assert not [word for word in (*notebooks.SOLUTION, *notebooks.HIDDEN) if word in text]


@pytest.mark.parametrize("place", ["source", "output", "metadata"])
def test_a_leak_anywhere_stops_the_release(sets, place):
    assignment = sets["code"]
    raw = json.loads(release.student_version(assignment))
    line = next(
        line for line in release.secret_lines(assignment) if "powers.sum(axis=0, keepdims=True)" in line
    )
    cell = next(cell for cell in raw["cells"] if cell["cell_type"] == "code")
    if place == "source":
        cell["source"] += ["\n", line]
    elif place == "output":
        cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": [line]}]
    else:
        cell["metadata"]["note"] = line
    with pytest.raises(BadSet, match="student version would show"):
        release.check_release(assignment, raw)


@pytest.mark.parametrize("name", NAMES)
def test_the_student_version_has_no_outputs_and_keeps_its_marks(sets, name):
    raw = json.loads(release.student_version(sets[name]))
    for cell, source in zip(raw["cells"], sets[name].raw["cells"], strict=True):
        assert cell["metadata"]["nbgrader"] == source["metadata"]["nbgrader"]
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


@pytest.mark.parametrize("name", NAMES)
def test_the_student_version_is_python_and_says_so(sets, name):
    for cell in sets[name].by_role("answer"):
        compile(notebooks.released(cell), cell.grade_id, "exec")
        assert "在这里写" in notebooks.released(cell)


def test_there_is_enough_to_mark(sets):
    tests = [cell for assignment in sets.values() for cell in assignment.by_role("test")]
    derivations = [cell for assignment in sets.values() for cell in assignment.by_role("derivation")]
    assert len(tests) >= 15
    assert len(derivations) >= 2
    assert any("12.4" in cell.title for cell in derivations)
    assert all(notebooks.HIDDEN[0] in cell.source for cell in tests), "every item has hidden tests"


@pytest.mark.parametrize("name", NAMES)
def test_points_of_the_checks_are_points_of_the_cell(sets, name):
    """A test cell's ``Checks(n)`` and nbgrader's points agree."""
    for cell in sets[name].by_role("test"):
        assert f"checks = Checks({cell.points})" in cell.source, cell.grade_id
        assert cell.source.endswith("checks.result()"), "nbgrader reads partial marks from the last value"


@pytest.mark.parametrize("name", NAMES)
def test_each_set_carries_the_checks_as_they_are(sets, name):
    import inspect

    from book_grading.checks import Checks

    setup = next(cell for cell in sets[name].cells if cell.grade_id == "setup")
    assert inspect.getsource(Checks).strip() in setup.source, "copy book_grading/checks.py into the set again"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda cells: cells[3]["metadata"].pop("nbgrader"), "needs nbgrader metadata"),
        (lambda cells: cells.append(copy.deepcopy(cells[2])), "appears twice"),
        (lambda cells: cells[4]["metadata"].pop("book_tools"), "needs a book_tools title"),
    ],
)
def test_a_set_that_cannot_be_marked_is_refused(sets, tmp_path, change, said):
    raw = copy.deepcopy(sets["code"].raw)
    change(raw["cells"])
    path = tmp_path / "broken.ipynb"
    path.write_text(json.dumps(raw), encoding="utf-8")
    with pytest.raises(BadSet, match=said):
        notebooks.read_set(path)


@pytest.mark.parametrize("text", ["{}", "[]", '{"cells": 3}', '{"cells": [{}]}'])
def test_json_that_is_no_notebook_is_refused(tmp_path, text):
    path = tmp_path / "broken.ipynb"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadSet, match="expected a source notebook, got JSON"):
        notebooks.read_set(path)


@pytest.mark.parametrize("name", NAMES)
def test_a_student_version_runs_alone_and_says_what_it_needs(sets, tmp_path, name):
    """Its cells read no file and import nothing but what its first cell says to install."""
    raw = json.loads(release.student_version(sets[name]))
    (line,) = re.findall(r"`pip install ([\w ]+)`", "".join(raw["cells"][0]["source"]))
    code = ["".join(cell["source"]) for cell in raw["cells"] if cell["cell_type"] == "code"]
    tree = ast.parse("\n".join(code))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    top = {module.split(".")[0] for module in imported}
    assert top - sys.stdlib_module_names == set(line.split()) - {"jupyterlab"}
    assert not re.search(r"\bopen\(|read_text|np\.load", "\n".join(code))


def test_with_a_roster_each_student_has_a_folder_and_a_zip(sets, tmp_path):
    roster = Roster((Student("12", "王五"), Student("0007")))
    paths = release.release(sets["code"], tmp_path, roster)
    assert {path.relative_to(tmp_path).as_posix() for path in paths} == {
        "code/12_王五/12.ipynb",
        "code/12_王五.zip",
        "code/0007/0007.ipynb",
        "code/0007.zip",
        "code.zip",
    }
    with zipfile.ZipFile(tmp_path / "code" / "12_王五.zip") as archive:
        assert archive.namelist() == ["code/12_王五/12.ipynb"]


def test_what_is_handed_out_is_known_again_when_it_comes_back(sets, tmp_path):
    """Even where IDs are as short as dates and exercise numbers, and nobody renamed a file."""
    roster = Roster(tuple(Student(str(n), f"学{chr(0x4E00 + n)}") for n in range(1, 41)))
    release.release(sets["code"], tmp_path, roster)
    papers = matching.assign(submissions.find_papers([tmp_path / "code"]), roster)
    notebooks = {paper.path.stem: paper.student for paper in papers if paper.path.suffix == ".ipynb"}
    assert notebooks == {student: student for student in roster.ids}
    assert not any(paper.notes for paper in papers if paper.path.suffix == ".ipynb")
