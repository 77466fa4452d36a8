"""Audit one page, a notebook or a Markdown file, against what is stored in it; no kernel runs."""

import itertools

from book_tools import references
from book_tools.audit.binding import Binder
from book_tools.audit.claims import check_claims
from book_tools.audit.facts import load_facts
from book_tools.audit.guesses import check_guesses
from book_tools.audit.labels import book_labels
from book_tools.audit.printed import Values
from book_tools.audit.prose import Lines, pieces
from book_tools.audit.report import Finding
from book_tools.audit.rules import check_cells
from book_tools.editions.places import language_of
from book_tools.language import CHINESE
from book_tools.notebooks.files import BOOK, read_page, read_text

STALE_REFERENCES = Finding(
    references.PAGE, None, None, "", "is not what references.bib gives: run `python -m book_tools.references`"
)


def audit_file(path, facts=None):
    """List the findings of a page on disk."""
    facts = load_facts(BOOK) if facts is None else facts
    if path.name == references.PAGE:
        return [] if read_text(path) == references.page(path.parent) else [STALE_REFERENCES]
    notebook, language = read_page(path), language_of(path)
    page = path.name if language is CHINESE else f"{language.code}/{path.name}"
    return [
        *audit_notebook(notebook, page, facts, language),
        *check_claims(notebook, path.name, path.parent),
    ]


def audit_notebook(notebook, page, facts, language=CHINESE):
    """List the findings of a notebook: rules for its cells, then its prose against values and facts."""
    values = Values(notebook)
    findings = [*check_cells(notebook, page, language), *check_guesses(notebook, page, language)]
    for key, earlier, value in values.conflicts:
        shown = values.shown(value)
        findings.append(
            Finding(
                page,
                value.cell,
                None,
                f"{key} = {shown}",
                f"cell {earlier.cell} prints another value under this key",
            )
        )
    findings.extend(audit_prose(notebook, page, Binder(values, facts, language)))
    return sorted(findings, key=lambda finding: (finding.cell or 0, finding.line or 0))


def audit_prose(notebook, page, binder):
    """Yield the findings of all text that readers see: text cells, alt texts of figures."""
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type != "code":
            yield from audit_text(cell.source, page, number, binder)
        else:
            yield from audit_captions(cell, page, number, binder)


def audit_text(markdown, page, number, binder):
    """Yield the findings of one Markdown text."""
    lines = Lines(markdown)
    found = pieces(markdown, binder.language)
    faults = [
        binder.faults(piece, found[position + 1 : position + 3]) for position, piece in enumerate(found)
    ]
    for offset, text, expected in itertools.chain(*faults, book_labels(binder.language).faults(found, page)):
        yield Finding(page, number, lines.at(offset), text, expected)


def audit_captions(cell, page, number, binder):
    """Yield the findings of the alt text of a code cell's figure, which stands in its metadata."""
    settings = cell.metadata.get("mystnb", {})
    keys = cell.metadata.get("bind", {}).get("alt", [])
    for text, expected in binder.listed(settings.get("image", {}).get("alt", ""), keys):
        yield Finding(page, number, None, text, f"{expected} (alt text)")
