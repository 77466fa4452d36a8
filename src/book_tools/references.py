"""The page of references, made from references.bib: `python -m book_tools.references`.

The works stand in the order of the file, which is the order in which the book cites them, so that `[2]` is
the second one in the text and on the page. `--check` says whether the page is current, and changes nothing;
`--number` first sorts the file into that order, and writes the numbers into the pages' citations.
"""

import argparse
import re
import sys
from functools import cache
from pathlib import Path

from pybtex.database import parse_file
from pybtex.plugin import find_plugin

from book_tools.notebooks.files import BOOK, read_text, write_atomically

PAGE = "references.md"
HEADING = "# 参考文献"
_CITATION = re.compile(r"\[\[(\d+)\]\]\(references\.md#([\w-]+)\)")
_KEY = re.compile(r"@\w+\{([^,\s]+)")


@cache
def works(book=BOOK):
    """Return the works of a book by key, in order: pybtex entries, with `fields` and `persons`."""
    return parse_file(Path(book) / "references.bib", bib_format="bibtex").entries


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
    return "\n\n".join([HEADING, *paragraphs]) + "\n"


def number(book=BOOK):
    """Sort the works by their first citation, uncited ones last, and renumber every citation."""
    book = Path(book)
    pages = sorted(book.glob("*.md")) + sorted(book.glob("*.ipynb"))  # index.md, then the sections
    pages = [path for path in pages if path.name != PAGE]
    cited = [key for path in pages for _, key in _CITATION.findall(read_text(path))]
    known = list(works(book))
    order = [*(key for key in dict.fromkeys(cited) if key in known), *(k for k in known if k not in cited)]
    source = read_text(book / "references.bib")
    entries = {
        _KEY.match(entry)[1]: entry.strip() for entry in re.split(r"(?m)^(?=@)", source) if entry.strip()
    }
    _rewrite(book / "references.bib", source, "\n\n".join(entries[key] for key in order) + "\n")
    numbers = {key: place for place, key in enumerate(order, start=1)}
    for path in pages:
        text = read_text(path)
        _rewrite(
            path, text, _CITATION.sub(lambda m: m[0].replace(m[1], str(numbers.get(m[2], m[1])), 1), text)
        )
    works.cache_clear()
    texts.cache_clear()


def _rewrite(path, before, after):
    if after != before:
        write_atomically(path, after.encode("utf-8"))


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
        "--number", action="store_true", help="sort the works by first citation, and renumber all citations"
    )
    options = parser.parse_args(arguments)
    if options.number:
        number()
    path = BOOK / PAGE
    current = path.exists() and path.read_text(encoding="utf-8") == page()
    if options.check:
        print(f"{PAGE} is {'' if current else 'not '}current")
    elif not current:
        write_atomically(path, page().encode("utf-8"))
    return int(options.check and not current)


if __name__ == "__main__":
    sys.exit(main())
