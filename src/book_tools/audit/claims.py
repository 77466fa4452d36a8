"""The tables of claims: each sentence of a page that says how a model, training or data behaves, and what
shows it.

A page's table is `book/claims/NN_name.toml`, with one entry a sentence:

    [[claim]]
    sentence = "Unscaled, the model learns slower."  # verbatim; tags and marks of emphasis do not count
    cell = "scaling-train"                         # the id of the code cell that shows it, or a list of ids
    holds = "{scaled} - {plain} > 2 * {error}"     # a condition over what these cells print (`expressions`)

    [[claim]]
    sentence = "A paper of 2017 proposed it."
    source = "vaswani2017"                         # a work of references.bib (or a list) that the page cites
"""

import re
import tomllib

from nbformat.v4 import new_notebook

from book_tools import references
from book_tools.audit.expressions import ExpressionError, why_not
from book_tools.audit.printed import Values
from book_tools.audit.report import Finding
from book_tools.notebooks.files import BOOK, read_text

FIELDS = {"sentence", "cell", "holds", "source"}
_TAGS = re.compile(r"</?[a-zA-Z][^<>]*>|<!--.*?-->")
_CITATION = re.compile(r"\s*(?:\[\[\d+\]\]\(references\.md#[^()\s]*\)|\[\d+\])")  # its number may move
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\([^()\s]*\)")


def table(page, book=BOOK):
    """Return the path of a page's table of claims; page: the name of the notebook, `04_scaling.ipynb`."""
    return book / "claims" / f"{page.removesuffix('.ipynb')}.toml"


def check_claims(notebook, page, book=BOOK):
    """Yield a finding for each claim of a page's table that nothing shows or that the page does not make."""
    path = table(page, book)
    if not path.exists():
        return
    name, source = f"claims/{path.name}", read_text(path)
    try:
        claims = tomllib.loads(source).get("claim", [])
    except tomllib.TOMLDecodeError as error:
        yield Finding(name, None, None, "", f"must be TOML; {error}")
        return
    lines = [number for number, line in enumerate(source.splitlines(), 1) if line.strip() == "[[claim]]"]
    if not isinstance(claims, list) or not claims or len(lines) != len(claims):
        yield Finding(name, None, None, "", "must be a list of entries, each below a line [[claim]]")
        return
    text = page_text(notebook)
    seen = set()
    for line, claim in zip(lines, claims, strict=True):
        for fault in _faults(claim, notebook, text, seen, book):
            yield Finding(name, None, line, str(claim.get("sentence", "")), fault)


def check_tables(pages, book=BOOK):
    """Yield a finding for each table of claims that belongs to no page."""
    names = {path.stem for path in pages}
    for path in sorted((book / "claims").glob("*")):
        if path.suffix != ".toml" or path.stem not in names:
            yield Finding(f"claims/{path.name}", None, None, "", "the book has no page of this name")


def page_text(notebook):
    """Return what a page's text cells say, as `plain` spells it, a line a cell."""
    return "\n".join(plain(cell.source) for cell in notebook.cells if cell.cell_type == "markdown")


def plain(markdown):
    """Drop tags, citations, links' addresses and marks of emphasis; blanks and line ends are one blank."""
    text = _LINK.sub(r"\1", _CITATION.sub("", _TAGS.sub("", markdown)))
    return " ".join(text.replace("*", "").split())


def _faults(claim, notebook, text, seen, book):
    unknown = sorted(set(claim) - FIELDS)
    if unknown:
        yield f"has the fields {', '.join(sorted(FIELDS))}; got {', '.join(unknown)}"
    sentence = plain(str(claim.get("sentence", "")))
    count = text.count(sentence) if sentence else 0
    if count != 1:
        yield f"must stand verbatim once in the page's text; got {count} times"
    if sentence in seen:
        yield "must be listed once"
    seen.add(sentence)
    if ("cell" in claim) != ("holds" in claim) or not {"cell", "source"} & set(claim):
        yield "must give a cell and what holds there, or a source"
        return
    if "cell" in claim:
        yield from _unshown(_listed(claim["cell"]), str(claim["holds"]), notebook)
    if "source" in claim:
        yield from _uncited(_listed(claim["source"]), notebook, book)


def _unshown(ids, holds, notebook):
    """Yield why the outputs of these cells do not show the claim."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.get("id") in ids]
    missing = sorted(set(ids) - {cell.get("id") for cell in cells})
    if missing:
        yield f"cell must be the id of a code cell; got {', '.join(missing)}"
        return
    try:
        fault = why_not(holds, Values(new_notebook(cells=cells)))
    except ExpressionError as error:
        fault = str(error).replace("no code cell of this page prints", f"{', '.join(ids)} does not print")
    if fault:
        yield fault


def _uncited(works, notebook, book):
    """Yield why these works are no source of the claim for a reader of the page."""
    cited = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    for work in works:
        if work not in references.works(book):
            yield f"source must be a work of references.bib; got {work!r}"
        elif not re.search(rf"{re.escape(references.PAGE)}#{re.escape(work)}(?![\w-])", cited):
            yield f"source must be cited on the page: [[n]]({references.PAGE}#{work})"


def _listed(value):
    return [value] if isinstance(value, str) else list(value)
