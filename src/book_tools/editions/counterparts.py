"""A page of another edition: the cells of its counterpart, with text of its own.

What is an edition's own: the source of a text cell, the alternative text of a figure with the keys of its
numbers, and a digest of the counterpart's text that its author has read. All else is the counterpart's. A
Markdown page is one text; its digest stands in a comment at its end.
"""

import copy
import re

from nbformat.v4 import new_markdown_cell, new_notebook

from book_tools.editions.places import folder_of
from book_tools.language import CHINESE, LANGUAGES
from book_tools.notebooks.files import (
    NotebookError,
    code_digest,
    read,
    read_text,
    to_bytes,
    write_atomically,
)

STAMP = "counterpart"
_COMMENT = re.compile(r"\n*<!-- counterpart ?(?P<digest>\w*) -->\n*$")


def own_text(cell):
    """Return what an edition writes in a cell: a text, or a figure's alternative text; "" for neither."""
    if cell.cell_type != "code":
        return cell.source
    return cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")


def stamp_of(cell):
    """Return the digest of the counterpart's text for which a cell's own text was written, or None."""
    return cell.metadata.get("book_tools", {}).get(STAMP)


def stamp(cell, counterpart):
    """Note that a cell's own text says what its counterpart says now."""
    cell.metadata["book_tools"] = {
        **cell.metadata.get("book_tools", {}),
        STAMP: code_digest(own_text(counterpart)),
    }


def without_own(cell):
    """Return a cell without what is an edition's own: what two editions have in common."""
    common = copy.deepcopy(cell)
    if common.cell_type != "code":
        common.source = ""
        common.pop("attachments", None)
    metadata = common.metadata
    metadata.get("book_tools", {}).pop(STAMP, None)
    metadata.get("mystnb", {}).get("image", {}).pop("alt", None)
    metadata.get("bind", {}).pop("alt", None)
    for name in ("book_tools", "bind"):
        if not metadata.get(name, True):
            del metadata[name]
    return common


def aligned(first, own):
    """Return the notebook `first` with the texts of `own`, by the cells' ids; what is missing stays empty."""
    known = {cell.get("id"): cell for cell in own.cells}
    page = copy.deepcopy(first)
    page.cells = [_aligned_cell(cell, known.get(cell.get("id"))) for cell in first.cells]
    return page


def _aligned_cell(cell, own):
    made = without_own(cell)
    if own is None or own.cell_type != cell.cell_type:
        return made
    if cell.cell_type != "code":
        made.source = own.source
        if "attachments" in own:
            made.attachments = copy.deepcopy(own.attachments)
    elif own_text(own):
        made.metadata.setdefault("mystnb", {}).setdefault("image", {})["alt"] = own_text(own)
    if keys := own.metadata.get("bind", {}).get("alt"):
        made.metadata.setdefault("bind", {})["alt"] = list(keys)
    if stamp_of(own):
        made.metadata.setdefault("book_tools", {})[STAMP] = stamp_of(own)
    return made


def read_edition(path):
    """Read a page; a Markdown page becomes a notebook of one text cell, its digest in the metadata."""
    if path.suffix == ".ipynb":
        return read(path)
    text = read_text(path)
    found = _COMMENT.search(text)
    cell = new_markdown_cell(text[: found.start()] + "\n" if found else text, id="page")
    if found and found["digest"]:
        cell.metadata["book_tools"] = {STAMP: found["digest"]}
    return new_notebook(cells=[cell])


def edition_bytes(notebook, path):
    """Give the bytes of a page of another edition."""
    if path.suffix == ".ipynb":
        return to_bytes(notebook)
    (cell,) = notebook.cells
    return f"{cell.source.strip()}\n\n<!-- counterpart {stamp_of(cell) or ''} -->\n".lstrip().encode("utf-8")


def align(path, language, create=False, check=False):
    """Give the counterpart of a page of the first edition its code and outputs; return whether it changes.

    create: make a page that is missing, its text left to write; check: write nothing.
    """
    target = folder_of(language, path.parent) / path.name
    if not target.exists() and not create:
        return False
    own = read_edition(target) if target.exists() else new_notebook()
    after = edition_bytes(aligned(read_edition(path), own), target)
    if target.exists() and target.read_bytes() == after:
        return False
    if not check:
        target.parent.mkdir(exist_ok=True)
        write_atomically(target, after)
    return True


def align_all(path, check=False):
    """Align the counterparts of a page in all other editions; return whether one changes."""
    others = [language for language in LANGUAGES.values() if language is not CHINESE]
    return any([align(path, language, check=check) for language in others])


def stamp_page(path, language, cells=()):
    """Note that cells of the page's counterpart (all without names) say what the page says now."""
    target = folder_of(language, path.parent) / path.name
    own = read_edition(target)
    stamp_cells(read_edition(path), own, cells, path, target)
    write_atomically(target, edition_bytes(own, target))


def stamp_cells(page, own, cells, path, target):
    """Note in cells of `own`, by ids, that they say what those of `page` say; the paths are for errors."""
    first = {cell.get("id"): cell for cell in page.cells}
    if unknown := set(cells) - set(first):
        raise NotebookError(f"{path}: cells must be ids of the page; got {', '.join(sorted(unknown))}")
    for cell in own.cells:
        counterpart = first.get(cell.get("id"))
        if counterpart is not None and own_text(counterpart) and (not cells or cell.id in cells):
            if not own_text(cell).strip():
                raise NotebookError(f"{target}: the text of cell {cell.id} must be written first")
            stamp(cell, counterpart)
