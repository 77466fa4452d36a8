"""A reader's copies of the book's pages: made, compared with what they were made from, and made anew."""

import difflib
import shutil
from pathlib import Path

from book_tools.editions.places import editions, folder_of
from book_tools.language import CHINESE
from book_tools.notebooks.files import BOOK, ROOT, pages, read, read_text

FOLDER = ROOT / "my-book"
START = "00_index.md"  # the file list is in the order of names, and the book begins here
PRISTINE = ".originals"  # within the folder: each page as it was when it was copied


class Copies:
    """The copies in one folder; beside each one what it was made from, so that a newer book is noticed."""

    def __init__(self, folder=FOLDER, originals=None):
        self.folder, self.pristine = folder, folder / PRISTINE
        self.originals = {copy_name(path): path for path in originals or every_page()}

    def prepare(self):
        """Copy what is missing, and what is newer where the reader changed nothing; return the names left."""
        self.pristine.mkdir(parents=True, exist_ok=True)
        left = []
        for name, original in self.originals.items():
            copy, start = self.folder / name, self.pristine / name
            if copy.exists() and start.exists() and start.read_bytes() == original.read_bytes():
                continue
            if copy.exists() and self.changes(name):
                left.append(name)
            else:
                self.reset(name)
        return left

    def reset(self, name):
        """Make one copy anew."""
        for copy in (self.pristine / name, self.folder / name):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.originals[name], copy)

    def changes(self, name):
        """List what a reader has changed in one copy, as lines of a diff; outputs and counts don't matter."""
        copy, start = self.folder / name, self.pristine / name
        if not copy.exists():
            return []
        before = _sources(start) if start.exists() else []
        return list(difflib.unified_diff(before, _sources(copy), "the book", name, n=0, lineterm=""))


def every_page():
    """List the pages of each edition, the first edition's first."""
    return [path for language in editions() for path in pages(folder=folder_of(language))]


def copy_name(path):
    """Return the name of a page's copy within the folder; another edition's is `en/03_matrix_form.ipynb`."""
    place = path.parent.relative_to(BOOK) if path.is_relative_to(BOOK) else Path()
    return (place / (START if path.name == "index.md" else path.name)).as_posix()


def start_of(language):
    """Return the name of the copy at which an edition begins."""
    return START if language is CHINESE else f"{language.code}/{START}"


def _sources(path):
    """List the lines that an author or a reader has written in a page."""
    if path.suffix != ".ipynb":
        return read_text(path).splitlines()
    return [line for cell in read(path).cells for line in [f"[{cell.cell_type}]", *cell.source.splitlines()]]
