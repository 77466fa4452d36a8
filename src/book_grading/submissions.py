"""Submissions on disk: found however they are named, read without following links."""

import os
import stat
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from book_grading import words

LARGEST = 64 << 20  # photographs of handwriting pasted in, too
# What systems and editors leave in folders; any other hidden file may be somebody's work.
LITTER = {".ds_store", "thumbs.db", "desktop.ini", ".ipynb_checkpoints", "__macosx", "__pycache__"}


@dataclass(frozen=True)
class Paper:
    """One file handed in: where it is, the name shown for it, whose it is, what the teacher has to know.

    ``time`` is when it was handed in, in seconds since 1970, as the file's date or the teacher's table says;
    ``candidates`` are the students that a paper of nobody's may belong to.
    """

    path: Path
    name: str
    student: str | None = None
    notes: tuple[str, ...] = ()
    problem: str | None = None
    time: float | None = None
    candidates: tuple[str, ...] = ()

    @property
    def key(self):
        """What a teacher's table calls the paper: the ID, else the file name, with no blank that counts."""
        return self.student or squeezed(self.name)


def squeezed(text):
    """Return text with blanks at its ends and repeated ones removed, as spreadsheets keep names."""
    return " ".join(text.split())


def find_papers(places):
    """List the papers in files and folders, in a fixed order.

    Every regular file is a paper, except systems' litter and, in a student's folder that holds a notebook,
    what lies beside it. Links are not followed and devices not opened: they become papers with a problem.
    """
    papers = {}
    for place in map(Path, places):
        if not os.path.lexists(place):
            raise FileNotFoundError(f"{place}: no such file or folder")
        root = place if place.is_dir() and not place.is_symlink() else place.parent
        for path in sorted(files_below(place, root), key=lambda path: path.as_posix()):
            name = shown(path.relative_to(root).as_posix())
            paper = Paper(path, name, problem=unusable(path), time=date_of(path))
            papers.setdefault(os.path.abspath(path), paper)
    return tuple(apart(list(papers.values())))


def date_of(path):
    """Return a file's date in seconds since 1970, or None."""
    try:
        return path.lstat().st_mtime
    except OSError:
        return None


def files_below(place, root):
    """Yield the files of a place; a link to a folder counts as a file, and so does an empty folder."""
    if place != root:
        yield place
        return
    for folder, folders, names in os.walk(place, onerror=refuse, followlinks=False):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        folders[:] = sorted(name for name in folders if not litter(name) and name not in links)
        names = [name for name in [*names, *links] if not litter(name)]
        notebooks = [name for name in names if name.lower().endswith(".ipynb")]
        for name in notebooks if notebooks and Path(folder) != root else names:
            yield Path(folder, name)
        if not folders and not names and Path(folder) != root:
            yield Path(folder)


def refuse(error):
    """Raise what kept a folder from being read: its papers must not be missing in silence."""
    raise error


def litter(name):
    """Say whether a name is a system's litter (macOS writes ._name beside each file)."""
    return name.lower() in LITTER or name.startswith("._")


def apart(papers):
    """Give papers of the same shown name (from different places) different ones."""
    seen = Counter()
    for paper in papers:
        seen[squeezed(paper.name)] += 1
        again = seen[squeezed(paper.name)]
        yield paper if again == 1 else replace(paper, name=f"{paper.name} ({again})")


def shown(name):
    """Return a file name fit for a terminal, a table and a page: nothing unprintable."""
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in name)


def unusable(path):
    """Say why a file cannot be read as a paper, or None."""
    try:
        status = path.lstat()
    except OSError as error:
        return words.unreadable(error.strerror)
    if stat.S_ISLNK(status.st_mode):
        return words.A_LINK
    if stat.S_ISDIR(status.st_mode):
        return words.EMPTY_FOLDER
    if not stat.S_ISREG(status.st_mode):
        return words.NO_FILE
    if status.st_size > LARGEST:
        return words.too_large(LARGEST >> 20)
    return None


def read(paper):
    """Return a paper's bytes, opening nothing but a regular file."""
    descriptor = os.open(
        paper.path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    )
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError("not a regular file")
        return file.read(LARGEST + 1)
