"""The command: refuses what is unsafe or wrong, stops and resumes, gives the same marks again."""

import csv
import importlib.util
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from book_grading import batch, chinese, cli, english, marking, report, words
from book_grading.submissions import find_papers

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


def stub(monkeypatch, points=1.0):
    """Let marking give every item this share of its points, at once, with no sandbox."""

    def mark(assignment, submission, open_sandbox):
        items = [
            {"id": c.grade_id, "title": c.title, "most": c.points, "points": c.points * points}
            for c in assignment.by_role("test")
        ]
        items = [{**item, "state": "full" if points == 1 else "part", "messages": []} for item in items]
        return {"items": items, "derivations": [], "notes": []}

    monkeypatch.setattr(marking, "mark", mark)
    monkeypatch.setattr(cli, "check_machine", lambda: None)
    monkeypatch.setattr(cli, "check_references", lambda *_: None)


def handed_in(folder, makers, *names):
    """Write perfect papers under these names."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(makers["code"].data())
    return folder


def totals(out, name="code"):
    """The totals of a set, by ID."""
    with (out / name / "totals.csv").open(encoding="utf-8-sig", newline="") as file:
        return {row["学号"]: row for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def whole(makers, tmp_path_factory, sandboxed):
    """A class of four, and the marks of a run over it that nothing stopped."""
    base = tmp_path_factory.mktemp("whole")
    papers = class_of(makers, base / "papers", 4)
    assert command("mark", "code", papers, "--out", base / "out", "--workers", 2).returncode == 0
    return papers, marks(base / "out")


def heed_interrupts():
    """What a shell starts in the background ignores SIGINT, and so would its children; take that back."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_goes_on_where_it_was_and_ends_with_the_same_marks(whole, tmp_path, how):
    papers, wanted = whole
    kept = tmp_path / "code" / "marks"
    arguments = ["mark", "code", str(papers), "--out", str(tmp_path), "--workers", "1"]
    with subprocess.Popen(
        [sys.executable, "-m", "book_grading", *arguments],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=heed_interrupts,
    ) as process:
        try:
            deadline = time.monotonic() + 120
            while len(list(kept.glob("*.json"))) < 2:
                assert process.poll() is None, "the run ended before it could be stopped"
                assert time.monotonic() < deadline, "the first marks do not come"
                os.sched_yield()
            process.send_signal(how)
            said = process.communicate(timeout=120)[1].decode()
        finally:
            process.kill()
    if how != signal.SIGKILL:
        assert process.returncode == 130
        assert "继续" in said
    first = {path.name: path.stat().st_mtime_ns for path in kept.glob("*.json")}
    assert 2 <= len(first) < 4, "the run was not stopped in the middle"
    again = command(*arguments)
    assert f"新评 {4 - len(first)}，已有 {len(first)}" in again.stdout
    after = {path.name: path.stat().st_mtime_ns for path in kept.glob("*.json")}
    assert first.items() <= after.items(), "a mark was given twice"
    assert marks(tmp_path) == wanted, "one worker and two, stopped and not, give other marks"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("times", [1, 2])
def test_a_signal_is_answered_where_no_lock_is_held(tmp_path, monkeypatch, number, times):
    """Raised within ``wait``, KeyboardInterrupt would leave a lock taken, and a worker waiting for ever."""
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(each, signal.default_int_handler) for each in signals]
    returned, wait = [], batch.wait

    def interrupted(pending, **options):
        for _ in range(times):
            signal.raise_signal(number)
        returned.append(number)
        return wait(pending, **options)

    monkeypatch.setattr(batch, "wait", interrupted)
    run = batch.Batch(SimpleNamespace(name="code", language="zh", limits=None), tmp_path, workers=1)
    things = [SimpleNamespace(name=str(n)) for n in range(3)]
    try:
        with pytest.raises(KeyboardInterrupt):
            list(run._each(things, lambda *_: time.sleep(0.1)))
        assert signal.getsignal(number) is signal.default_int_handler, "the signals act as before"
    finally:
        for each, handler in zip(signals, before, strict=True):
            signal.signal(each, handler)
    wanted = [number] if times == 1 else []
    assert returned == wanted, "the second signal acts at once, for a run that does not end"
    assert run.stop.is_set()


def test_nothing_is_run_where_nothing_is_new(makers, tmp_path, unboxed, monkeypatch, capsys):
    """Merging hand marks in is a second run of the command: it must not wait for the references again."""
    papers = class_of(makers, tmp_path / "papers", 2)
    arguments = ["mark", "code", str(papers), "--out", str(tmp_path / "out"), "--workers", "1"]
    assert cli.main(arguments) == 0
    assert "新评 2，已有 0" in capsys.readouterr().out
    opened = []
    monkeypatch.setattr(batch, "Sandbox", lambda *a, **k: opened.append(a))
    assert cli.main(arguments) == 0
    assert "新评 0，已有 2" in capsys.readouterr().out
    assert not opened


def test_a_fault_of_the_marker_costs_one_paper_and_is_named(makers, tmp_path, monkeypatch, capsys):
    stub(monkeypatch)
    papers = handed_in(tmp_path / "papers", makers, "s0.ipynb", "s1.ipynb", "s2.ipynb")
    (papers / "s1.ipynb").write_bytes(makers["code"].data({"answer-rope": "fault"}))
    real = marking.mark

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


def test_a_changed_submission_is_marked_again(makers, tmp_path, monkeypatch, capsys):
    stub(monkeypatch)
    papers = handed_in(tmp_path / "papers", makers, "s0.ipynb", "s1.ipynb")
    arguments = ["mark", "code", str(papers), "--out", str(tmp_path / "out")]
    assert cli.main(arguments) == 0
    (papers / "s1.ipynb").write_bytes(makers["code"].data({"answer-rope": "rope = None"}))
    assert cli.main(arguments) == 0
    assert "新评 1，已有 1" in capsys.readouterr().out


def test_a_reference_below_full_marks_stops_the_run(makers, tmp_path, unboxed, capsys):
    raw = json.loads(json.dumps(makers["code"].assignment.raw))
    cell = next(cell for cell in raw["cells"] if cell["id"] == "answer-scaled")
    cell["source"] = "".join(cell["source"]).replace("np.sqrt(Q.shape[0])", "Q.shape[0]")
    (tmp_path / "code.ipynb").write_text(json.dumps(raw), encoding="utf-8")
    papers = class_of(makers, tmp_path / "papers", 1)
    arguments = ["mark", tmp_path / "code.ipynb", papers, "--out", tmp_path / "out", "--workers", 1]
    assert cli.main(list(map(str, arguments))) == 2
    assert "the reference gets" in capsys.readouterr().err
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


def test_a_class_is_collected_and_marked_with_a_roster_alone(makers, tmp_path, monkeypatch, capsys):
    """A set without variants needs no secret; what nobody claims comes back, is filled in and counts."""
    stub(monkeypatch)
    names = ("李四_77_assignsubmission_file_/code.ipynb", "12.ipynb", "code (1).ipynb")
    papers = handed_in(tmp_path / "papers", makers, *names)
    roster, out = tmp_path / "roster.csv", tmp_path / "out"
    roster.write_text("学号,姓名\n2,李四\n12,王五\n30,赵敏\n", encoding="utf-8")
    arguments = ["mark", "code", str(papers), "--out", str(out), "--roster", str(roster)]
    assert cli.main(arguments) == 0
    assert [row["总分"] for row in totals(out).values()] == ["41", "41", "", ""]
    assert totals(out)["30"]["备注"] == "没有交"
    assert ": summary.html, whose.csv, similar.html" in capsys.readouterr().out, "code has nothing by hand"
    sheet = out / "code" / "whose.csv"
    sheet.write_text(sheet.read_text(encoding="utf-8").replace("code (1).ipynb,,", "code (1).ipynb,30,"))
    assert cli.main(arguments) == 0
    assert totals(out)["30"]["总分"] == "41"
    assert list(totals(out)) == ["2", "12", "30"]
    assert "没有交" not in "".join(path.read_text() for path in (out / "code" / "feedback").iterdir())
    assert "新评 1，已有 2" in capsys.readouterr().out
    arguments[2] = str(papers / "12.ipynb")
    assert cli.main(arguments) == 0
    assert words.gone(["2", "30"]) in capsys.readouterr().out, "a late paper marked by itself"


def test_a_wrong_sheet_is_told_before_anything_is_marked(makers, tmp_path, monkeypatch, capsys):
    papers, sheet = handed_in(tmp_path / "papers", makers, "a.ipynb"), tmp_path / "hand.csv"
    sheet.write_text("学号,题号,得分\na,test-rope,9\n", encoding="utf-8")
    arguments = ["mark", "code", str(papers), "--out", str(tmp_path / "out"), "--hand-marks", str(sheet)]
    assert cli.main(arguments) == 2
    assert "row 2 must be" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_one_paper_is_marked_anew(makers, tmp_path, monkeypatch, capsys):
    stub(monkeypatch)
    papers = handed_in(tmp_path / "papers", makers, "a.ipynb", "b.ipynb")
    arguments = ["mark", "code", str(papers), "--out", str(tmp_path / "out")]
    assert cli.main(arguments) == 0
    stub(monkeypatch, 0.5)
    assert cli.main([*arguments, "--again", "a"]) == 0
    assert "新评 1，已有 1" in capsys.readouterr().out
    assert [row["总分"] for row in totals(tmp_path / "out").values()] == ["20.5", "41"]
    assert cli.main([*arguments, "--again", "c"]) == 2
    assert "--again must be an ID or a file of this run; got c." in capsys.readouterr().err


def test_a_run_that_goes_on_has_written_what_is_done(makers, tmp_path, monkeypatch):
    stub(monkeypatch)
    papers = handed_in(tmp_path / "papers", makers, "a.ipynb", "b.ipynb")
    monkeypatch.setattr(cli, "REPORT_EVERY", 0.0)
    seen, real = [], report.write_running

    def watch(folder, *arguments):
        real(folder, *arguments)
        seen.append([row["备注"] for row in totals(folder.parent).values()])

    monkeypatch.setattr(report, "write_running", watch)
    arguments = ["mark", "code", str(papers), "--out", str(tmp_path / "out"), "--workers", "1"]
    assert cli.main(arguments) == 0
    assert seen == [["", "还没有评到"], ["", ""]]


def test_what_runs_now_and_for_how_long_is_shown():
    assert words.running({"a.ipynb": 10.0, "b.ipynb": 15.5}, 20.0) == "a.ipynb 10 秒，b.ipynb 4 秒"


def test_a_batch_knows_what_runs_now(makers, tmp_path, monkeypatch):
    stub(monkeypatch)
    running, real = [], marking.mark

    def look(assignment, submission, open_sandbox):
        running.extend(one.running)
        return real(assignment, submission, open_sandbox)

    monkeypatch.setattr(marking, "mark", look)
    one = batch.Batch(makers["code"].assignment, tmp_path, workers=1)
    papers = find_papers([handed_in(tmp_path / "papers", makers, "a.ipynb", "b.ipynb")])
    assert len(list(one.run(one.jobs(papers)))) == 2
    assert running == ["a.ipynb", "b.ipynb"]
    assert one.running == {}


def test_numbers_of_their_own_need_a_secret_outside_the_repository(tmp_path, monkeypatch, capsys):
    (tmp_path / "roster.csv").write_text("学号\n1001\n", encoding="utf-8")
    arguments = ["release", "hand", "--out", str(tmp_path), "--roster", str(tmp_path / "roster.csv")]
    assert cli.main(arguments) == 2
    assert "--secret must be given for hand" in capsys.readouterr().err
    assert cli.main([*arguments, "--secret", str(ROOT / "secret.txt")]) == 2
    assert "--secret must be outside the repository" in capsys.readouterr().err
    assert not (ROOT / "secret.txt").exists()


def test_without_bubblewrap_the_command_refuses(makers, tmp_path, monkeypatch, capsys):
    papers = class_of(makers, tmp_path / "papers", 1)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert cli.main(["mark", "code", str(papers), "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert "apt install bubblewrap" in said
    assert "Containerfile" in said
    assert not (tmp_path / "out").exists()


def test_without_a_sandbox_only_by_choice_and_with_a_warning(makers, tmp_path):
    papers = class_of(makers, tmp_path / "papers", 2)
    run = command("mark", "code", papers, "--out", tmp_path / "out", "--no-sandbox")
    assert run.returncode == 0, run.stderr
    assert "警告" in run.stderr
    assert "s0.ipynb: 41/41" in run.stdout


PREPARED = """
import argparse, os, sys
from book_grading import cli

cli.prepare(argparse.Namespace(workers=2, no_sandbox=True))
print("torch" in sys.modules, os.environ["OMP_NUM_THREADS"])
"""


def test_workers_have_a_thread_each():
    """Torch reads how many threads it may have when it is imported, which a set's tests do."""
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    run = subprocess.run(
        [sys.executable, "-c", PREPARED], env=environment, capture_output=True, text=True, check=False
    )
    assert run.stdout.split() == ["False", "1"], run.stdout + run.stderr


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
        (["mark", "code", "tests", "--out", "o", "--deadline", "tomorrow"], "must be a time as in 2026"),
        (["mark", "code", "assignments", "--out", "assignments/o"], "--out must be outside assignments"),
    ],
)
def test_wrong_use_is_told_in_one_sentence(arguments, said, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    assert cli.main(arguments) == 2
    assert said in capsys.readouterr().err


GUIDES = sorted((ROOT / "book").rglob("teachers.md"))  # one an edition


def guide_commands(guide):
    """The grading commands that a teachers' guide gives, without what stands before their arguments."""
    text = guide.read_text(encoding="utf-8")
    lines = [line for block in text.split("```")[1::2] for line in block.split("\n")]
    found = [re.split('python -m book_grading |:/course" book-grading ', line) for line in lines]
    return [parts[1] for parts in found if len(parts) == 2]


@pytest.mark.parametrize("line", dict.fromkeys(line for guide in GUIDES for line in guide_commands(guide)))
def test_the_guides_commands_are_commands(line):
    options = cli.parser().parse_args(shlex.split(line))
    places = [options.out, options.roster, options.secret] if hasattr(options, "out") else []
    assert all(str(place).startswith(("~/course", "/course")) for place in places if place), (
        "what is the teacher's lies outside the repository"
    )


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.parent.name)
def test_the_guide_has_commands_for_every_step(guide):
    assert [line.split()[0] for line in guide_commands(guide)] == ["check", "release", *["mark"] * 4]


def test_a_release_in_every_language_has_each_apart(tmp_path):
    assert cli.main(["release", "code", "--out", str(tmp_path), "--every-language"]) == 0
    for folder, language in (("", chinese), ("en", english)):
        made = json.loads((tmp_path / folder / "code" / "code.ipynb").read_text(encoding="utf-8"))
        stub, _ = language.CODE_STUB.split("\n")
        assert any(stub in "".join(cell["source"]) for cell in made["cells"])


def test_the_sets_are_found_from_any_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("code", "hand", "project"):
        assert [one.language for one in cli.read_editions(name)] == ["zh", "en"]
        assert [one.language for one in cli.read_editions(name, "en")] == ["en", "zh"]


# nbgrader's commands one after the other in one process: most of their time goes into being imported.
NBGRADER = """
import sys
from nbgrader.apps import AutogradeApp, GenerateAssignmentApp, ValidateApp
names = sys.argv[1:]
commands = [(ValidateApp, ["source/code/code.ipynb"])]
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
@pytest.mark.parametrize("language", words.LANGUAGES)
def test_nbgrader_validates_generates_and_autogrades_the_same_sources(language, maker_of, tmp_path):
    shutil.copytree(ROOT / "assignments", tmp_path / "course")
    course = tmp_path / "course" / ("" if language == words.FIRST else language)
    makers = {name: maker_of(cli.read_editions(name, language)[0]) for name in cli.all_sets()}
    handed_in = course / "submitted" / "bitdiddle" / "code"
    handed_in.mkdir(parents=True)
    (handed_in / "code.ipynb").write_bytes(makers["code"].data({"answer-rope": "def rope(Q):\n    return Q"}))
    # nbgrader starts alembic by name.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", NBGRADER, *makers],
        cwd=course,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    assert "Success" in run.stdout, run.stdout + run.stderr
    for name in makers:
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
