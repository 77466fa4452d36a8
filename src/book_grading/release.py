"""The student version of a set: no answers, outputs or hidden tests, and a check that none is left."""

import copy
import io
import json
import os
import re
import zipfile
from pathlib import Path

from book_grading import source_notebooks as notebooks
from book_grading import words
from book_grading.source_notebooks import BadSet, released
from book_grading.variants import release_mark, tag_for, vary_set

# A line shorter than this, or one that the source shows outside its secret regions too, gives nothing away.
DISTINCTIVE = 8
ZIP_DATE = (2020, 1, 1, 0, 0, 0)


def student_version(assignment, tag=None):
    """Return the released notebook as JSON text; raise BadSet if a solution line is found in it."""
    raw = copy.deepcopy(assignment.raw)
    with words.speaking(assignment.language):
        texts = [released(cell) for cell in assignment.cells]
    for data, text in zip(raw["cells"], texts, strict=True):
        data["source"] = text.splitlines(keepends=True)
        data["metadata"].pop("book_tools", None)
        if data["cell_type"] == "code":
            data["outputs"], data["execution_count"] = [], None
    raw["metadata"]["book_tools"] = release_mark(assignment, tag)
    check_release(assignment, raw)
    return json.dumps(raw, ensure_ascii=False, indent=1) + "\n"


def secret_lines(assignment):
    """List the lines that a student version must not hold: solutions, derivations and hidden tests.

    What a line gives away is judged by the source's regions, not by the release that is to be checked.
    """
    public, secret = [], []
    for cell in assignment.cells:
        if cell.role == "derivation":
            secret += cell.source.split("\n")
            continue
        outside, solution = notebooks.split_region(cell.source, notebooks.SOLUTION)
        source = "\n".join(line for line, _ in outside if line is not None)
        outside, hidden = notebooks.split_region(source, notebooks.HIDDEN)
        public += [line for line, _ in outside if line is not None]
        secret += solution + hidden
    text = "\n".join(public)
    stripped = dict.fromkeys(line.strip() for line in secret)
    return [line for line in stripped if len(line) >= DISTINCTIVE and line not in text]


def check_release(assignment, raw):
    """Raise BadSet if a string in the released notebook holds a solution line, or if an output is left."""
    text = "\n".join(strings_in(raw))
    for line in secret_lines(assignment):
        if line in text:
            raise BadSet(f"{assignment.name}: the student version would show the solution line {line!r}")
    for cell in raw["cells"]:
        if cell.get("outputs"):
            raise BadSet(f"{assignment.name}: the student version would show an output")


def strings_in(data):
    """Yield every string of a JSON value; a list of strings, as one text."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, list):
        if data and all(isinstance(item, str) for item in data):
            yield "".join(data)
        else:
            for item in data:
                yield from strings_in(item)
    elif isinstance(data, dict):
        for key, item in data.items():
            yield key
            yield from strings_in(item)


def release(assignment, out, roster=None, secret=None):
    """Write a set's student versions below ``out``; return the paths written.

    Without a roster there is one notebook, ``SET/SET.ipynb``; with one, each student has a folder
    ``SET/ID_NAME`` that holds ``ID.ipynb``, and a zip of it beside; with a secret, own numbers too.
    ``SET.zip`` holds all of them.
    """
    folder = Path(out) / assignment.name
    if not roster:
        files = {f"{assignment.name}.ipynb": student_version(assignment).encode()}
        paths = []
    else:
        files = {}
        for student in roster.students:
            files[f"{safe_name(student.label)}/{student.id}.ipynb"] = version_for(
                assignment, student.id, secret
            )
        paths = [
            write(folder / f"{name.split('/')[0]}.zip", zip_bytes({f"{assignment.name}/{name}": data}))
            for name, data in files.items()
        ]
    paths += [write(folder / name, data) for name, data in files.items()]
    archive = zip_bytes({f"{assignment.name}/{name}": data for name, data in files.items()})
    return [*paths, write(Path(out) / f"{assignment.name}.zip", archive)]


def version_for(assignment, student, secret):
    """Return a student's notebook as bytes: own numbers and a tag where there is a secret."""
    if secret is None:
        return student_version(assignment).encode()
    varied, tag = vary_set(assignment, secret, student), tag_for(secret, assignment.name, student)
    return student_version(varied, tag).encode()


def safe_name(name):
    """Return what is safe of a name for a file, at most 60 bytes: a file system counts bytes, not letters."""
    safe = re.sub(r"[^\w.-]+", "_", name).strip("_.") or "paper"
    return safe.encode("utf-8", "ignore")[:60].decode("utf-8", "ignore")


def zip_bytes(files):
    """Return a zip that depends on its files alone."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, ZIP_DATE), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def write(path, data):
    """Write a file whole or not at all, its folder too; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".part")
    temporary.write_bytes(data)
    os.replace(temporary, path)
    return path
