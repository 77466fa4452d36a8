"""Tables in and out: written so that Excel opens them right, read however a spreadsheet saved them."""

import csv
import io
import os
import re
from pathlib import Path

# What starts a formula, and the mark that keeps text from being one (so that it can be taken off again).
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "'")
# Text that a spreadsheet would take for a number or a date and change: 0012, 3-4, and 202330100012, which it
# shows as 2.0233E+11 (a plain number of up to 11 digits is safe). A formula that gives the text keeps it.
CHANGED = re.compile(r"(?!(?:0|[1-9][0-9]{0,10})$)[0-9][0-9./eE+-]*")
KEPT = re.compile(r'="([0-9][0-9./eE+-]*)"')
STUDENT_HEADERS = ("学号", "id", "ID", "student", "student_id")


class BadSheet(ValueError):
    """A table that cannot be used; the text names the file and the row."""


def write_sheet(path, header, rows):
    """Write a CSV in UTF-8 with a byte-order mark, whole or not at all; spreadsheets leave its text alone."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow(header)
    writer.writerows([inert(value) for value in row] for row in rows)
    data = b"\xef\xbb\xbf" + buffer.getvalue().encode("utf-8", "backslashreplace")
    path = Path(path)
    temporary = path.with_name(path.name + ".part")
    temporary.write_bytes(data)
    os.replace(temporary, path)


def inert(value):
    """Keep a spreadsheet from running text as a formula, or changing it into another number or a date."""
    if not isinstance(value, str):
        return value
    if CHANGED.fullmatch(value):
        return f'="{value}"'
    return f"'{value}" if value.startswith(FORMULA_STARTS) else value


def read_sheet(path):
    """Read a table as a list of {column: text}: comma, semicolon or tab; UTF-8, UTF-16 or GB18030."""
    data = Path(path).read_bytes()
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16", "replace")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("gb18030", "replace")
    first = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))
    return [{(key or "").strip(): (value or "").strip() for key, value in clean(row)} for row in rows]


def clean(row):
    """List a row's cells up to the header's end, without the marks that ``inert`` adds."""
    for key, value in row.items():
        if key is None:
            continue
        kept = KEPT.fullmatch(value) if isinstance(value, str) else None
        if kept:
            yield key, kept[1]
        else:
            yield key, value[1:] if isinstance(value, str) and value[:1] == "'" else value


def read_roster(path):
    """Return a roster's IDs in order; raise BadSheet if one is missing, repeated or unfit for a file name."""
    rows = read_sheet(path)
    column = next((name for name in STUDENT_HEADERS if rows and name in rows[0]), None)
    if column is None:
        raise BadSheet(f"{path}: expected a column named 学号 or id")
    students = [row[column] for row in rows if any(row.values())]
    for number, student in enumerate(students, start=2):
        if (
            not student
            or not all(char.isalnum() or char in "-_." for char in student)
            or student.startswith(".")
        ):
            raise BadSheet(
                f"{path}, row {number}: expected an ID of letters, digits, - and _, got {student!r}"
            )
    repeated = sorted({student for student in students if students.count(student) > 1})
    if repeated:
        raise BadSheet(f"{path}: the ID {repeated[0]} appears twice")
    return students


def read_mapping(path, roster):
    """Return {file name: ID} from a table with the columns 文件 (or file) and 学号 (or id)."""
    mapping = {}
    for number, row in enumerate(read_sheet(path), start=2):
        file = row.get("文件") or row.get("file")
        student = next((row[name] for name in STUDENT_HEADERS if row.get(name)), None)
        if not file or not student:
            raise BadSheet(f"{path}, row {number}: expected a file name (文件) and an ID (学号)")
        if student not in roster:
            raise BadSheet(f"{path}, row {number}: the ID {student} is not on the roster")
        mapping[file] = student
    return mapping


HAND_HEADER = ("文件", "学号", "题号", "题目", "满分", "得分", "评语")


def read_hand_marks(path, most):
    """Return {(paper, item): (points or None, comment)} for filled rows; ``most`` gives items' points."""
    marks = {}
    for number, row in enumerate(read_sheet(path), start=2):
        written, comment, item = row.get("得分"), row.get("评语", ""), row.get("题号", "")
        if not written and not comment:
            continue
        if item not in most:
            raise BadSheet(f"{path}, row {number}: there is no hand-marked item {item!r}")
        points = read_points(written, most[item], f"{path}, row {number}") if written else None
        marks[row.get("文件", ""), item] = (points, comment)
    return marks


def read_points(written, most, where):
    """Return a number of points; raise BadSheet unless it is one from 0 to ``most``."""
    try:
        points = float(written)
    except ValueError as error:
        raise BadSheet(f"{where}: expected a number under 得分, got {written!r}") from error
    if not 0 <= points <= most:
        raise BadSheet(f"{where}: expected 0 to {most:g} points, got {points:g}")
    return points
