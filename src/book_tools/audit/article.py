"""The article's printed figures: each one is mapped to the page and the key that prints it."""

from fractions import Fraction
from itertools import zip_longest

from book_tools.audit.binding import is_formula, same_formula
from book_tools.audit.facts import load_facts
from book_tools.audit.printed import Values
from book_tools.audit.quantities import is_rounded, quantities
from book_tools.audit.report import Finding
from book_tools.audit.tables import read_table
from book_tools.notebooks.files import BOOK, pages, read

COLUMNS = ["id", "section", "what", "expected", "page", "key"]
TABLE = "data/article_figures.csv"


def load_figures(book=BOOK):
    return [row for _, row in read_table(book / TABLE, COLUMNS)]


def check_figures(book=BOOK):
    """Yield a finding for each figure that its page does not print under its key."""
    if not (book / TABLE).exists():
        return
    existing = {path.stem: path for path in pages(book.parent)}
    facts, values = load_facts(book), {}
    for line, row in enumerate(load_figures(book), start=2):
        page = row["page"]
        if page in existing and page not in values:
            values[page] = Values(read(existing[page])) if existing[page].suffix == ".ipynb" else None
        fault = figure_fault(row, values[page], facts) if page in existing else "the book has no such page"
        if fault:
            yield Finding(TABLE, None, line, f"{row['id']} {row['what']}", f"{fault} (page {page})")


def figure_fault(row, values, facts):
    """Say why a page does not print a figure, or return None. Several keys and values are joined by `;`."""
    if not row["key"]:
        return "name the key that prints it"
    printed = []
    for key in row["key"].split(";"):
        if key.startswith("fact:"):
            if key.removeprefix("fact:") not in facts:
                return f"no fact {key!r}"
            printed.append(facts[key.removeprefix("fact:")]["value"])
            continue
        try:
            printed.append(values.text(key) if values is not None else "")
        except KeyError as error:
            return error.args[0]
    shown = "; ".join(printed)
    return None if agree(row["expected"], shown) else f"expected {row['expected']}, printed {shown}"


def agree(expected, printed):
    """Compare numbers, formulas, or bounds (`0.20..0.26`: every printed number lies within)."""
    if ".." in expected:
        low, high = map(Fraction, expected.split(".."))
        shown = quantities(printed)
        return bool(shown) and all(low <= number.value <= high for number in shown)
    if is_formula(expected):
        pairs = list(zip_longest(expected.split(";"), printed.split(";"), fillvalue=""))
        return all(same_formula(one, other) for one, other in pairs)
    wanted, shown = quantities(expected), quantities(printed)
    return len(wanted) == len(shown) and all(map(is_rounded, wanted, shown))
