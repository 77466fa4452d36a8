"""The assignments in other languages: `assignments/en` has the sets of `assignments`, cell by cell.

A set's text is its edition's own, as a page's is. What its code and titles say (messages of tests, comments)
stands in `said.csv` of that folder, `first` as the first edition says it and `here`: the code itself, the
tests, points and numbers are the first edition's.
"""

import copy
import re

from nbformat.v4 import new_notebook

from book_tools.audit.report import Finding
from book_tools.audit.tables import read_table
from book_tools.editions.check import differences
from book_tools.editions.counterparts import aligned, stamp_cells
from book_tools.language import CHINESE, LANGUAGES
from book_tools.notebooks.files import ROOT, assignments, read, tie_outputs, to_bytes, write_atomically

HAN = re.compile(r"[\u4e00-\u9fff]")
TABLE = "said.csv"
ALIGN = "run `python -m book_tools.editions align {code} {name}`"


def folder_of_sets(language, root=ROOT):
    """Return the folder of the sets in another language."""
    return root / "assignments" / language.code


def others_with_sets(root=ROOT):
    """List the languages that have sets beside the first edition's."""
    languages = [language for language in LANGUAGES.values() if language is not CHINESE]
    return [language for language in languages if folder_of_sets(language, root).is_dir()]


def sets_in(language, root=ROOT):
    """List the sets in another language."""
    return sorted(folder_of_sets(language, root).glob("source/*/*.ipynb"))


def counterpart(path, language, root=ROOT):
    """Return where a set of the first edition lies in another language."""
    return folder_of_sets(language, root) / "source" / path.stem / path.name


def spoken(first, language, root=ROOT):
    """Return a set of the first edition as another language has it, its text still the first edition's."""
    rows = read_table(folder_of_sets(language, root) / TABLE, ["first", "here"])
    said = {row["first"]: row["here"] for _, row in rows}
    phrase = re.compile("|".join(map(re.escape, sorted(said, key=len, reverse=True))))
    page = copy.deepcopy(first)
    page.metadata["book_tools"] = {**page.metadata.get("book_tools", {}), "language": language.code}
    for cell in page.cells:
        if cell.cell_type == "code":
            cell.source = phrase.sub(lambda found: said[found[0]], cell.source)
            tie_outputs(cell)
    for metadata in (page.metadata, *(cell.metadata for cell in page.cells)):
        own = metadata.get("book_tools", {})
        if "title" in own:
            own["title"] = said.get(own["title"], own["title"])
    return page


def align_set(path, language, root=ROOT):
    """Give a set of the first edition its counterpart: code, tests and numbers; its text is left to write."""
    target = counterpart(path, language, root)
    own = read(target) if target.exists() else new_notebook()
    target.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(target, to_bytes(aligned(spoken(read(path), language, root), own)))


def stamp_set(path, language, cells=(), root=ROOT):
    """Note that cells of a set's counterpart (all without names) say what the set says now."""
    target = counterpart(path, language, root)
    own = read(target)
    stamp_cells(read(path), own, cells, path, target)
    write_atomically(target, to_bytes(own))


def check_sets(root=ROOT):
    """Yield a finding for each place where a set in another language is not the first one's counterpart."""
    for language in others_with_sets(root):
        first = assignments(root)
        for path in first:
            name, advice = f"{language.code}/{path.name}", ALIGN.format(code=language.code, name=path.stem)
            own = counterpart(path, language, root)
            if not own.exists():
                yield Finding(name, None, None, "", f"the set is missing; {advice}, and write its text")
            else:
                yield from set_differences(spoken(read(path), language, root), read(own), name, advice)
        for path in sets_in(language, root):
            if path.name not in {one.name for one in first}:
                name = f"{language.code}/{path.name}"
                yield Finding(name, None, None, "", "the first edition has no such set")


def set_differences(first, own, name, advice):
    """Yield the findings of a set, given its counterpart as its language says it."""
    if first.metadata != own.metadata:
        yield Finding(name, None, None, "", f"title, language or limits differ; {advice}")
    yield from differences(first, own, name, advice)
    for number, cell in enumerate(first.cells, start=1):
        code = cell.source if cell.cell_type == "code" else ""
        titled = cell.metadata.get("book_tools", {}).get("title", "")
        for line in f"{code}\n{titled}".split("\n"):
            if HAN.search(line):
                yield Finding(name, number, None, line, f"{TABLE} must say this in the set's language")
