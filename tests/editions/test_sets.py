"""The assignments in another language: the same code, tests and points, its own text and messages."""

import re
import shutil

import pytest

from book_tools.editions.sets import align_set, check_sets, sets_in, stamp_set
from book_tools.language import ENGLISH
from book_tools.notebooks.files import ROOT, NotebookError, assignments, read, read_text, to_bytes

HAN = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")


@pytest.fixture
def root(tmp_path):
    """A copy of the assignments, to be changed."""
    shutil.copytree(ROOT / "assignments", tmp_path / "assignments")
    return tmp_path


def change(path, name, old, new):
    """Replace text in a cell of a set, by the cell's id."""
    page = read(path)
    (cell,) = (cell for cell in page.cells if cell.id == name)
    assert old in cell.source
    cell.source = cell.source.replace(old, new)
    path.write_bytes(to_bytes(page))


def faults(root):
    """Return what is said about each set: (set, what)."""
    return [(finding.page, finding.text, finding.expected) for finding in check_sets(root)]


def first_of(root, name):
    """Return the path of a set of the first edition."""
    return root / "assignments" / "source" / name / f"{name}.ipynb"


def english(root, name):
    """Return the path of a set in English."""
    return root / "assignments" / "en" / "source" / name / f"{name}.ipynb"


def test_every_set_has_its_counterpart_in_english():
    assert [path.stem for path in sets_in(ENGLISH)] == [path.stem for path in assignments()]
    assert faults(ROOT) == []


@pytest.mark.parametrize("path", sets_in(ENGLISH), ids=lambda path: path.stem)
def test_an_english_set_has_no_chinese_in_it(path):
    assert not HAN.findall(read_text(path))


def test_other_code_in_a_counterpart_is_named(root):
    path = english(root, "code")
    change(path, "test-count", "checks = Checks(4)", "checks = Checks(5)")
    advice = "run `python -m book_tools.editions align en code`"
    assert faults(root) == [
        ("en/code.ipynb", "test-count", f"differs from its counterpart in source; {advice}")
    ]


def test_text_whose_counterpart_changed_is_named_until_it_is_stamped(root):
    path = first_of(root, "hand")
    change(path, "text-6", "共有多少个参数", "一共有多少个参数")
    ((_, cell, fault),) = faults(root)
    assert cell == "text-6"
    assert "read both, then stamp this cell" in fault
    stamp_set(path, ENGLISH, ["text-6"], root)
    assert faults(root) == []


def test_a_new_message_has_to_be_said_in_the_set_s_language(root):
    path = first_of(root, "hand")
    change(path, "test-6", "你漏了 13D 这一项。", "你漏了一项。")
    align_set(path, ENGLISH, root)
    ((name, line, fault),) = faults(root)
    assert name == "en/hand.ipynb"
    assert "你漏了一项。" in line
    assert fault == "said.csv must say this in the set's language"


def test_a_set_that_is_missing_or_has_no_counterpart_is_named(root):
    path = english(root, "project")
    path.rename(path.with_name("other.ipynb"))
    (missing, extra) = faults(root)
    assert (missing[0], extra[0]) == ("en/project.ipynb", "en/other.ipynb")
    assert "the set is missing; run `python -m book_tools.editions align en project`" in missing[2]
    assert extra[2] == "the first edition has no such set"


def test_another_title_of_a_counterpart_is_named(root):
    path = english(root, "hand")
    page = read(path)
    page.metadata["book_tools"]["title"] = "Otherwise"
    path.write_bytes(to_bytes(page))
    ((name, _, fault),) = faults(root)
    assert name == "en/hand.ipynb"
    assert fault.startswith("title, language or limits differ")


def test_aligning_again_changes_nothing(root):
    path = english(root, "code")
    before = path.read_bytes()
    align_set(first_of(root, "code"), ENGLISH, root)
    assert path.read_bytes() == before


def test_text_that_is_not_written_cannot_be_stamped(root):
    target = english(root, "hand")
    target.unlink()
    align_set(first_of(root, "hand"), ENGLISH, root)
    with pytest.raises(NotebookError, match="the text of cell intro must be written first"):
        stamp_set(first_of(root, "hand"), ENGLISH, (), root)
