"""The page of references, made from references.bib: `python -m book_tools.references`.

The works stand in the order of the file, which is the order in which the book cites them, so that `[2]` is
the second one in the text and on the page. `--check` says whether the page is current, and changes nothing.
`--renumber`, after a work or a citation is added, puts the file in this order and corrects the numbers in the
pages.
"""

import argparse
import re
import sys
from functools import cache
from pathlib import Path

from pybtex.database import parse_file
from pybtex.plugin import find_plugin

from book_tools.editions.places import editions, folder_of, language_of
from book_tools.notebooks.files import BOOK, pages, read_text, shared, write_atomically

PAGE = "references.md"
_CITATION = re.compile(rf"\[\[\d+\]\]\({re.escape(PAGE)}#([\w-]+)\)")
_ENTRY = re.compile(r"^@\w+\{([^,\s]+),", re.MULTILINE)


@cache
def works(book=BOOK):
    """Return the works of a book by key, in order: pybtex entries, with `fields` and `persons`."""
    return parse_file(shared(book, "references.bib"), bib_format="bibtex").entries


@cache
def texts(book=BOOK, backend="plaintext"):
    """Return what stands on the page about each work, by key, in order."""
    style, written_by = (
        find_plugin("pybtex.style.formatting", "unsrt")(),
        find_plugin("pybtex.backends", backend)(),
    )
    entries = style.format_entries(works(book).values())
    return {entry.key: _plain(entry.text.render(written_by)) for entry in entries}


def page(book=BOOK):
    """Return the text of the page: a paragraph a work, with its number and an anchor, its key."""
    paragraphs = (
        f'<a id="{key}"></a>[{number}] {text}'
        for number, (key, text) in enumerate(texts(book, "markdown").items(), start=1)
    )
    return "\n\n".join([language_of(Path(book) / PAGE).marks.references, *paragraphs]) + "\n"


def renumber(book=BOOK, files=None):
    """Put references.bib in the order of the first citations; type each citation's number anew.

    files: the pages in the book's order. A work that no page cites goes to the end. Raises ValueError for a
    citation of a work that the file does not have.
    """
    if files is None:
        files = [page for language in editions() for page in pages(folder=folder_of(language))]
    texts = {path: read_text(path) for path in files}
    bibliography = Path(book) / "references.bib"
    entries = {_ENTRY.match(entry)[1]: entry for entry in _split(read_text(bibliography))}
    cited = dict.fromkeys(key for text in texts.values() for key in _CITATION.findall(text))
    if unknown := [key for key in cited if key not in entries]:
        raise ValueError(f"each work cited must be in references.bib; got {', '.join(unknown)}.")
    order = [*cited, *(key for key in entries if key not in cited)]
    numbers = {key: number for number, key in enumerate(order, start=1)}
    changed = {
        path: _CITATION.sub(lambda found: f"[[{numbers[found[1]]}]]({PAGE}#{found[1]})", text)
        for path, text in texts.items()
    }
    changed[bibliography] = "\n".join(entries[key] for key in order)
    for path, text in changed.items():
        if text != read_text(path):
            write_atomically(path, text.encode("utf-8"))


def _split(bibliography):
    """List the entries of a BibTeX file, each from its @ on, with one line end behind it."""
    starts = [found.start() for found in _ENTRY.finditer(bibliography)]
    ends = [*starts[1:], len(bibliography)]
    return [bibliography[start:end].strip() + "\n" for start, end in zip(starts, ends, strict=True)]


def _plain(text):
    """Drop the backslashes before marks that mean nothing within a sentence, and unbreakable blanks."""
    return re.sub(r"\\([.()-])", r"\1", text).replace("\xa0", " ")


def main(arguments=None):
    """Write the page, or say whether it is current."""
    parser = argparse.ArgumentParser(prog="python -m book_tools.references", description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit with 1 if it is not current"
    )
    parser.add_argument(
        "--renumber", action="store_true", help="order references.bib by first citation, and renumber"
    )
    options = parser.parse_args(arguments)
    if options.renumber:
        renumber()
    stale = [folder for folder in map(folder_of, editions()) if not _is_current(folder)]
    if options.check:
        print(f"{PAGE} is {'not ' if stale else ''}current")
    for folder in () if options.check else stale:
        write_atomically(folder / PAGE, page(folder).encode("utf-8"))
    return int(options.check and bool(stale))


def _is_current(folder):
    path = folder / PAGE
    return path.exists() and path.read_text(encoding="utf-8") == page(folder)


if __name__ == "__main__":
    sys.exit(main())
