"""Find, read and write the book's notebooks, always in the same bytes for the same content."""

import hashlib
import json
import os
import tempfile
from pathlib import Path

import nbformat
import yaml
from nbformat.v4 import new_markdown_cell, new_notebook

ROOT = Path(__file__).resolve().parents[3]
BOOK = ROOT / "book"

KERNELSPEC = {"display_name": "Python 3", "language": "python", "name": "python3"}
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
MEASURED = "measured"


class NotebookError(Exception):
    """A notebook that cannot be read, run or written; the message is for its author."""


def pages(root=ROOT, folder=None):
    """List the files that `_toc.yml` names, in the book's order; without it, all notebooks.

    folder: where the pages lie, that of another edition; none: the book's.
    """
    toc, folder = root / "_toc.yml", folder or root / "book"
    if not toc.exists():
        return sorted(folder.glob("*.ipynb"))
    entries = yaml.safe_load(toc.read_text(encoding="utf-8"))
    paths = (page_path(folder, name) for name in _toc_files(entries))
    return [path for path in paths if path is not None]


def shared(folder, name):
    """Return the path of what all editions have in common: in a folder of pages, or in the one above it."""
    path = Path(folder) / name
    return path if path.exists() else Path(folder).parent / name


def notebooks(root=ROOT):
    """List the notebooks of the book, in the book's order."""
    return [path for path in pages(root) if path.suffix == ".ipynb"]


def assignments(root=ROOT):
    """List the source notebooks of the assignments."""
    return sorted((root / "assignments" / "source").glob("*/*.ipynb"))


def _toc_files(entry):
    if isinstance(entry, list):
        for item in entry:
            yield from _toc_files(item)
    elif isinstance(entry, dict):
        for name, value in entry.items():
            if name in ("file", "root"):
                yield value
            else:
                yield from _toc_files(value)


def page_path(folder, name):
    """Return the file of a page, with or without its ending in the name; None where the folder has none."""
    paths = (folder / f"{name}{suffix}" for suffix in ("", ".ipynb", ".md"))
    return next((path for path in paths if path.is_file()), None)


def chosen(arguments, root=ROOT):
    """Turn names (paths, or the start of a page's name such as `02`) into notebook paths; none: all."""
    if not arguments:
        return notebooks(root)
    known = sorted(set(notebooks(root)) | set((root / "book").glob("*.ipynb")))
    paths = []
    for argument in arguments:
        if Path(argument).suffix == ".ipynb" and Path(argument).is_file():
            paths.append(Path(argument))
            continue
        matches = [path for path in known if argument and path.name.startswith(argument)]
        if not matches:
            raise NotebookError(
                f"no notebook {argument!r}; give a path, or the start of a name in {root / 'book'}"
            )
        paths.extend(matches)
    return paths


def read_text(path):
    """Read a UTF-8 file; a clear error for one that cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise NotebookError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise NotebookError(f"{path}: cannot be read (not UTF-8 text)") from None


def read(path):
    """Read a notebook of format 4; a clear error for a file that is not one."""
    text = read_text(path)
    try:
        if not isinstance(json.loads(text), dict):
            raise NotebookError(f"{path}: not a readable notebook (no JSON object)")
        return nbformat.reads(text, as_version=4)
    except (json.JSONDecodeError, nbformat.ValidationError) as error:
        raise NotebookError(f"{path}: not a readable notebook ({str(error).splitlines()[0]})") from None


def read_page(path):
    """Read a page of the book; a Markdown file becomes a notebook of one text cell."""
    if path.suffix == ".ipynb":
        return read(path)
    return new_notebook(cells=[new_markdown_cell(read_text(path))])


def to_bytes(notebook):
    """Give the one spelling of a notebook: sorted keys, one-space indent, UTF-8, `\\n` line ends."""
    return (nbformat.writes(notebook, version=4).rstrip("\n") + "\n").encode("utf-8")


def write_atomically(path, data):
    """Write bytes to a temporary neighbour and move it over `path`, so that no reader meets half a file."""
    path = Path(path)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
        os.chmod(temporary, path.stat().st_mode if path.exists() else 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def is_measured(cell):
    """Say whether a code cell measures the reader's own machine."""
    return MEASURED in cell.metadata.get("tags", [])


def code_digest(source):
    """Name a piece of code by a short digest."""
    return hashlib.sha256(source.encode("utf-8")).hexdigest()[:16]


def tie_outputs(cell):
    """Note in a code cell's metadata which code its outputs come from; only a run of that code may say so."""
    cell.metadata["book_tools"] = {**cell.metadata.get("book_tools", {}), "digest": code_digest(cell.source)}


def are_tied(cell):
    """Say whether a code cell's outputs come from the code that stands in it."""
    return cell.metadata.get("book_tools", {}).get("digest") == code_digest(cell.source)


def untied_outputs(notebook):
    """Yield (number of the cell, what is wrong) for each code cell whose outputs are of other code."""
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type == "code" and not are_tied(cell):
            yield number, "its outputs do not come from this code: run `make refresh` on this notebook"


def clean_outputs(outputs):
    """Drop what is random in outputs: widget views (their model ids) and timings in the metadata."""
    cleaned = []
    for output in outputs:
        output = nbformat.from_dict(dict(output))
        if "data" in output:
            output.data.pop(WIDGET_VIEW, None)
            output.metadata.pop(WIDGET_VIEW, None)
            if not output.data:
                continue
        cleaned.append(output)
    return cleaned
