"""When a paper came and which of a student's papers counts: the teacher's rules, applied after marking."""

import datetime
import math
import re
from dataclasses import dataclass, field

from book_grading import headings, sheets, words
from book_grading.roster import COLUMNS
from book_grading.submissions import Paper
from transformer_book.checks.messages import must_be

RULES = ("ask", "latest", "best")
DAY = 24 * 3600
# Moodle writes "Thursday, 12 March 2026, 11:59 PM"; the rest is 2026-03-12 23:59 with any marks between.
DATE = r"(\d{4})\D{1,2}(\d{1,2})\D{1,2}(\d{1,2})"
CLOCK = rf"(\d{{1,2}})[:：{headings.OCLOCK}](\d{{1,2}})(?:[:：](\d{{1,2}}))?"
NUMBERS = re.compile(rf"{DATE}\D?(?:\D{{1,3}}{CLOCK})?\D?")
ENGLISH = ("%A, %d %B %Y, %I:%M %p", "%d %B %Y, %I:%M %p", "%A, %d %B %Y, %H:%M")


@dataclass
class Entry:
    """A paper with its result: whether it counts, by how many seconds it is late, what to tell about that.

    ``undecided`` says that the teacher has to choose among the student's papers.
    """

    paper: Paper
    result: dict
    counts: bool = True
    late: float = 0.0
    notes: list = field(default_factory=list)
    undecided: bool = False

    @property
    def language(self):
        """The language of the paper; of the run, where the paper was not read."""
        return self.result.get("language") or words.spoken()


@dataclass(frozen=True)
class Rules:
    """The teacher's rules: two papers of a student, the deadline (None: none), percent lost a day late."""

    two: str = "ask"
    deadline: float | None = None
    late_percent: float = 0.0


NO_RULES = Rules()


def read_time(text, where):
    """Return a written local date and time in seconds since 1970; a bare date means its end."""
    found = NUMBERS.fullmatch(text.strip())
    try:
        if found:
            year, month, day, hour, minute, second = (part and int(part) for part in found.groups())
            time = (23, 59, 59) if hour is None else (hour, minute, second or 0)
            return datetime.datetime(year, month, day, *time).timestamp()
        for form in ENGLISH:
            try:
                return datetime.datetime.strptime(text.strip(), form).timestamp()
            except ValueError:
                continue
        raise ValueError
    except ValueError as error:
        raise sheets.BadSheet(must_be(where, "a time as in 2026-03-12 23:59", repr(text))) from error


def read_times(path):
    """Return {ID: seconds since 1970} from a platform's table of when each student handed in."""
    columns = {"id": COLUMNS["id"], "time": headings.TIME_COLUMNS}
    rows = sheets.read_sheet(path, columns, ("id", "time"))
    return {
        row["id"]: read_time(row["time"], f"the time in {path}, row {number}")
        for number, row in rows
        if row["time"].strip(" -")
    }


def settle(outcomes, rules=NO_RULES):
    """Return one Entry for each (paper, result): late ones noted, one paper a student counting."""
    entries = [Entry(paper, result) for paper, result in outcomes]
    for entry in entries:
        if rules.deadline is not None and entry.paper.time is not None:
            entry.late = max(0.0, entry.paper.time - rules.deadline)
        if entry.late:
            with words.speaking(entry.language):
                entry.notes.append(words.late(entry.late))
    by_student = {}
    for entry in entries:
        if entry.paper.student is not None and entry.paper.path is not None:
            by_student.setdefault(entry.paper.student, []).append(entry)
    for papers in by_student.values():
        if len(papers) > 1:
            choose(papers, rules.two)
    return entries


def choose(papers, rule):
    """Let one of a student's papers count, or none until the teacher says which."""
    marked = [entry for entry in papers if entry.result["items"]]
    if len(marked) > 1 and rule == "ask":
        chosen = None
    elif rule == "best":
        chosen = max(marked or papers, key=lambda entry: (automatic(entry), entry.paper.time or 0))
    else:
        chosen = max(marked or papers, key=lambda entry: entry.paper.time or 0)
    for entry in papers:
        entry.counts, entry.undecided = entry is chosen, chosen is None
        with words.speaking(entry.language):
            entry.notes.append(words.TWO_PAPERS[None if chosen is None else entry.counts])


def automatic(entry):
    """The points that an entry's tests gave."""
    return sum(item["points"] or 0 for item in entry.result["items"])


def share_left(entry, rules):
    """Return the share of its points that a paper keeps, by the days begun after the deadline."""
    return max(0.0, 1 - math.ceil(entry.late / DAY) * rules.late_percent / 100)
