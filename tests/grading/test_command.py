"""The command: refuses what is unsafe or wrong, stops and resumes, gives the same marks again."""

import csv
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from book_grading import batch, cli, marking

ROOT = Path(__file__).parents[2]


def command(*arguments, **settings):
    """Run the command from the repository's root."""
    line = [sys.executable, "-m", "book_grading", *map(str, arguments)]
    return subprocess.run(
        line, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False, **settings
    )


def class_of(makers, folder, count, name="code"):
    """Write submissions of which every other has an item wrong."""
    folder.mkdir()
    for n in range(count):
        wrong = {"answer-rope": "def rope(Q):\n    return Q + np.random.normal()"}
        (folder / f"s{n}.ipynb").write_bytes(makers[name].data(wrong if n % 2 else None))
    return folder


def marks(out):
    """The marks of a run, as bytes."""
    return (out / "code" / "marks.csv").read_bytes()


def test_same_submissions_same_marks(makers, tmp_path, sandboxed):
    papers = class_of(makers, tmp_path / "papers", 4)
    for out, workers in (("one", 1), ("two", 2)):
        assert command("mark", "code", papers, "--out", tmp_path / out, "--workers", workers).returncode == 0
    assert marks(tmp_path / "one") == marks(tmp_path / "two")


def heed_interrupts():
    """What a shell starts in the background ignores SIGINT, and so would its children; take that back."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_goes_on_where_it_was(makers, tmp_path, sandboxed, how):
    papers = class_of(makers, tmp_path / "papers", 6)
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert command("mark", "code", papers, "--out", whole).returncode == 0
    line = [
        sys.executable,
        "-m",
        "book_grading",
        "mark",
        "code",
        papers,
        "--out",
        parts,
        "--workers",
        "1",
    ]
    process = subprocess.Popen(
        line, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=heed_interrupts
    )
    deadline = time.monotonic() + 120
    while len(list((parts / "code" / "marks").glob("*.json"))) < 2:
        assert process.poll() is None, "the run ended before it could be stopped"
        assert time.monotonic() < deadline, "the first marks do not come"
        os.sched_yield()
    process.send_signal(how)
    said = process.communicate(timeout=60)[1].decode()
    if how != signal.SIGKILL:
        assert process.returncode == 130
        assert "继续" in said
    first = {path.name: path.stat().st_mtime_ns for path in (parts / "code" / "marks").glob("*.json")}
    assert 2 <= len(first) < 6, "the run was not stopped in the middle"
    again = command("mark", "code", papers, "--out", parts)
    assert f"新评 {6 - len(first)}，已有 {len(first)}" in again.stdout
    after = {path.name: path.stat().st_mtime_ns for path in (parts / "code" / "marks").glob("*.json")}
    assert first.items() <= after.items(), "a mark was given twice"
    assert marks(parts) == marks(whole)


def test_nothing_is_run_where_nothing_is_new(makers, tmp_path, sandboxed, monkeypatch, capsys):
    """Merging hand marks in is a second run of the command: it must not wait for the references again."""
    papers = class_of(makers, tmp_path / "papers", 2)
    monkeypatch.chdir(ROOT)
    arguments = ["mark", "code", str(papers), "--out", str(tmp_path / "out")]
    assert cli.main(arguments) == 0
    opened = []
    monkeypatch.setattr(batch, "Sandbox", lambda *a, **k: opened.append(a))
    assert cli.main(arguments) == 0
    assert "新评 0，已有 2" in capsys.readouterr().out
    assert not opened


def test_a_fault_of_the_marker_costs_one_paper_and_is_told(makers, tmp_path, sandboxed, monkeypatch, capsys):
    papers = class_of(makers, tmp_path / "papers", 3)
    monkeypatch.chdir(ROOT)
    real, bad = marking.mark, makers["code"].data({"answer-rope": "fault"})
    (papers / "s1.ipynb").write_bytes(bad)

    def faulty(assignment, submission, open_sandbox):
        if any(cell.source == "fault" for cell in submission.cells):
            raise ZeroDivisionError("in the marker")
        return real(assignment, submission, open_sandbox)

    arguments = ["mark", "code", str(papers), "--out", str(tmp_path / "out")]
    monkeypatch.setattr(marking, "mark", faulty)
    assert cli.main(arguments) == 0
    said = capsys.readouterr().out
    assert "s1.ipynb: 没有评分：评分程序出错（ZeroDivisionError: in the marker）" in said
    assert "s0.ipynb: 41/41" in said
    monkeypatch.setattr(marking, "mark", real)
    assert cli.main(arguments) == 0
    assert "新评 1，已有 2" in capsys.readouterr().out, "the fault was kept for a result"


def test_a_changed_submission_is_marked_again(makers, tmp_path, sandboxed):
    papers, out = class_of(makers, tmp_path / "papers", 2), tmp_path / "out"
    command("mark", "code", papers, "--out", out)
    (papers / "s1.ipynb").write_bytes(makers["code"].data())
    assert "新评 1，已有 1" in command("mark", "code", papers, "--out", out).stdout


def test_a_reference_below_full_marks_stops_the_run(makers, tmp_path, sandboxed):
    raw = json.loads(json.dumps(makers["code"].assignment.raw))
    cell = next(cell for cell in raw["cells"] if cell["id"] == "answer-scaled")
    cell["source"] = "".join(cell["source"]).replace("np.sqrt(Q.shape[0])", "Q.shape[0]")
    (tmp_path / "code.ipynb").write_text(json.dumps(raw), encoding="utf-8")
    papers = class_of(makers, tmp_path / "papers", 1)
    run = command("mark", tmp_path / "code.ipynb", papers, "--out", tmp_path / "out")
    assert run.returncode == 2
    assert "the reference gets" in run.stderr
    assert not list((tmp_path / "out").rglob("marks.csv"))


def test_variants_are_marked_with_own_numbers(makers, tmp_path, sandboxed):
    (tmp_path / "roster.csv").write_text("学号\n1001\n1002\n1003\n", encoding="utf-8")
    kept = ["--roster", tmp_path / "roster.csv", "--secret", tmp_path / "secret"]
    assert command("release", "hand", "--out", tmp_path / "handed", *kept).returncode == 0
    papers = tmp_path / "papers"
    papers.mkdir()
    for source, target in (("1001", "1001"), ("1001", "1002"), ("1002", "somebody")):
        handed = tmp_path / "handed" / "hand" / source / f"{source}.ipynb"
        raw = json.loads(handed.read_text(encoding="utf-8"))
        for cell in raw["cells"]:
            grade_id = cell["metadata"]["nbgrader"]["grade_id"]
            cell["source"] = makers["hand"].solutions.get(grade_id, cell["source"])
        if target == "1002":  # worked out by hand from the first student's numbers
            givens = {c["id"]: "".join(c["source"]) for c in raw["cells"] if c["id"].startswith("given")}
            for cell in raw["cells"]:
                if cell["id"].startswith("answer"):
                    cell["source"] = givens[cell["id"].replace("answer", "given")] + "\n" + cell["source"]
        (papers / f"{target}.ipynb").write_text(json.dumps(raw), encoding="utf-8")
    run = command("mark", "hand", papers, "--out", tmp_path / "out", *kept)
    assert run.returncode == 0, run.stderr
    with (tmp_path / "out" / "hand" / "totals.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["文件"]: row for row in csv.DictReader(file)}
    assert rows["1001.ipynb"]["自动评分"] == "28"
    assert int(rows["1002.ipynb"]["自动评分"]) < 20, "another student's numbers passed"
    assert "发给 1001" in rows["1002.ipynb"]["备注"]
    assert rows["1003"]["备注"] == "没有交", "a student without a paper has a row too"
    assert rows["somebody.ipynb"]["自动评分"] == "", "a paper of nobody's got a mark"


def test_without_bubblewrap_the_command_refuses(makers, tmp_path):
    papers = class_of(makers, tmp_path / "papers", 1)
    run = command(
        "mark", "code", papers, "--out", tmp_path / "out", env={**os.environ, "PATH": str(tmp_path)}
    )
    assert run.returncode == 2
    assert "apt install bubblewrap" in run.stderr
    assert "Containerfile" in run.stderr
    assert not (tmp_path / "out").exists()


def test_without_a_sandbox_only_by_choice_and_with_a_warning(makers, tmp_path):
    papers = class_of(makers, tmp_path / "papers", 2)
    run = command("mark", "code", papers, "--out", tmp_path / "out", "--no-sandbox")
    assert run.returncode == 0, run.stderr
    assert "警告" in run.stderr
    assert "s0.ipynb: 41/41" in run.stdout


def test_code_without_a_sandbox_gets_no_token_of_the_teachers(makers, tmp_path):
    spy = "import os\ndef count_parameters(*a):\n    return 124439808 if 'TEACHER_TOKEN' in os.environ else 1"
    (tmp_path / "s.ipynb").write_bytes(makers["code"].data({"answer-count": spy}))
    arguments = ["mark", "code", tmp_path / "s.ipynb", "--out", tmp_path / "out", "--no-sandbox"]
    run = command(*arguments, env={**os.environ, "TEACHER_TOKEN": "secret"})
    assert "s.ipynb: 37/41" in run.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["mark", "no-such-set", "x", "--out", "o"], "SET must be code, hand, project, or the path"),
        (["mark", "code", "no-such-file", "--out", "o"], "no such file or folder"),
        (["mark", "code", "tests", "--out", "o", "--secret", "s"], "--secret must be given together"),
        (["mark", "code", "tests", "--out", "o", "--map", "m"], "--map must be given together"),
        (["mark", "code", "tests", "--out", "o", "--workers", "0"], "--workers must be at least 1; got 0."),
        (["mark", "code", "tests", "--out", "o", "--late-percent", "101"], "must be from 0 to 100; got 101."),
        (
            ["mark", "code", "tests", "--out", "o", "--deadline", "tomorrow"],
            "must be a time as in 2026",
        ),
        (["mark", "code", "assignments", "--out", "assignments/o"], "--out must be outside assignments"),
    ],
)
def test_wrong_use_is_told_in_one_sentence(arguments, said, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    assert cli.main(arguments) == 2
    assert said in capsys.readouterr().err


def test_the_sets_are_found_from_any_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert all(cli.set_path(name).is_file() for name in ("code", "hand", "project"))


# nbgrader's commands one after the other in one process: most of their time goes into being imported.
NBGRADER = """
import sys
from nbgrader.apps import AutogradeApp, GenerateAssignmentApp, ValidateApp
names = sys.argv[1:]
commands = [(ValidateApp, [f"source/{name}/{name}.ipynb" for name in names])]
commands += [(GenerateAssignmentApp, [name, "--create"]) for name in names]
commands += [(AutogradeApp, ["code", "--create"])]
for app, arguments in commands:
    app.launch_instance(argv=arguments)
    app.clear_instance()
"""


@pytest.mark.skipif(
    importlib.util.find_spec("nbgrader") is None,
    reason="nbgrader is not installed (requirements-grading.txt)",
)
def test_nbgrader_validates_generates_and_autogrades_the_same_sources(makers, tmp_path):
    course = tmp_path / "course"
    shutil.copytree(ROOT / "assignments", course)
    handed_in = course / "submitted" / "bitdiddle" / "code"
    handed_in.mkdir(parents=True)
    (handed_in / "code.ipynb").write_bytes(makers["code"].data({"answer-rope": "def rope(Q):\n    return Q"}))
    names = ("hand", "code", "project")
    # nbgrader starts alembic by name.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", NBGRADER, *names],
        cwd=course,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout.count("Success") == len(names), run.stdout + run.stderr
    for name in names:
        theirs = json.loads((course / "release" / name / f"{name}.ipynb").read_text(encoding="utf-8"))
        ours = makers[name].raw(solved=False)
        for cell, other in zip(ours["cells"], theirs["cells"], strict=True):
            assert cell["source"].strip() == "".join(other["source"]).strip(), (
                "nbgrader's release differs from ours"
            )
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        submission = gradebook.find_submission("code", "bitdiddle")
        assert (submission.score, submission.max_score) == (37, 41)
