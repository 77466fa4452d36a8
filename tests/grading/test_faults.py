"""A fault of the marker's own is never a student's mark: that paper has none, and another run marks it."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from book_grading import batch, marking, submissions
from book_grading.batch import Batch, Job, ReferenceFails
from book_grading.checks import Checks
from book_grading.sandbox import Limits, NoSandbox
from book_grading.source_notebooks import read_submission
from book_grading.student import MarkerFault, Student


@pytest.fixture
def run_one(makers, in_process, tmp_path, monkeypatch):
    """A function that runs one perfect paper through a Batch whose boxes are the given ones."""

    def run(box=in_process):
        maker = makers["code"]
        paper = submissions.Paper(tmp_path / "s.ipynb", "s.ipynb", "s")
        job = Job(paper, maker.assignment, read_submission(maker.data()), "key")
        monkeypatch.setattr(batch, "Sandbox", lambda *_, **__: box())
        ((_, result, fresh),) = Batch(maker.assignment, tmp_path / "out", workers=1).run([job])
        return result, fresh

    return run


class Faulty:
    """A box in which calls fail as the machine may."""

    limits = Limits()
    cpu_used = 0.0

    def __init__(self, error):
        self.error = error

    def request(self, op, **_):
        if op == "call":
            raise self.error
        return {"value": None}

    def close(self):
        """Nothing to end."""


def refuse():
    """Fail to open a box."""
    raise NoSandbox("no memory for another process")


def without_files():
    """A box on a machine that has run out of files."""
    return Faulty(OSError("too many open files"))


def with_half_a_module():
    """A box whose answers the marker fails to read."""
    return Faulty(AttributeError("module 'torch' has no attribute 'Tensor'"))


@pytest.mark.parametrize("box", [refuse, without_files, with_half_a_module])
def test_a_fault_of_the_markers_is_no_mark_and_is_not_kept(run_one, in_process, box):
    result, _ = run_one(box)
    assert "评分程序出错" in result["problem"]
    assert result["items"] == [], "a fault of the marker's own became marks"
    result, fresh = run_one(in_process)
    assert fresh, "the fault was kept for a result"
    assert {row["state"] for row in result["items"]} == {"full"}


def test_an_argument_that_does_not_cross_is_the_markers_fault(in_process):
    """Checks.equal catches what a student's function raises; this has to pass it by."""
    student = Student(in_process)
    student.run("def f(x): return x")
    with pytest.raises(MarkerFault, match="does not cross"):
        Checks(1).equal(1, lambda: student.call("f", [object()], {}), 1)


def test_a_paper_may_not_keep_the_marker_busy_for_ever(in_process, monkeypatch):
    student = Student(in_process)
    student.run("def f(x): return x")
    monkeypatch.setattr("time.thread_time", lambda: 1e6)
    with pytest.raises(MarkerFault, match="must take the marker at most 60 s of CPU time"):
        student.call("f", [1], {})


@pytest.mark.parametrize(
    ("shape", "told"), [((2, 3), "(2, 3)"), ((1, 3, 2), "(1, 3, 2)"), ((4,), "(4,)"), ((37, 85), "别的")]
)
def test_a_shape_near_the_right_one_is_told_and_one_that_could_carry_inputs_is_not(shape, told):
    checks = Checks(1)
    checks.equal(1, lambda: np.zeros(shape), np.zeros((3, 2)))
    assert checks.messages == [f"结果的形状应当是 (3, 2)，你的是 {told}。"]


def test_a_test_cell_that_fails_is_told_and_not_kept(run_one, monkeypatch):
    real = marking.judge

    def judge(*arguments):
        judged = real(*arguments)
        judged.row.update(points=None, state="broken test")
        return judged

    monkeypatch.setattr(marking, "judge", judge)
    assert {row["points"] for row in run_one()[0]["items"]} == {None}
    monkeypatch.setattr(marking, "judge", real)
    assert run_one()[1], "the failure was kept for a result"


def with_wrong_solution(assignment):
    """The set with a solution that does not get full marks."""
    cells = [
        replace(cell, source=cell.source.replace("2 * D\n", "3 * D\n"))
        if cell.grade_id == "answer-count"
        else cell
        for cell in assignment.cells
    ]
    return replace(assignment, cells=tuple(cells))


def test_a_reference_that_fails_with_one_students_numbers_stops_that_paper_alone(makers, unboxed, tmp_path):
    maker = makers["code"]
    good, bad = maker.assignment, with_wrong_solution(maker.assignment)
    running = Batch(good, tmp_path, workers=1)
    list(running.check_references([good, bad]))
    submission = read_submission(maker.data())
    jobs = [
        Job(submissions.Paper(None, key, key), one, submission, key) for key, one in (("a", good), ("b", bad))
    ]
    results = {job.key: result for job, result, _ in running.run(jobs)}
    assert results["a"]["problem"] is None
    assert "the reference gets" in results["b"]["problem"]
    with pytest.raises(ReferenceFails):
        list(Batch(bad, tmp_path, workers=1).check_references([bad]))


HALF_IMPORTED = """
import sys, types
import numpy as np
from book_grading import channel

sys.modules["torch"] = types.ModuleType("torch")  # another thread is still importing it
for value in (np.ones(3), np.float64(1), 3.5, {"K": np.zeros((2, 0))}):
    channel.decode(channel.encode(value))
"""


def test_values_cross_while_another_thread_imports_torch():
    """A classmate returned a tensor; a perfect paper beside it must not pay for the import."""
    run = subprocess.run([sys.executable, "-c", HALF_IMPORTED], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_a_tensor_among_perfect_papers_costs_nobody_a_point(makers, sandboxed, tmp_path):
    """A fresh process, two workers: the first tensor is decoded while other papers' values are encoded."""
    papers = tmp_path / "papers"
    papers.mkdir()
    source = makers["code"].solutions["answer-softmax"] + (
        "\nimport torch\nplain = softmax\ndef softmax(S): return torch.tensor(plain(S))"
    )
    (papers / "a tensor.ipynb").write_bytes(makers["code"].data({"answer-softmax": source}))
    for n in range(4):
        (papers / f"s{n}.ipynb").write_bytes(makers["code"].data())
    line = [sys.executable, "-m", "book_grading", "mark", "code", papers, "--out", tmp_path / "out"]
    run = subprocess.run([*line, "--workers", "2"], capture_output=True, text=True, timeout=300, check=False)
    for n in range(4):
        assert f"s{n}.ipynb: 41/41" in run.stdout, run.stdout + run.stderr


def test_two_sets_of_one_name_do_not_share_a_folder(sets, tmp_path):
    """The guide names a set by its file, and two courses may each have a ``quiz.ipynb``."""
    list(Batch(sets["code"], tmp_path, workers=1).run([]))
    list(Batch(sets["code"], tmp_path, workers=1).run([]))
    with pytest.raises(ValueError, match=r"--out must be a folder of .*hand\.ipynb alone"):
        list(Batch(sets["hand"], tmp_path, workers=1).run([]))


def test_the_process_whose_errors_are_quoted_has_no_solutions(makers, in_process):
    """An answer could keep the source of each cell that runs, and send a solution home in an error's text."""
    maker, boxes = makers["code"], []

    class Listening(in_process):
        def __init__(self):
            super().__init__()
            self.sources = []
            boxes.append(self.sources)

        def request(self, op, **fields):
            self.sources += [fields["source"]] if op == "run" else []
            return super().request(op, **fields)

    answers = {
        "answer-softmax": "def softmax(S):\n    return S",
        "answer-causal": "def causal_weights(S):\n    raise ValueError('my own words')",
    }
    result = marking.mark(maker.assignment, read_submission(maker.data(answers)), Listening)
    told = {row["id"]: " ".join(row["messages"]) for row in result["items"]}
    assert "my own words" in told["test-causal"]
    graded, quoting = boxes
    solution = maker.solutions["answer-softmax"]
    assert solution in graded, "no item was judged with a solution, so the check below would be empty"
    assert solution not in quoting
