"""Compare each edition with the first: the same pages, cells and code, and text that is up to date."""

from book_tools import references
from book_tools.audit.report import Finding
from book_tools.editions.counterparts import own_text, read_edition, stamp_of, without_own
from book_tools.editions.places import PAGES, folder_of, others
from book_tools.notebooks.files import ROOT, code_digest, pages

ALIGN = "run `python -m book_tools.editions align {code} {page}`"


def check_editions(root=ROOT):
    """Yield a finding for each place where an edition is not the first one's counterpart."""
    for language in others(root / "book"):
        yield from check_edition(language, root)


def check_edition(language, root=ROOT):
    """Yield the findings of one edition."""
    folder, first = folder_of(language, root / "book"), pages(root)
    for path in first:
        page, own = f"{language.code}/{path.name}", folder / path.name
        advice = ALIGN.format(code=language.code, page=path.name)
        if not own.exists():
            yield Finding(page, None, None, "", f"the page is missing; {advice}, and write its text")
        elif path.name != references.PAGE:  # written from references.bib, and compared with it by the audit
            yield from differences(read_edition(path), read_edition(own), page, advice)
    names = {path.name for path in first}
    for path in sorted(path for pattern in PAGES for path in folder.glob(pattern)):
        if path.name not in names:
            yield Finding(
                f"{language.code}/{path.name}", None, None, "", "the first edition has no such page"
            )


def differences(first, own, page, advice=""):
    """Yield the findings of a page, given its counterpart in the first edition."""
    ids, own_ids = [cell.get("id") for cell in first.cells], [cell.get("id") for cell in own.cells]
    if ids != own_ids:
        for name in sorted(set(ids) ^ set(own_ids)):
            fault = "has no counterpart" if name in own_ids else "is missing"
            yield Finding(page, None, None, name, f"this cell {fault}; {advice}")
        if sorted(ids) == sorted(own_ids):
            yield Finding(page, None, None, "", f"the cells stand in another order; {advice}")
        return
    for number, (cell, mine) in enumerate(zip(first.cells, own.cells, strict=True), start=1):
        if fault := _difference(cell, mine):
            yield Finding(page, number, None, cell.id, f"{fault}; {advice}")
        elif fault := _unread(cell, mine):
            yield Finding(page, number, None, cell.id, fault)


def _difference(cell, mine):
    """Say in which part of what editions have in common two cells differ, or return None."""
    common, own = without_own(cell), without_own(mine)
    parts = [name for name in sorted(common.keys() | own.keys()) if common.get(name) != own.get(name)]
    return f"differs from its counterpart in {', '.join(parts)}" if parts else None


def _unread(cell, mine):
    """Say what is left to write or to read again in a cell, or return None."""
    kind = "text" if cell.cell_type != "code" else "alternative text"
    if bool(own_text(cell).strip()) != bool(own_text(mine).strip()):
        return f"its {kind} is left to write" if own_text(cell) else f"its counterpart has no {kind}"
    if own_text(cell).strip() and stamp_of(mine) != code_digest(own_text(cell)):
        return f"the {kind} of its counterpart has changed since: read both, then stamp this cell"
    return None
