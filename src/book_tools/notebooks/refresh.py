"""Re-execute notebooks: `python -m book_tools.notebooks.refresh [--check] [--measure] [notebook …]`.

A notebook that has not changed stays byte-identical; prose is never touched; one that fails stays as it was.
Its counterparts in other editions get the same code and outputs.
"""

import argparse
import copy
import sys
import time

from book_tools.editions.counterparts import align_all
from book_tools.editions.places import language_of
from book_tools.language import CHINESE
from book_tools.notebooks.execute import execute
from book_tools.notebooks.files import (
    KERNELSPEC,
    NotebookError,
    are_tied,
    chosen,
    code_digest,
    is_measured,
    read,
    tie_outputs,
    to_bytes,
    write_atomically,
)
from book_tools.notebooks.pictures import data_difference, kind_of

# What editors leave behind in a cell's metadata; none of it changes what the page says.
EDITOR_METADATA = ("execution", "collapsed", "scrolled", "trusted", "jupyter")
EDITOR_METADATA += ("ExecuteTime", "vscode", "editable", "id")


def refreshed(notebook, path, measure=False, report=lambda text: None):
    """Return a fresh, normalised execution of `notebook`, keeping stored pictures that are unchanged."""
    fresh = execute(copy.deepcopy(notebook), path, report)
    for old, new in zip(notebook.cells, fresh.cells, strict=True):
        if new.cell_type != "code":
            continue
        if is_measured(new):
            _keep_measurement(old, new, measure)
        else:
            _keep_pictures(old.outputs, new.outputs)
        tie_outputs(new)
    _normalise(fresh)
    return fresh


def _keep_measurement(old, new, measure):
    """Keep a measured cell's stored output while its code is unchanged."""
    if old.outputs and not measure and are_tied(old):
        new.outputs = copy.deepcopy(old.outputs)
        for output in new.outputs:
            if output.output_type == "execute_result":
                output.execution_count = new.execution_count


def _keep_pictures(old_outputs, new_outputs):
    """Keep a stored picture where the fresh drawing shows the same: new bytes would be noise."""
    for old, new in zip(_pictures(old_outputs), _pictures(new_outputs), strict=False):
        if data_difference(old, new) is None:
            new[kind_of(new)] = old[kind_of(old)]


def _pictures(outputs):
    return [output.data for output in outputs if kind_of(output.get("data", {}))]


def _normalise(notebook):
    notebook.metadata["kernelspec"] = dict(KERNELSPEC)
    notebook.metadata["language_info"] = {"name": "python"}
    for name in ("widgets", "signature", "orig_nbformat", "toc"):
        notebook.metadata.pop(name, None)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    taken = set()
    for position, cell in enumerate(notebook.cells):
        folded = {name: True for name, value in cell.metadata.get("jupyter", {}).items() if value}
        for name in EDITOR_METADATA:
            cell.metadata.pop(name, None)
        if folded:  # an output that answers a guess, say, starts out of sight
            cell.metadata["jupyter"] = folded
        if not cell.get("id") or cell["id"] in taken:
            cell["id"] = f"{code_digest(cell.source)[:8]}-{position}"
        taken.add(cell["id"])


def refresh(path, check=False, measure=False, report=lambda text: None):
    """Refresh one notebook file and its counterparts; return whether bytes changed (`check`: would change).

    Raises NotebookError for a page of another edition: its code and outputs are those of the first.
    """
    if language_of(path) is not CHINESE:
        raise NotebookError(f"{path}: refresh its counterpart in the first edition, {path.name}")
    before = path.read_bytes() if path.is_file() else b""
    notebook = read(path)
    after = to_bytes(refreshed(notebook, path, measure, report))
    if after == before:
        return align_all(path, check)
    if path.read_bytes() != before:
        raise NotebookError(f"{path}: the file was edited while it ran; nothing written, run refresh again")
    if not check:
        try:
            write_atomically(path, after)
        except OSError as error:
            raise NotebookError(f"{path}: cannot be written ({error.strerror})") from None
        align_all(path)
    return True


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="python -m book_tools.notebooks.refresh", description=__doc__.splitlines()[0]
    )
    parser.add_argument(
        "notebooks", nargs="*", help="paths or starts of names, such as 02; default: every page"
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail if a stored output is not fresh"
    )
    parser.add_argument(
        "--measure", action="store_true", help="also renew the stored outputs of measured cells"
    )
    options = parser.parse_args(arguments)
    changed, failed = [], []
    try:
        paths = chosen(options.notebooks)
    except NotebookError as error:
        parser.error(str(error))
    for path in paths:
        started = time.monotonic()
        try:
            differs = refresh(path, options.check, options.measure, _progress)
        except NotebookError as error:
            _say(f"{error}\n{path.name}: nothing written")
            failed.append(path)
            continue
        if differs:
            changed.append(path)
        state = ("not fresh" if options.check else "renewed") if differs else "unchanged"
        _say(f"{path.name}: {state} ({time.monotonic() - started:.0f} s)")
    return 1 if failed or (options.check and changed) else 0


def _progress(text):
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
    else:
        print(text, file=sys.stderr, flush=True)


def _say(text):
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    print(text, flush=True)


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")  # GBK, for one, has no ²
    sys.exit(main())
