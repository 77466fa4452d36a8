"""The teacher's own marks: derivations, and automatic marks adjusted with a note; kept by ID and item."""

import hashlib
from dataclasses import dataclass

from book_grading import headings, sheets
from book_grading.roster import COLUMNS
from book_grading.sheets import BadSheet
from book_grading.submissions import squeezed
from transformer_book.checks.messages import must_be

READ = {
    "item": headings.ITEM_COLUMNS,
    "points": headings.POINTS_COLUMNS,
    "comment": headings.COMMENT_COLUMNS,
    "version": headings.VERSION_COLUMNS,
    "file": headings.FILE_COLUMNS,
    "id": COLUMNS["id"],
}


@dataclass(frozen=True)
class Mark:
    """A hand mark: the points (None: a comment alone), the comment, the version of the answer it is for."""

    points: float | None
    comment: str = ""
    version: str = ""


def version_of(text):
    """Name a written answer by its text, so that a mark tells which answer it was given for."""
    return "v" + hashlib.sha256(squeezed(text).encode("utf-8", "backslashreplace")).hexdigest()[:7]


def read(path, assignment):
    """Return {(key of a paper, item): Mark} for a sheet's filled rows; raise BadSheet with the row."""
    most = {cell.grade_id: cell.points for cell in assignment.cells if cell.role in ("test", "derivation")}
    written = {cell.grade_id for cell in assignment.by_role("derivation")}
    marks = {}
    for number, row in sheets.read_sheet(path, READ, ("item", "points")):
        points, comment, where = row["points"], row.get("comment", ""), f"{path}, row {number}"
        if not points and not comment:
            continue
        key, item = row.get("id") or squeezed(row.get("file", "")), row["item"]
        if item not in most:
            raise BadSheet(must_be(f"the item in {where}", "one of " + ", ".join(most), repr(item)))
        if not key:
            raise BadSheet(must_be(f"the student in {where}", "an ID or a file name", "neither"))
        if item not in written and not comment:
            raise BadSheet(must_be(f"the comment in {where}", "the reason for another mark", "none"))
        value = read_points(points, most[item], where) if points else None
        marks[key, item] = Mark(value, comment, row.get("version", ""))
    return marks


def read_points(written, most, where):
    """Return a number of points; raise BadSheet unless it is one from 0 to ``most``."""
    wanted = f"a number from 0 to {most:g}"
    try:
        points = float(written)
    except ValueError as error:
        raise BadSheet(must_be(f"the points in {where}", wanted, repr(written))) from error
    if not 0 <= points <= most:
        raise BadSheet(must_be(f"the points in {where}", wanted, f"{points:g}"))
    return points


def rows(assignment, marked, marks, number):
    """Yield the sheet: a row for each written answer and adjusted item, those of earlier runs at the end.

    A row that is not filled in names the answer's present version; a filled one keeps the version that it was
    given for.
    """
    titles = {cell.grade_id: (cell.title, number(cell.points)) for cell in assignment.cells if cell.title}
    present = set()
    for one in marked:
        who = (one.paper.student or "", one.student.name, one.paper.name)
        for line in one.lines if one.entry.counts else ():
            mark = marks.get((one.key, line.id), Mark(None))
            if line.by_hand or (one.key, line.id) in marks:
                present.add((one.key, line.id))
                filled = (number(mark.points), mark.comment, mark.version or line.version)
                yield *who, line.id, *titles[line.id], *filled
    for (key, item), mark in marks.items():
        if (key, item) not in present:
            yield key, "", "", item, *titles[item], number(mark.points), mark.comment, mark.version
