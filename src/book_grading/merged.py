"""What the tests gave and what the teacher said, as one row for each item and one sum for each paper."""

from dataclasses import dataclass, field

from book_grading import words
from book_grading.hand_marks import Mark, version_of
from book_grading.handed_in import NO_RULES, Entry, share_left
from book_grading.roster import Student


@dataclass
class Line:
    """One item of one paper; points are None where they are not certain yet."""

    id: str
    title: str
    most: float
    points: float | None
    state: str
    messages: list
    comment: str = ""
    text: str = ""
    by_hand: bool = False
    version: str = ""
    changed: bool = False  # marked by hand, and another answer or automatic mark since


@dataclass
class Marked:
    """One paper: whose it is, its lines, and the sums (None: not certain, or the paper does not count)."""

    entry: Entry
    student: Student
    lines: list
    automatic: float | None
    by_hand: float | None
    total: float | None
    notes: list = field(default_factory=list)

    @property
    def paper(self):
        """The file."""
        return self.entry.paper

    @property
    def key(self):
        """What the teacher's sheets call the paper."""
        return self.entry.paper.key

    @property
    def problem(self):
        """Why the paper has no mark, or None."""
        return self.entry.result["problem"]


def merge(entries, roster, marks, rules=NO_RULES):
    """Return the papers in the roster's order, those of nobody's at the end, with all marks merged."""
    order = {student: i for i, student in enumerate(roster.ids)}
    ranked = sorted(entries, key=lambda e: (order.get(e.paper.student, len(order)), e.paper.name))
    merged = []
    for entry in ranked:
        with words.speaking(entry.language):
            merged.append(merge_one(entry, roster.get(entry.paper.student), marks, rules))
    return merged


def merge_one(entry, student, marks, rules):
    """Merge one paper; hand marks belong to the one of a student's papers that counts."""
    result, key = entry.result, entry.paper.key
    marks = marks if entry.counts else {}
    lines = [test_line(item, marks.get((key, item["id"]))) for item in result["items"]]
    automatic = add(lines)
    written = [written_line(item, marks.get((key, item["id"]), Mark(None))) for item in result["derivations"]]
    by_hand = None if automatic is None else (add(written) if written else 0)
    total = add_both(automatic, by_hand) if entry.counts else None
    notes = [*([result["problem"]] if result["problem"] else []), *result["notes"], *entry.notes]
    if result["items"] and automatic is None:
        notes.append(words.TEST_BROKEN)
    if automatic is not None and by_hand is None and entry.counts:
        notes.append(words.HAND_MARKS_MISSING)
    notes += [words.changed(line.title) for line in [*lines, *written] if line.changed]
    if total is not None and (share := share_left(entry, rules)) < 1:
        notes.append(words.penalty(total * (1 - share)))
        total *= share
    return Marked(entry, student, [*lines, *written], automatic, by_hand, total, notes)


def add(lines):
    """Add points up; None where there are none, or where one is not certain."""
    points = [line.points for line in lines]
    return None if not points or None in points else sum(points)


def add_both(automatic, by_hand):
    """Add the two sums; None where one is not certain."""
    return None if automatic is None or by_hand is None else automatic + by_hand


def test_line(item, mark):
    """Return the line of an automatic item, with the teacher's mark where there is one."""
    version = words.automatic_points(item["points"])
    line = Line(item["id"], item["title"], item["most"], item["points"], item["state"], item["messages"])
    line.version = version
    if mark is not None:
        line.comment = mark.comment
        versions = [say(item["points"]) for say in words.every("automatic_points")]
        line.changed = bool(mark.version) and mark.version not in versions
        if mark.points is not None:
            line.points, line.state = mark.points, "adjusted"
    return line


def written_line(item, mark):
    """Return the line of a written answer."""
    state = "marked" if mark.points is not None else ("unmarked" if item["text"] else "nothing written")
    line = Line(
        item["id"], item["title"], item["most"], mark.points, state, [], mark.comment, item["text"], True
    )
    line.version = version_of(item["text"])
    line.changed = mark.points is not None and bool(mark.version) and mark.version != line.version
    return line
