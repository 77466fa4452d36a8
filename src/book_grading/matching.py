"""Whose each paper is, by the teacher's records alone: a table, an ID in the path, a name in the path.

A paper is never given to a student on weak grounds. An ID of five characters and more counts where it stands
by itself; a shorter one (12) only as a whole file or folder name, since dates, exercises and "(1)" hold such
numbers too. A name counts where it stands by itself and one student alone has it. What contradicts goes back
to the teacher with the students that it may be.
"""

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, replace

from book_grading import headings, sheets, words
from book_grading.roster import COLUMNS
from book_grading.submissions import Paper, squeezed
from transformer_book.checks.messages import must_be

SHORTEST_ID = 5  # a shorter ID looks like a date's day or an exercise's number
NOT_USED = "-"  # what a teacher's table says of a file that is nobody's
# What browsers and systems add to a file's name: hand (1), hand-Copy1.
COPY = re.compile(rf"\s*(?:[(（]\d+[)）]|-\s*{headings.COPIED}|-copy\d*)$")
MOODLE = re.compile(r"_(?:participant)?(\d+)_assignsubmission_\w+")
CANVAS = re.compile(r"(?<![^/])[^/_]+_(?:late_)?(\d+)_\d+_")


WHOSE = {"file": headings.FILE_COLUMNS, "id": COLUMNS["id"]}


@dataclass(frozen=True)
class Evidence:
    """The IDs that a path speaks for: surely, by name, and perhaps (short, or part of a longer number)."""

    sure: frozenset = frozenset()
    named: frozenset = frozenset()
    perhaps: frozenset = frozenset()


def normal(text):
    """Return text in the one form that is compared: half-width, composed, no case."""
    return unicodedata.normalize("NFKC", text).casefold()


def assign(papers, roster, mapping=None):
    """Say whose each paper is; a paper of nobody's gets a problem and candidates.

    ``mapping`` ({file or folder: ID, or "-" for a file that does not count}) goes first; what a notebook says
    of itself is never read. Without a roster each paper stands for itself.
    """
    mapping = mapping or {}
    bare = Counter(squeezed(paper.path.name) for paper in papers)
    assigned = []
    for paper in papers:
        given = mapped(paper, mapping, bare)
        if given == NOT_USED:
            continue
        if not roster:
            given = given or squeezed(paper.name.removesuffix(".ipynb"))
            assigned.append(replace(paper, student=given))
        elif given is not None:
            assigned.append(replace(paper, student=given))
        else:
            assigned.append(whose(paper, roster))
    return tuple(assigned)


def mapped(paper, mapping, bare):
    """Return what the teacher's table says of a paper's path, the nearest of its folders, or its name."""
    parts = paper.name.split("/")
    for count in range(len(parts), 0, -1):
        given = mapping.get(squeezed("/".join(parts[:count])))
        if given is not None:
            return given
    name = squeezed(paper.path.name)
    return mapping.get(name) if bare[name] == 1 else None


def not_handed_in(papers, roster):
    """List, as papers with a problem, the students of the roster who have none."""
    present = {paper.student for paper in papers}
    return tuple(
        Paper(None, student, student, problem=words.NOT_HANDED_IN)
        for student in roster.ids
        if student not in present
    )


def whose(paper, roster):
    """Give a paper to the one student that its path speaks for, or say why to none."""
    evidence = gather(paper.name, roster)
    sure, named = evidence.sure, evidence.named
    by_both = named & (sure or evidence.perhaps)
    if len(sure) == 1 and (not named or by_both):
        return replace(paper, student=next(iter(sure)))
    if not sure and len(named) == 1 and not (long_ids(evidence.perhaps) - named):
        return replace(paper, student=next(iter(named)), notes=(*paper.notes, words.KNOWN_BY_NAME))
    if not sure and len(by_both) == 1:
        return replace(paper, student=next(iter(by_both)), notes=(*paper.notes, words.KNOWN_BY_NAME))
    if sure and named and not by_both:
        reason = words.ID_AGAINST_NAME
    elif len(sure) > 1:
        reason = words.SEVERAL_IDS
    elif len(named) > 1:
        reason = words.SEVERAL_NAMES
    else:
        reason = words.NO_ID
    candidates = tuple(s for s in roster.ids if s in sure | named | evidence.perhaps)
    return replace(paper, problem=paper.problem or reason, candidates=candidates)


def long_ids(students):
    """Return the IDs that no date or exercise number looks like."""
    return {student for student in students if len(student) >= SHORTEST_ID}


def gather(path, roster):
    """Collect what a path says about whose it is."""
    text = normal(path)
    sure = set()
    platform = {normal(student.platform): student.id for student in roster.students if student.platform}
    for pattern in (MOODLE, CANVAS):
        sure |= {platform[number] for number in pattern.findall(text) if number in platform}
    text = MOODLE.sub("/", text)  # its number looks like an ID, and is none
    parts = [COPY.sub("", part.removesuffix(".ipynb")).strip() for part in text.split("/")]
    perhaps = set()
    for student in roster.ids:
        given = normal(student)
        if given in parts or (len(given) >= SHORTEST_ID and any(stands_alone(given, p) for p in parts)):
            sure.add(student)
        elif any(given in part for part in parts):
            perhaps.add(student)
    return Evidence(frozenset(sure), frozenset(names_in(parts, roster)), frozenset(perhaps))


def stands_alone(student, text):
    """Say whether an ID is in a text and no part of a longer number or, if it holds letters, word."""
    edge = "0-9" if student.isdigit() else "0-9a-z"
    return re.search(rf"(?<![{edge}]){re.escape(student)}(?![{edge}])", text) is not None


def names_in(parts, roster):
    """Return the IDs of the students whose name a path holds; a name within a longer one does not count."""
    found = {}
    for student in roster.students:
        name = normal(student.name)
        if len(name) > 1 and any(name_stands_alone(name, part) for part in parts):
            found.setdefault(name, set()).add(student.id)
    longest = [name for name in found if not any(name != other and name in other for other in found)]
    return set().union(*(found[name] for name in longest))


def name_stands_alone(name, text):
    """Say whether a name is in a text and not part of a longer name."""
    if name.isascii():
        spaced = r"[\s_.\-]*".join(map(re.escape, name.split()))
        return re.search(rf"(?<![a-z]){spaced}(?![a-z])", text) is not None
    alone = rf"(?:{headings.BEFORE_NAME}){re.escape(name)}(?:{headings.AFTER_NAME})"
    return re.search(alone, text) is not None


def read_mapping(path, roster):
    """Return {file or folder: ID, or "-"} from a table's filled rows; raise BadSheet with the row."""
    mapping = {}
    for number, row in sheets.read_sheet(path, WHOSE, ("file", "id")):
        file, student, where = squeezed(row["file"]).rstrip("/"), row["id"], f"{path}, row {number}"
        if not file:
            raise sheets.BadSheet(must_be(f"the file in {where}", "a file or folder name", "none"))
        if student and student != NOT_USED and student not in roster.by_id:
            raise sheets.BadSheet(
                must_be(f"the ID in {where}", f"on the roster, or {NOT_USED}", repr(student))
            )
        if student:
            mapping[file] = student
    return mapping


def write_whose(folder, entries, mapping):
    """Write whose.csv: the papers that the teacher has to say something about, and what was said before."""
    rows = {file: (file, student, "", "") for file, student in mapping.items()}
    for entry in entries:
        paper, known = entry.paper, mapping.get(squeezed(entry.paper.name), "")
        if paper.path is not None and paper.student is None:
            rows[squeezed(paper.name)] = (paper.name, known, " ".join(paper.candidates), paper.problem)
        elif entry.undecided:
            rows[squeezed(paper.name)] = (paper.name, paper.student, "", words.TWO_PAPERS[None])
    path = folder / "whose.csv"
    if rows or path.exists():
        sheets.write_sheet(path, words.WHOSE_HEADER, rows.values())
