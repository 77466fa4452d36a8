"""Marks as the teaching platforms take them, and the totals over all sets.

Blank where a total is not certain: no platform takes a blank for a zero. The values stand as they are, since
a platform would read the marks that keep a spreadsheet from changing them.
"""

from book_grading import headings, sheets, words
from book_grading.pages import number
from book_grading.roster import COLUMNS

TOTALS = {
    "id": COLUMNS["id"],
    "name": COLUMNS["name"],
    "group": COLUMNS["group"],
    "total": headings.TOTAL_COLUMNS,
    "most": headings.MOST_COLUMNS,
    "note": headings.COMMENT_COLUMNS,
}


def write_exports(folder, assignment, marked):
    """Write upload-moodle.csv, upload-canvas.csv and upload-xuexitong.csv: one row a student."""
    rows = one_row_a_student(marked)
    title = assignment.title
    moodle = [(s.id, s.name, s.email, points) for s, points in rows]
    sheets.write_csv(folder / "upload-moodle.csv", ("ID number", "Full name", "Email address", title), moodle)
    canvas = [(s.name, s.platform, s.id, s.id, s.group, points) for s, points in rows]
    possible = ("    Points Possible", "", "", "", "", number(sum(assignment.most)))
    header = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", title)
    sheets.write_csv(folder / "upload-canvas.csv", header, [possible, *canvas])
    xuexitong = [(s.id, s.name, s.group, points) for s, points in rows]
    sheets.write_csv(folder / "upload-xuexitong.csv", words.XUEXITONG_HEADER, xuexitong)


def one_row_a_student(marked):
    """Return [(student, points or "")], from the paper that counts."""
    rows = {}
    for one in marked:
        if one.student.id:
            rows.setdefault(one.student.id, (one.student, ""))
            if one.total is not None:
                rows[one.student.id] = (one.student, number(one.total))
    return list(rows.values())


def write_all_sets(out):
    """Write all-sets.csv below ``out``: each student's totals in all sets marked there, and their sum.

    The sum stays empty while a set that the student handed in is not certain; one not handed in adds nothing.
    """
    students, found, most = {}, {}, {}
    for path in sorted(out.glob("*/totals.csv")):
        name = path.parent.name
        for _, row in sheets.read_sheet(path, TOTALS, ("id", "total")):
            if not row["id"]:
                continue
            students.setdefault(row["id"], (row["id"], row["name"], row["group"]))
            most[name] = row["most"]
            here = row["id"], name
            if row["total"]:
                found[here] = float(row["total"])
            elif here not in found:
                found[here] = 0.0 if row["note"] in words.every("NOT_HANDED_IN") else None
    header = (*words.ALL_SETS_HEADER, *most, *words.ALL_SETS_SUM[:2])
    whole = number(sum(float(points) for points in most.values()))
    rows = []
    for student, who in students.items():
        totals = [found.get((student, name), 0.0) for name in most]
        known = None if None in totals else sum(totals)
        rows.append((*who, *map(number, totals), number(known), whole))
    sheets.write_sheet(out / "all-sets.csv", header, rows)
