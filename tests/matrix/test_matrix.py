"""The matrix of conditions: what reaches the tests, and what its rows count."""

import os

import pytest

from book_tools import matrix

TESTS = """
import os
import pytest

def test_instruction_set():
    assert os.environ["OPENBLAS_CORETYPE"] == "NEHALEM" and os.environ["OMP_NUM_THREADS"] == "1"

def test_fails():
    assert False

@pytest.mark.skip(reason="to be counted")
def test_skipped():
    pass
"""


@pytest.fixture
def room(tmp_path, monkeypatch):
    (tmp_path / "test_room.py").write_text(TESTS, encoding="utf-8")
    monkeypatch.setattr(matrix, "ROOMS", {"room": [str(tmp_path), "--rootdir", str(tmp_path)]})
    return tmp_path


def test_a_row_counts_what_passed_failed_and_was_skipped(room, capsys):
    with pytest.raises(SystemExit) as ended:
        matrix.main(["room", "--only", "SSE4"])
    assert ended.value.code == 1
    shown = capsys.readouterr()
    assert "| SSE4 | room | 1 | 1 | 1 |" in shown.out
    assert "test_fails" in shown.err


def test_a_run_that_breaks_off_counts_as_failed(room, capsys):
    (room / "test_room.py").write_text("import none_such", encoding="utf-8")
    assert matrix.run_room("room", dict(os.environ))["failed"] == 1
    assert "none_such" in capsys.readouterr().err


def test_the_oldest_versions_are_those_of_the_package():
    assert sorted(matrix.oldest_requirements()) == ["numpy==2.0", "torch==2.6"]
