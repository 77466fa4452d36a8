"""Read the table of facts: numbers that come from the literature, each with its reference."""

import re

from book_tools.audit.quantities import quantities
from book_tools.audit.report import Finding
from book_tools.audit.tables import read_table
from book_tools.notebooks.files import BOOK, shared

COLUMNS = ["key", "value", "unit", "reference", "where"]
COURSE = "course"  # the course that this chapter belongs to: numbers of its other chapters
_BIBLIOGRAPHY_KEY = re.compile(r"^@\w+\{\s*([^,\s]+)", re.MULTILINE)


def load_facts(book=BOOK):
    """Return the facts by key; an empty table if there is no file yet."""
    path = shared(book, "data/facts.csv")
    if not path.exists():
        return {}
    return {row["key"]: row for _, row in read_table(path, COLUMNS)}


def check_facts(book=BOOK):
    """Check that each fact has one key, a number, and a reference that the bibliography (or an address)
    gives.
    """
    path = book / "data" / "facts.csv"
    if not path.exists():
        return
    bibliography = book / "references.bib"
    works = (
        set(_BIBLIOGRAPHY_KEY.findall(bibliography.read_text(encoding="utf-8")))
        if bibliography.exists()
        else None
    )
    seen = set()
    for line, row in read_table(path, COLUMNS):
        fault = _fault(row, seen, works)
        if fault:
            yield Finding("data/facts.csv", None, line, ",".join(map(str, row.values())), fault)
        seen.add(row["key"])


def _fault(row, seen, works):
    if None in row or None in row.values():
        return f"expected {len(COLUMNS)} columns"
    if row["key"] in seen:
        return "this key stands twice"
    if len(quantities(row["value"])) != 1:
        return "value must be one number"
    if not row["where"].strip():
        return "say where in the work the number stands (section, table, page)"
    reference = row["reference"]
    elsewhere = reference == COURSE or reference.startswith("https://")
    if not elsewhere and works is not None and reference not in works:
        return f"reference {reference!r} is no key of references.bib, no https address, and not {COURSE!r}"
    return None
