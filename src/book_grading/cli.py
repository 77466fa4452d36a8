"""The commands: ``release`` hands out, ``mark`` marks, ``check`` marks a set's own solutions."""

import argparse
import os
import signal
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

from book_grading import handed_in, headings, matching, report, sheets, variants, words
from book_grading.batch import Batch, ReferenceFails
from book_grading.pages import number
from book_grading.release import release
from book_grading.roster import COLUMNS, Roster, read_roster
from book_grading.sandbox import HOW_TO_GET, NoSandbox, check_machine
from book_grading.source_notebooks import BadSet, read_set
from book_grading.submissions import find_papers
from transformer_book.checks.messages import must_be

ROOT = Path(__file__).resolve().parents[2]
SETS = ROOT / "assignments" / "source"
REPORT_EVERY = 10.0  # seconds between the reports of a run that goes on
EXPECTED = (BadSet, sheets.BadSheet, NoSandbox, ReferenceFails, OSError, ValueError)
INTERRUPTED = 130


def main(arguments=None):
    """Run a command; return its exit status (2: it refused, 130: it was stopped)."""
    sys.stdout.reconfigure(errors="backslashreplace")
    sys.stderr.reconfigure(errors="backslashreplace")
    options = parser().parse_args(arguments)
    try:
        with words.speaking(options.language):
            return options.command(options)
    except EXPECTED as error:
        print(f"book_grading: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        with words.speaking(options.language):
            print(words.STOPPED, file=sys.stderr)
        return INTERRUPTED


def parser():
    """Describe the command line."""
    top = argparse.ArgumentParser(prog="python -m book_grading", description=__doc__)
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    out = commands.add_parser("release", help="write the student version of sets and a zip of each")
    out.add_argument("sets", nargs="*", metavar="SET", help="a set's name or source notebook (default: all)")
    out.add_argument("--out", required=True, type=Path, metavar="DIR")
    add_language(out, "of the student version")
    out.add_argument(
        "--every-language",
        action="store_true",
        help=f"also the other languages, each in a folder of DIR called by its code; {words.FIRST} in DIR",
    )
    add_roster(out, create="; made if it is missing")
    out.set_defaults(command=release_command)
    mark = commands.add_parser("mark", help="mark submissions; the results go to DIR/SET")
    mark.add_argument("set", metavar="SET", help="a set's name or source notebook")
    mark.add_argument("submissions", nargs="+", metavar="SUBMISSIONS", help="notebooks, or folders of them")
    mark.add_argument("--out", required=True, type=Path, metavar="DIR")
    add_language(mark, "of the teacher's tables and pages; a student's page is in the paper's own")
    add_roster(mark)
    add_rules(mark)
    add_running(mark)
    mark.set_defaults(command=mark_command)
    check = commands.add_parser("check", help="mark the sets' own solutions: full marks or an error")
    check.add_argument(
        "sets", nargs="*", metavar="SET", help="a set's name or source notebook (default: all)"
    )
    add_language(check, "of the messages")
    add_running(check)
    check.set_defaults(command=check_command)
    return top


def add_language(command, what):
    """Add the option for a language; ``what`` says of what. Messages about no paper are in it as well."""
    command.add_argument(
        "--language",
        choices=words.LANGUAGES,
        default=words.FIRST,
        help=f"the language {what} (default: {words.FIRST})",
    )


def add_roster(command, create=""):
    """Add the options that say who the students are and give each own numbers."""
    command.add_argument(
        "--roster",
        type=Path,
        metavar="FILE",
        help=f"table with a column {COLUMNS['id'][0]} (CSV, or a workbook)",
    )
    command.add_argument(
        "--secret", type=Path, metavar="FILE", help=f"own numbers for each student, drawn by it{create}"
    )


def add_rules(command):
    """Add the options that say whose files are and which of them count."""
    file = {"type": Path, "metavar": "FILE"}
    command.add_argument(
        "--map",
        **file,
        help=f"table {headings.FILE_COLUMNS[0]}, {COLUMNS['id'][0]}: whose files are (default: whose.csv)",
    )
    command.add_argument("--hand-marks", **file, help="sheet of hand marks (default: hand-marks.csv)")
    command.add_argument(
        "--two", choices=handed_in.RULES, default="ask", help="which of two papers counts (default: ask)"
    )
    command.add_argument("--deadline", metavar="TIME", help='as in "2026-03-12 23:59"; later is noted')
    command.add_argument(
        "--times",
        **file,
        help=f"table {COLUMNS['id'][0]}, {headings.TIME_COLUMNS[0]} (default: the files' dates)",
    )
    command.add_argument(
        "--late-percent", type=float, default=0.0, metavar="P", help="percent of the points lost a day late"
    )
    command.add_argument(
        "--again", action="append", default=[], metavar="PAPER", help="mark this ID or file anew"
    )


def add_running(command):
    """Add the options about running code."""
    command.add_argument(
        "--workers", type=int, metavar="N", help="how many to mark at once (default: one a core)"
    )
    command.add_argument(
        "--no-sandbox", action="store_true", help="run students' code with your own rights (at your risk)"
    )


def read_editions(name, language=words.FIRST):
    """Read the set that a SET argument means in this language, then in the others that it has.

    A path means that notebook alone. Raises BadSet for the name of no set.
    """
    if name.endswith(".ipynb"):
        return [read_set(name)]
    if name not in all_sets():
        raise BadSet(must_be("SET", f"{', '.join(all_sets())}, or the path of a source notebook", name))
    paths = {code: set_path(name, code) for code in words.LANGUAGES}
    others = [path for code, path in paths.items() if code != language and path.exists()]
    return [read_set(path) for path in (paths[language], *others)]


def set_path(name, language):
    """Return where a set of the repository lies in a language."""
    folder = SETS if language == words.FIRST else SETS.parent / language / SETS.name
    return folder / name / f"{name}.ipynb"


def all_sets():
    """Return the names of the repository's sets."""
    names = sorted(path.parent.name for path in SETS.glob("*/*.ipynb"))
    if not names:
        raise BadSet(must_be("SET", "the path of a source notebook", f"no sets in {SETS}"))
    return names


def roster_and_secret(options, create=False):
    """Read the roster and the secret, which is of use with a roster alone."""
    if options.roster is None and options.secret is not None:
        raise ValueError(must_be("--secret", "given together with --roster", "no roster"))
    roster = read_roster(options.roster) if options.roster else Roster()
    if options.secret is None:
        return roster, None
    if create and ROOT in options.secret.resolve().parents:
        raise ValueError(must_be("--secret", "outside the repository, which is public", options.secret))
    return roster, variants.read_secret(options.secret, create=create)


def varies(assignment):
    """Say whether a set gives each student own numbers."""
    return any(cell.variant for cell in assignment.cells)


def release_command(options):
    """Write student versions."""
    roster, secret = roster_and_secret(options, create=True)
    for name in options.sets or all_sets():
        editions = read_editions(name, options.language)
        for assignment in editions if options.every_language else editions[:1]:
            if roster and varies(assignment) and secret is None:
                raise ValueError(
                    must_be("--secret", f"given for {assignment.name}, whose numbers vary", "none")
                )
            apart = options.every_language and assignment.language != words.FIRST
            folder = options.out / assignment.language if apart else options.out
            paths = release(assignment, folder, roster, secret if varies(assignment) else None)
            print(words.released(assignment.name, len(roster.ids) or 1, paths[-1]))
    return 0


def prepare(options):
    """Make sure that a sandbox starts, or warn that there is none; leave the cores to the workers."""
    if options.workers is not None and options.workers < 1:
        raise ValueError(must_be("--workers", "at least 1", options.workers))
    # Each worker's tests compute in a thread; threads of torch's own would take the cores from the students'.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if options.no_sandbox:
        if sys.platform == "win32":
            raise NoSandbox(f"--no-sandbox does not work on Windows. {HOW_TO_GET}")
        print(words.WITHOUT_SANDBOX, file=sys.stderr)
    else:
        check_machine()


def check_command(options):
    """Mark the sets' own solutions, in each language."""
    prepare(options)
    names = options.sets or all_sets()
    for assignment in [edition for name in names for edition in read_editions(name)]:
        batch = Batch(assignment, ".", protected=not options.no_sandbox, workers=options.workers)
        check_references(batch, batch.references())
        automatic, by_hand = assignment.most
        print(f"{assignment.name} {assignment.language}: {automatic:g} + {by_hand:g}")
    return 0


def mark_command(options):
    """Mark submissions and write the reports; SIGTERM stops it as Ctrl-C does."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    roster, secret = roster_and_secret(options)
    assignment, *others = read_editions(options.set, options.language)
    folder = options.out / assignment.name
    check_out(options.out, options.submissions)
    rules = rules_of(options)
    mapping = read_mappings(options, folder, roster)
    report.read_marks(folder, assignment, options.hand_marks)  # a wrong sheet is told before the marking
    papers = matching.assign(find_papers(options.submissions), roster, mapping)
    papers = dated(papers, handed_in.read_times(options.times) if options.times else {})
    missing = matching.not_handed_in(papers, roster)
    gone = handed_in_before(folder, {paper.student for paper in missing})
    papers += missing
    prepare(options)
    sources = [one.path.parent for one in (assignment, *others)]
    hidden = [*sources, options.out, *options.submissions]
    own = (options.roster, options.secret, options.map, options.hand_marks, options.times)
    hidden += [path for path in own if path]
    batch = Batch(
        assignment,
        folder,
        others=others,
        roster=roster.ids,
        secret=secret if varies(assignment) else None,
        protected=not options.no_sandbox,
        workers=options.workers,
        hidden=[str(path) for path in hidden],
    )
    jobs = batch.jobs(papers)
    forget(batch, jobs, options.again)
    if waiting := [job for job in batch.waiting(jobs) if job.submission is not None]:
        check_references(batch, batch.references(waiting))
    outcomes = mark_all(batch, jobs, folder, roster, rules)
    cells = {job.paper.name: job.submission for job in jobs}
    marked, told = report.write_all(
        folder, assignment, outcomes, roster, options.hand_marks, rules=rules, cells=cells
    )
    matching.write_whose(folder, [one.entry for one in marked], mapping)
    told += [words.gone(gone)] if gone else []
    print("\n".join([*told, words.where(folder)]))
    return 0


def rules_of(options):
    """Return the rules about two papers and lateness."""
    if not 0 <= options.late_percent <= 100:
        raise ValueError(must_be("--late-percent", "from 0 to 100", f"{options.late_percent:g}"))
    deadline = handed_in.read_time(options.deadline, "--deadline") if options.deadline else None
    return handed_in.Rules(options.two, deadline, options.late_percent)


def read_mappings(options, folder, roster):
    """Read whose.csv as an earlier run left it and the teacher filled it in, and the table of --map."""
    if options.map and not roster:
        raise ValueError(must_be("--map", "given together with --roster", "no roster"))
    paths = [path for path in (folder / "whose.csv", options.map) if path and path.exists() and roster]
    if options.map and not options.map.exists():
        raise FileNotFoundError(f"{options.map}: no such file")
    mapping = {}
    for path in paths:
        mapping |= matching.read_mapping(path, roster)
    return mapping


def handed_in_before(folder, missing):
    """List those of the missing students whose paper an earlier run marked."""
    path = folder / "totals.csv"
    columns = {"id": COLUMNS["id"], "automatic": headings.AUTOMATIC_COLUMNS}
    rows = sheets.read_sheet(path, columns, columns) if missing and path.exists() else ()
    return [row["id"] for _, row in rows if row["automatic"] and row["id"] in missing]


def dated(papers, times):
    """Give papers the times of the platform's table, where a student has one paper."""
    count = {student: sum(paper.student == student for paper in papers) for student in times}
    return tuple(
        replace(paper, time=times[paper.student]) if count.get(paper.student) == 1 else paper
        for paper in papers
    )


def forget(batch, jobs, again):
    """Drop the stored results of papers that are to be marked anew; raise ValueError for the name of none."""
    for name in again:
        found = [job for job in jobs if name in (job.paper.student, job.paper.name)]
        if not found:
            raise ValueError(must_be("--again", "an ID or a file of this run", name))
        for job in found:
            (batch.folder / f"{job.key}.json").unlink(missing_ok=True)


def check_out(out, places):
    """Raise ValueError if the results would lie among the submissions, to be taken for papers next time."""
    for place in places:
        if Path(place).resolve() in [out.resolve(), *out.resolve().parents]:
            raise ValueError(must_be("--out", f"outside {place}", out))


def check_references(batch, sets):
    """Mark sets' own solutions behind a progress bar."""
    references = batch.check_references(sets)
    for _ in tqdm(
        references, words.REFERENCES, len(sets), unit=words.PAPERS, leave=False, dynamic_ncols=True
    ):
        pass


def mark_all(batch, jobs, folder, roster, rules):
    """Mark papers behind a progress bar, saying what happened to each.

    The reports of what is done are written as the run goes on.
    """
    outcomes, stored, written = {}, 0, time.monotonic()
    with (
        tqdm(total=len(jobs), unit=words.PAPERS, file=sys.stderr, dynamic_ncols=True) as bar,
        watched(batch, bar),
    ):
        for job, result, fresh in batch.run(jobs):
            outcomes[job.paper.name] = (job.paper, result)
            stored += not fresh
            bar.write(line(job.paper, result, fresh), file=sys.stdout)
            bar.update()
            if time.monotonic() - written > REPORT_EVERY:
                report.write_running(folder, batch.assignment, so_far(jobs, outcomes), roster, rules)
                written = time.monotonic()
    print(words.finished(len(outcomes), len(outcomes) - stored, stored))
    return list(outcomes.values())


def so_far(jobs, outcomes):
    """Return the outcomes there are, the rest of the papers told as not marked yet."""
    waiting = {"items": [], "derivations": [], "notes": [], "problem": words.NOT_YET}
    return [outcomes.get(job.paper.name, (job.paper, waiting)) for job in jobs]


class watched:
    """Show beside a bar, once a second, which papers run and for how long; on a terminal alone."""

    def __init__(self, batch, bar):
        """Take the batch to watch and the bar to write to."""
        self.batch, self.bar = batch, bar
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def __enter__(self):
        if sys.stderr.isatty():
            self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()

    def watch(self):
        """Show what runs until the end."""
        while not self.over.wait(1.0):
            self.bar.set_postfix_str(words.running(self.batch.running, time.monotonic()))


def line(paper, result, fresh):
    """Say in one line what happened to a paper."""
    known = paper.student is None or paper.student in paper.name
    name = paper.name if known else f"{paper.student}{words.BRACKETS.format(paper.name)}"
    if result["problem"]:
        return words.no_mark(name, result["problem"])
    points = sum(item["points"] or 0 for item in result["items"])
    most = sum(item["most"] for item in result["items"])
    notes = [] if fresh else [words.MARKED_BEFORE]
    notes += [words.broken(item["id"]) for item in result["items"] if item["points"] is None]
    return words.marked(name, number(points), number(most), [*notes, *result["notes"]])
