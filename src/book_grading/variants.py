"""Own numbers for each student, drawn from an ID of the teacher's roster and the teacher's secret.

A cell of givens lists its choices in its metadata: ``book_tools.variant = [{"names": ["D", "D_q"],
"choices": [[512, 64], …]}, …]``. HMAC-SHA-256 of the ID under the secret picks among them, so nobody
without the secret can tell which numbers an ID has, and no ID that a notebook claims is ever used.
"""

import hashlib
import hmac
import re
import secrets
from dataclasses import replace
from pathlib import Path

from book_grading import words
from book_grading.source_notebooks import BadSet
from transformer_book.checks.messages import must_be

# One line of a cell of givens.
ASSIGNMENT = re.compile(r"^(?P<name>\w+) = (?P<value>[^#]*?)(?P<comment>  #.*)?$")


def read_secret(path, create=False):
    """Return the secret kept in a file; ``create`` makes a missing one, readable by its owner alone."""
    path = Path(path)
    if create and not path.exists():
        path.touch(mode=0o600, exist_ok=False)
        path.write_text(secrets.token_hex(32) + "\n", encoding="ascii")
    if not path.is_file():
        raise ValueError(must_be(str(path), "the file with the secret of the release", "no such file"))
    secret = path.read_bytes().strip()
    if len(secret) < 16:
        raise ValueError(must_be(f"the secret in {path}", "at least 16 characters", str(len(secret))))
    return secret


def keyed(secret, *parts):
    """Return HMAC-SHA-256 of the parts, joined, under the secret, as bytes."""
    text = "\0".join(parts).encode()
    return hmac.new(secret, text, hashlib.sha256).digest()


def tag_for(secret, set_name, student):
    """Return the tag that a student's release carries, to notice papers that changed hands."""
    return keyed(secret, "tag", set_name, student).hex()[:16]


def numbers_of(assignment):
    """Return a digest of the numbers that a set hands out, or None where it has none that vary."""
    given = [cell.source for cell in assignment.cells if cell.variant]
    return hashlib.sha256("\0".join(given).encode()).hexdigest()[:12] if given else None


def release_mark(assignment, tag=None):
    """Return what a student version says of itself in its metadata: set, numbers, tag, language."""
    language = None if assignment.language == words.FIRST else assignment.language
    said = {"set": assignment.name, "numbers": numbers_of(assignment), "tag": tag, "language": language}
    return {name: value for name, value in said.items() if value is not None}


def choose(secret, set_name, student, cell):
    """Return {name: value} for one cell of givens."""
    chosen = {}
    for group in cell.variant:
        label = " ".join(group["names"])
        number = int.from_bytes(keyed(secret, "numbers", set_name, student, cell.grade_id, label), "big")
        chosen.update(zip(group["names"], group["choices"][number % len(group["choices"])], strict=True))
    return chosen


def vary(cell, secret, set_name, student):
    """Return the cell with the student's numbers in its assignments; raise BadSet if one is missing."""
    chosen = choose(secret, set_name, student, cell)
    lines = []
    for line in cell.source.split("\n"):
        found = ASSIGNMENT.match(line)
        if found and found["name"] in chosen:
            value = chosen.pop(found["name"])
            line = f"{found['name']} = {value!r}{found['comment'] or ''}"
        lines.append(line)
    if chosen:
        raise BadSet(
            f"the cell {cell.grade_id} does not assign {', '.join(chosen)}, which its variant chooses"
        )
    return replace(cell, source="\n".join(lines))


def vary_set(assignment, secret, student):
    """Return the set with the student's numbers in every cell that has choices."""
    cells = tuple(
        vary(cell, secret, assignment.name, student) if cell.variant else cell for cell in assignment.cells
    )
    return replace(assignment, cells=cells)
