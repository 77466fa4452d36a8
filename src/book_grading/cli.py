"""The commands: ``release`` hands out, ``mark`` marks, ``check`` marks a set's own solutions."""

import argparse
import signal
import sys
from pathlib import Path

from tqdm import tqdm

from book_grading import report, sheets, variants
from book_grading.batch import Batch, ReferenceFails, set_folder
from book_grading.release import release
from book_grading.sandbox import HOW_TO_GET, NoSandbox, check_machine
from book_grading.source_notebooks import BadSet, read_set
from book_grading.submissions import assign, find_papers, not_handed_in

SETS = Path(__file__).resolve().parents[2] / "assignments" / "source"
EXPECTED = (BadSet, sheets.BadSheet, NoSandbox, ReferenceFails, OSError, ValueError)
INTERRUPTED = 130


def main(arguments=None):
    """Run a command; return its exit status (2: it refused, 130: it was stopped)."""
    sys.stdout.reconfigure(errors="backslashreplace")
    sys.stderr.reconfigure(errors="backslashreplace")
    options = parser().parse_args(arguments)
    try:
        return options.command(options)
    except EXPECTED as error:
        print(f"book_grading: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("已停下。评完的都保留着；再运行一次同样的命令，就从这里继续。", file=sys.stderr)
        return INTERRUPTED


def parser():
    """Describe the command line."""
    top = argparse.ArgumentParser(prog="python -m book_grading", description=__doc__)
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    out = commands.add_parser("release", help="write the student version of sets and a zip of each")
    out.add_argument("sets", nargs="*", metavar="SET", help="a set's name or source notebook (default: all)")
    out.add_argument("--out", required=True, type=Path, metavar="DIR")
    add_roster(out, create="; made if it is missing")
    out.set_defaults(command=release_command)
    mark = commands.add_parser("mark", help="mark submissions")
    mark.add_argument("set", metavar="SET", help="a set's name or source notebook")
    mark.add_argument("submissions", nargs="+", metavar="SUBMISSIONS", help="notebooks, or folders of them")
    mark.add_argument("--out", required=True, type=Path, metavar="DIR")
    add_roster(mark)
    mark.add_argument(
        "--map", type=Path, metavar="FILE", help="CSV with the columns 文件 and 学号: whose each file is"
    )
    mark.add_argument(
        "--hand-marks", type=Path, metavar="FILE", help="CSV of hand marks (default: DIR/hand-marks.csv)"
    )
    add_running(mark)
    mark.set_defaults(command=mark_command)
    check = commands.add_parser("check", help="mark the sets' own solutions: full marks or an error")
    check.add_argument(
        "sets", nargs="*", metavar="SET", help="a set's name or source notebook (default: all)"
    )
    add_running(check)
    check.set_defaults(command=check_command)
    return top


def add_roster(command, create=""):
    """Add the two options that give each student own numbers."""
    command.add_argument(
        "--roster", type=Path, metavar="FILE", help="CSV with a column 学号 or id: own numbers for each"
    )
    command.add_argument(
        "--secret", type=Path, metavar="FILE", help=f"the teacher's secret, kept private{create}"
    )


def add_running(command):
    """Add the options about running code."""
    command.add_argument(
        "--workers", type=int, metavar="N", help="how many to mark at once (default: one a core)"
    )
    command.add_argument(
        "--no-sandbox", action="store_true", help="run students' code with your own rights (at your risk)"
    )


def set_path(name):
    """Return the source notebook that a SET argument means; raise BadSet for the name of none."""
    if name.endswith(".ipynb"):
        return Path(name)
    if name not in all_sets():
        raise BadSet(f"{name}: expected {', '.join(all_sets())}, or the path of a source notebook")
    return SETS / name / f"{name}.ipynb"


def all_sets():
    """Return the names of the repository's sets."""
    names = sorted(path.parent.name for path in SETS.glob("*/*.ipynb"))
    if not names:
        raise BadSet(
            f"{SETS}: expected the repository's sets there; give the path of a source notebook instead"
        )
    return names


def roster_and_secret(options, create=False):
    """Read the roster and the secret, which go together."""
    if (options.roster is None) != (options.secret is None):
        raise ValueError("--roster and --secret go together: expected both or neither")
    if options.roster is None:
        return [], None
    return sheets.read_roster(options.roster), variants.read_secret(options.secret, create=create)


def release_command(options):
    """Write student versions."""
    roster, secret = roster_and_secret(options, create=True)
    for name in options.sets or all_sets():
        assignment = read_set(set_path(name))
        varied = roster and any(cell.variant for cell in assignment.cells)
        paths = release(assignment, options.out, roster if varied else None, secret)
        print(f"{assignment.name}: {len(paths) - 1} 份 → {paths[-1]}")
    return 0


def prepare(options):
    """Make sure that a sandbox starts, or warn that there is none."""
    if options.workers is not None and options.workers < 1:
        raise ValueError(f"--workers: expected a number from 1, got {options.workers}")
    if options.no_sandbox:
        if sys.platform == "win32":
            raise NoSandbox(f"--no-sandbox does not work on Windows. {HOW_TO_GET}")
        print(
            "警告：--no-sandbox。学生的代码以你的身份运行：能读你的文件、能上网、能改成绩。只在一次性的虚拟机或容器里这样做。",
            file=sys.stderr,
        )
    else:
        check_machine()


def check_command(options):
    """Mark the sets' own solutions."""
    prepare(options)
    for name in options.sets or all_sets():
        assignment = read_set(set_path(name))
        batch = Batch(assignment, ".", protected=not options.no_sandbox, workers=options.workers)
        check_references(batch, batch.references())
        automatic, by_hand = assignment.most
        print(f"{assignment.name}: {automatic:g} + {by_hand:g}")
    return 0


def mark_command(options):
    """Mark submissions and write the reports."""
    roster, secret = roster_and_secret(options)
    assignment = read_set(set_path(options.set))
    if not any(cell.variant for cell in assignment.cells):
        secret = None
    if options.map and not roster:
        raise ValueError("--map needs --roster: expected both")
    mapping = sheets.read_mapping(options.map, roster) if options.map else None
    check_out(options.out, options.submissions)
    papers = assign(find_papers(options.submissions), roster, mapping)
    papers += not_handed_in(papers, roster)
    prepare(options)
    files = [options.roster, options.secret, options.map, options.hand_marks]
    hidden = [assignment.path.parent, options.out, *options.submissions, *filter(None, files)]
    batch = Batch(
        assignment,
        options.out,
        roster=roster,
        secret=secret,
        protected=not options.no_sandbox,
        workers=options.workers,
        hidden=[str(path) for path in hidden],
    )
    jobs = batch.jobs(papers)
    if waiting := [job for job in batch.waiting(jobs) if job.submission is not None]:
        check_references(batch, batch.references(waiting))
    outcomes = mark_all(batch, jobs)
    out = set_folder(options.out, assignment)
    report.write_all(out, assignment, outcomes, options.hand_marks)
    print(f"→ {out}/totals.csv, marks.csv, summary.html, feedback/")
    return 0


def check_out(out, places):
    """Raise ValueError if the results would lie among the submissions, to be taken for papers next time."""
    for place in places:
        if Path(place).resolve() in [out.resolve(), *out.resolve().parents]:
            raise ValueError(f"--out: expected a folder outside {place}, got {out}")


def check_references(batch, sets):
    """Mark sets' own solutions behind a progress bar."""
    for _ in tqdm(
        batch.check_references(sets), "标准答案", len(sets), unit="份", leave=False, dynamic_ncols=True
    ):
        pass


def mark_all(batch, jobs):
    """Mark papers behind a progress bar, saying what happened to each; SIGTERM stops it as Ctrl-C does."""
    outcomes, stored = [], 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tqdm(total=len(jobs), unit="份", file=sys.stderr, dynamic_ncols=True) as bar:
        for job, result, fresh in batch.run(jobs):
            outcomes.append((job.paper, result))
            stored += not fresh
            bar.write(line(job.paper, result, fresh), file=sys.stdout)
            bar.update()
    print(f"{len(outcomes)} 份：新评 {len(outcomes) - stored}，已有 {stored}")
    return outcomes


def line(paper, result, fresh):
    """Say in one line what happened to a paper."""
    notes = [] if fresh else ["上次已评"]
    if result["problem"]:
        return f"{paper.name}: 没有评分：{result['problem']}"
    points = sum(item["points"] or 0 for item in result["items"])
    most = sum(item["most"] for item in result["items"])
    notes += [f"{item['id']} 的测试出错" for item in result["items"] if item["points"] is None]
    notes += result["notes"]
    return f"{paper.name}: {report.number(points)}/{report.number(most)}" + (
        f"（{'；'.join(notes)}）" if notes else ""
    )
