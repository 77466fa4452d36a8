"""Tables in and out: written so that Excel opens them right, read however a spreadsheet saved them."""

import csv
import datetime
import io
import os
import re
import unicodedata
from pathlib import Path

from transformer_book.checks.messages import must_be

# What starts a formula, and the mark that keeps text from being one (so that it can be taken off again).
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "'")
# Text that a spreadsheet would take for a number or a date and change: 0012, 3-4, and 202330100012, which it
# shows as 2.0233E+11 (a plain number of up to 11 digits is safe). A formula that gives the text keeps it.
CHANGED = re.compile(r"(?!(?:0|[1-9][0-9]{0,10})$)[0-9][0-9./eE+-]*")
KEPT = re.compile(r'="([0-9][0-9./eE+-]*)"')
WORKBOOKS = (".xlsx", ".xlsm", ".xls", ".ods")
WORKBOOK_STARTS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
TITLE_ROWS = 10  # a heading stands within this many rows: titles and notes may go before it


class BadSheet(ValueError):
    """A table that cannot be used; the text names the file and the row."""


def write_sheet(path, header, rows):
    """Write a CSV for spreadsheets, which leave its text alone: none becomes a formula, number or date."""
    write_csv(path, header, rows, inert)


def write_csv(path, header, rows, guard=None):
    """Write a CSV in UTF-8 with a byte-order mark, whole or not at all; no text of it runs as a formula."""
    guard = guard or harmless
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow(header)
    writer.writerows([guard(value) for value in row] for row in rows)
    write_whole(path, b"\xef\xbb\xbf" + buffer.getvalue().encode("utf-8", "backslashreplace"))


def write_whole(path, data):
    """Write a file whole or not at all."""
    path = Path(path)
    temporary = path.with_name(path.name + ".part")
    temporary.write_bytes(data)
    os.replace(temporary, path)


def inert(value):
    """Keep a spreadsheet from running text as a formula, or changing it into another number or a date."""
    if not isinstance(value, str):
        return value
    return f'="{value}"' if CHANGED.fullmatch(value) else harmless(value)


def harmless(value):
    """Keep a spreadsheet from running text as a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_STARTS) else value


def text_of(value):
    """Return a cell as text, without the marks that ``inert`` adds; 20260001.0 of a workbook is 20260001."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, datetime.datetime | datetime.date):
        value = value.isoformat(" ") if isinstance(value, datetime.datetime) else value.isoformat()
    text = str("" if value is None else value).strip()
    kept = KEPT.fullmatch(text)
    return kept[1] if kept else text.removeprefix("'").strip()


def read_rows(path):
    """Read a table as a list of rows of text: a workbook's first sheet, or CSV in any usual form."""
    path = Path(path)
    if not path.is_file():
        raise BadSheet(must_be(str(path), "a table", "no such file"))
    data = path.read_bytes()
    if path.suffix.lower() in WORKBOOKS or data.startswith(WORKBOOK_STARTS):
        rows = read_workbook(path)
    else:
        text = decode(data)
        line = next((line for line in text.splitlines() if re.search("[,;\t]", line)), "")
        delimiter = max(",;\t", key=line.count)
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        return [[text_of(value) for value in row] for row in rows]
    except csv.Error as error:
        raise BadSheet(must_be(str(path), "a table", error)) from error


def decode(data):
    """Decode a table's bytes: UTF-8, UTF-16 or GB18030, with a byte-order mark or without."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("gb18030", "replace")


def read_workbook(path):
    """Return the rows of a workbook's first sheet; raise BadSheet where it, or what reads it, is missing."""
    try:
        import python_calamine
    except ImportError as error:
        wanted = "a CSV file, or `pip install -r requirements-grading.txt` run first to read workbooks"
        raise BadSheet(must_be(str(path), wanted, "a workbook")) from error
    try:
        return python_calamine.CalamineWorkbook.from_path(str(path)).get_sheet_by_index(0).to_python()
    except (python_calamine.CalamineError, IndexError) as error:
        raise BadSheet(must_be(str(path), "a workbook or a CSV file", error)) from error


def heading(text):
    """Return a heading in the one form that is compared: no blanks, no case, half-width."""
    return re.sub(r"[\s_\-.:：*]+", "", unicodedata.normalize("NFKC", text)).casefold()


def read_sheet(path, columns, needed=()):
    """Read a table as [(row number, {field: text})] by its headings, whatever rows go before them.

    ``columns`` gives the headings that stand for each field, the likeliest first. Raises BadSheet if no row
    among the first has headings for all fields ``needed``.
    """
    rows = read_rows(path)
    above, places = find_headings(path, rows, columns, needed)
    body = enumerate(rows[above + 1 :], start=above + 2)
    return [
        (i, {field: row[place] if place < len(row) else "" for field, place in places.items()})
        for i, row in body
        if any(row)
    ]


def find_headings(path, rows, columns, needed):
    """Return (index of the row of headings, {field: index}); raise BadSheet where no row has those needed."""
    for above, row in enumerate(rows[:TITLE_ROWS]):
        places = place_columns(row, columns)
        if places and all(field in places for field in needed):
            return above, places
    wanted = "a table with the columns " + ", ".join(columns[field][0] for field in needed)
    raise BadSheet(must_be(str(path), wanted, rows[0] if rows else "an empty file"))


def place_columns(row, columns):
    """Return {field: index} for the fields that a row of headings names."""
    found = [heading(text) for text in row]
    places = {}
    for field, names in columns.items():
        for name in map(heading, names):
            if name in found and found.index(name) not in places.values():
                places[field] = found.index(name)
                break
    return places
