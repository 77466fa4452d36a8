"""Break the library in known ways; each page that runs the broken code has to fail its checks: its outputs
change, and so the audit refuses each number of its text that is bound to a value which changed.

A broken copy of the library is put before the real one on the kernel's path. The broken line also leaves
a mark, so that a page which never runs it is told apart from a page that runs it and notices nothing.
"""

import copy
import dataclasses
import os
import shutil
import tempfile
from pathlib import Path

import numpy as np

from book_tools.audit.binding import Binder
from book_tools.audit.facts import load_facts
from book_tools.audit.printed import Values
from book_tools.audit.prose import pieces
from book_tools.notebooks.comparison import differences
from book_tools.notebooks.execute import execute
from book_tools.notebooks.files import ROOT, NotebookError, is_measured, read

LIBRARY = ROOT / "src" / "transformer_book"
_MARK = "BOOK_MUTANT_MARK"


@dataclasses.dataclass(frozen=True)
class LibraryMutant:
    """A mistake planted in the library: lines of files to replace, each `(file, right, wrong)`."""

    name: str
    edits: tuple[tuple[str, str, str], ...]


_VERDICTS = {None: "does not run it", True: "fails, as it should", False: "SURVIVES"}
_LEAVE_MARK = "open(__import__('os').environ['BOOK_MUTANT_MARK'], 'w').close(); "

MUTANTS = (
    LibraryMutant(
        "softmax over the queries instead of the keys",
        (
            (
                "equations/softmax.py",
                "    return E / xp.sum(E, axis=0, keepdims=True)\n",
                "    return E / xp.sum(E, axis=1, keepdims=True)\n",
            ),
            (
                "attention/written_out.py",
                "        weights = torch.softmax(scores, dim=-1)\n",
                "        weights = torch.softmax(scores, dim=-2)\n",
            ),
        ),
    ),
    LibraryMutant(
        "scores not divided by √D_q",
        (
            ("equations/attention.py", "        S = S / math.sqrt(Q.shape[0])\n", "        S = S / 1.0\n"),
            ("attention/scores.py", "        return 1 / math.sqrt(query_dim)\n", "        return 1.0\n"),
        ),
    ),
    LibraryMutant(
        "mask left out",
        (
            (
                "equations/softmax.py",
                "        S = xp.where(check_mask(mask, S), S, -xp.inf)\n",
                "        S = S + 0.0\n",
            ),
            (
                "attention/masks.py",
                "    return key_position <= query_position\n",
                "    return key_position <= key_position.max() + 0 * query_position\n",
            ),
        ),
    ),
)


def plant(mutant, folder):
    """Copy the library into `folder` with the mutant's edits; NotebookError if a line is not there exactly
    once.
    """
    target = Path(folder) / LIBRARY.name
    shutil.copytree(LIBRARY, target, ignore=shutil.ignore_patterns("__pycache__"))
    for name, right, wrong in mutant.edits:
        path = target / name
        source = path.read_text(encoding="utf-8")
        if source.count(right) != 1:
            raise NotebookError(
                f"{name}: the line to break stands there {source.count(right)} times: {right.strip()}"
            )
        indent = wrong[: len(wrong) - len(wrong.lstrip())]
        path.write_text(source.replace(right, indent + _LEAVE_MARK + wrong.lstrip()), encoding="utf-8")


def try_page(mutant, path, report=lambda text: None):
    """Run a page on the broken library: None if it never runs the broken line, else whether checks fail."""
    notebook = read(path)
    with tempfile.TemporaryDirectory() as folder:
        plant(mutant, folder)
        mark = Path(folder) / "ran"
        environment = {
            "PYTHONPATH": os.pathsep.join([folder, *filter(None, [os.environ.get("PYTHONPATH")])]),
            _MARK: str(mark),
        }
        try:
            fresh = execute(copy.deepcopy(notebook), path, report, environment=environment)
        except NotebookError:
            return True if mark.exists() else None
        if not mark.exists():
            return None
    cells = zip(notebook.cells, fresh.cells, strict=True)
    changed = any(
        bool(differences(old.outputs, new.outputs))
        for old, new in cells
        if old.cell_type == "code" and not is_measured(old)
    )
    return changed and not list(unnoticed(notebook, fresh, load_facts()))


def unnoticed(notebook, fresh, facts):
    """Yield (key, text) for each bound number that passes the audit though its value is now another one."""
    before, after = Values(notebook), Values(fresh)
    binder = Binder(after, facts)
    for cell in notebook.cells:
        for piece in pieces(cell.source) if cell.cell_type == "markdown" else ():
            is_number = piece.kind == "data" and "$" not in piece.text and before.has(piece.key)
            if is_number and _moved(piece.key, before, after) and binder.bound(piece.key, piece.text) is None:
                yield piece.key, piece.text


def _moved(key, before, after):
    """Say whether a value has changed by more than any rounding: by a fifth, in size or in kind."""
    if not after.has(key):
        return True
    old, new = before.value(key), after.value(key)
    if not isinstance(old, float | np.ndarray) or not isinstance(new, float | np.ndarray):
        return False
    if np.shape(old) != np.shape(new):
        return True
    return bool(np.any(np.abs(np.subtract(new, old)) > 0.2 * np.abs(old)))


def try_all(paths, report=lambda text: None):
    """Try every mutant on every page, print a table, and return whether each page that is touched fails."""
    good = True
    for mutant in MUTANTS:
        verdicts = {path.name: try_page(mutant, path, report) for path in paths}
        print(mutant.name)
        for name, verdict in verdicts.items():
            print(f"  {name}: {_VERDICTS[verdict]}")
        good = good and False not in verdicts.values() and True in verdicts.values()
    return good
