"""Submissions on disk: found however they are named, and whose they are by the teacher's records alone."""

import os
import re
import stat
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

LARGEST = 64 << 20  # photographs of handwriting pasted in, too
# What systems and editors leave in folders; any other hidden file may be somebody's work.
LITTER = {".ds_store", "thumbs.db", "desktop.ini", ".ipynb_checkpoints", "__macosx", "__pycache__"}


@dataclass(frozen=True)
class Paper:
    """One file handed in: where it is, the name shown for it, whose it is, what the teacher has to know."""

    path: Path
    name: str
    student: str | None = None
    notes: tuple[str, ...] = ()
    problem: str | None = None


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
            papers.setdefault(os.path.abspath(path), Paper(path, name, problem=unusable(path)))
    return tuple(apart(list(papers.values())))


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
        seen[paper.name] += 1
        again = seen[paper.name]
        yield paper if again == 1 else Paper(paper.path, f"{paper.name} ({again})", problem=paper.problem)


def shown(name):
    """Return a file name fit for a terminal, a table and a page: nothing unprintable."""
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in name)


def unusable(path):
    """Say why a file cannot be read as a paper, or None."""
    try:
        status = path.lstat()
    except OSError as error:
        return f"读不了：{error.strerror}"
    if stat.S_ISLNK(status.st_mode):
        return "是一个链接，不读它指向的文件"
    if stat.S_ISDIR(status.st_mode):
        return "是空文件夹"
    if not stat.S_ISREG(status.st_mode):
        return "不是普通文件"
    if status.st_size > LARGEST:
        return f"文件太大（超过 {LARGEST >> 20} MiB）"
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


def assign(papers, roster=(), mapping=None):
    """Say whose each paper is.

    ``mapping`` ({file name: ID}, from the teacher) decides; else a roster's ID found in the path that the
    teacher's collection gave the file; what a notebook says of itself is never read. Without a roster each
    paper stands for itself. A paper of nobody's gets a problem; two papers of one student get a note each.
    """
    if not roster:
        return tuple(Paper(p.path, p.name, p.name.removesuffix(".ipynb"), p.notes, p.problem) for p in papers)
    named = [whose(paper, roster, mapping or {}) for paper in papers]
    count = Counter(paper.student for paper in named if paper.student)
    return tuple(
        Paper(p.path, p.name, p.student, (*p.notes, "同一学号交了不止一份"), p.problem)
        if count[p.student] > 1
        else p
        for p in named
    )


def not_handed_in(papers, roster):
    """List, as papers with a problem, the students of the roster who have none."""
    present = {paper.student for paper in papers}
    return tuple(
        Paper(None, student, student, problem="没有交") for student in roster if student not in present
    )


def whose(paper, roster, mapping):
    """Find the one roster ID that a paper belongs to."""
    given = mapping.get(paper.name) or mapping.get(paper.path.name)
    if given is not None:
        if given in roster:
            return Paper(paper.path, paper.name, given, paper.notes, paper.problem)
        return Paper(paper.path, paper.name, None, paper.notes, f"对照表给的学号 {given} 不在名单里")
    found = [student for student in roster if re.search(bounded(student), paper.name, re.IGNORECASE)]
    if len(found) == 1:
        return Paper(paper.path, paper.name, found[0], paper.notes, paper.problem)
    reason = "文件名里没有名单上的学号" if not found else f"文件名里有不止一个学号：{'、'.join(found)}"
    return Paper(paper.path, paper.name, None, paper.notes, paper.problem or reason)


def bounded(student):
    """Return a pattern for an ID that is no part of a longer number or word."""
    return rf"(?<![0-9A-Za-z]){re.escape(student)}(?![0-9A-Za-z])"
