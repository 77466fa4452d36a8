"""A set and a submission as cells: nbgrader's metadata format, read from the source notebook.

The source decides everything (points, tests, givens); from a submission come answers alone.
"""

import ast
import json
from dataclasses import dataclass, field
from pathlib import Path

from book_grading import words
from book_grading.sandbox import Limits
from transformer_book.checks.messages import must_be


class BadSet(ValueError):
    """A source notebook that is not a set."""


@dataclass(frozen=True)
class Cell:
    """One cell: its kind ("code" or "markdown"), text, and nbgrader's and this project's metadata."""

    kind: str
    source: str
    grade_id: str | None = None
    grade: bool = False
    solution: bool = False
    points: float = 0
    title: str = ""
    variant: tuple = ()
    id: str | None = None  # nbformat's own

    @property
    def role(self):
        """Say what the cell is for: "answer", "test", "derivation", "given" or "text"."""
        if self.kind == "markdown":
            return "derivation" if self.grade and self.solution else "text"
        if self.solution:
            return "answer"
        return "test" if self.grade else "given"

    @property
    def answers(self):
        """List the names that an answer cell asks for: what its student version defines at top level."""
        names = []
        for node in ast.parse(released(self)).body:
            if isinstance(node, ast.FunctionDef):
                names.append((node.name, "function"))
            if isinstance(node, ast.Assign):
                names += [(name, "value") for target in node.targets for name in target_names(target)]
        return tuple(dict.fromkeys(names))


def target_names(target):
    """List the plain names in an assignment's target."""
    return [node.id for node in ast.walk(target) if isinstance(node, ast.Name)]


@dataclass(frozen=True)
class AssignmentSet:
    """A source notebook: its name, cells and limits, title and language."""

    name: str
    path: Path
    cells: tuple[Cell, ...]
    limits: Limits
    title: str = ""
    language: str = words.FIRST
    raw: dict = field(repr=False, compare=False, default_factory=dict)

    @property
    def titles(self):
        """The titles of what is marked, by grade_id."""
        return {cell.grade_id: cell.title for cell in self.cells if cell.title}

    def by_role(self, role):
        """List the cells of one role, in order."""
        return [cell for cell in self.cells if cell.role == role]

    @property
    def most(self):
        """The points of the whole set: (marked here, marked by hand)."""
        tests, derivations = self.by_role("test"), self.by_role("derivation")
        return sum(cell.points for cell in tests), sum(cell.points for cell in derivations)


def read_set(path):
    """Read a set's source notebook; raise BadSet with the reason when it is none."""
    path = Path(path)
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        extra = raw.get("metadata", {}).get("book_tools", {})
        cells = tuple(read_cell(cell) for cell in raw["cells"])
    except (OSError, ValueError) as error:
        raise BadSet(f"{path}: expected a source notebook, got {error}") from error
    except (AttributeError, KeyError, TypeError) as error:
        raise BadSet(f"{path}: expected a source notebook, got JSON that is not a notebook") from error
    check_cells(path, cells)
    limits, language = Limits(**extra.get("limits", {})), extra.get("language", words.FIRST)
    if language not in words.LANGUAGES:
        known = f"one of {', '.join(words.LANGUAGES)}"
        raise BadSet(must_be(f"the language of {path}", known, repr(language)))
    return AssignmentSet(path.stem, path, cells, limits, extra.get("title", path.stem), language, raw)


def read_cell(cell):
    """Read one cell of a source notebook."""
    grader = cell["metadata"].get("nbgrader", {})
    extra = cell["metadata"].get("book_tools", {})
    return Cell(
        kind=cell["cell_type"],
        source="".join(cell["source"]),
        grade_id=grader.get("grade_id"),
        grade=grader.get("grade", False),
        solution=grader.get("solution", False),
        points=grader.get("points", 0),
        title=extra.get("title", ""),
        variant=tuple(extra.get("variant", ())),
        id=cell.get("id"),
    )


def check_cells(path, cells):
    """Raise BadSet unless the cells make a set that can be marked."""
    ids = [cell.grade_id for cell in cells if cell.grade_id]
    if len(ids) != len(set(ids)):
        raise BadSet(f"{path}: a grade_id appears twice")
    for cell in cells:
        if cell.kind == "code" and cell.grade_id is None:
            raise BadSet(
                f"{path}: every code cell needs nbgrader metadata, this one has none: {cell.source[:60]!r}"
            )
        if cell.role in ("test", "derivation") and not cell.title:
            raise BadSet(f"{path}: the cell {cell.grade_id} needs a book_tools title")
        if cell.role == "answer" and not cell.answers:
            raise BadSet(f"{path}: the answer cell {cell.grade_id} defines no name")
        if cell.role == "answer" and SOLUTION[0] not in cell.source:
            raise BadSet(f"{path}: the answer cell {cell.grade_id} has no {SOLUTION[0]!r} region")
    if not any(cell.role == "test" for cell in cells):
        raise BadSet(f"{path}: no cell is marked")


# -- regions
# --------------------------------------------------------------------------------------------------

SOLUTION = ("### BEGIN SOLUTION", "### END SOLUTION")
HIDDEN = ("### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS")


def split_region(source, marks):
    """Return (lines outside the marked regions, with None where one stood and its indent, lines inside)."""
    outside, inside, open_region = [], [], False
    for line in source.split("\n"):
        word = line.strip()
        if word == marks[0]:
            open_region = True
            outside.append((None, line[: len(line) - len(line.lstrip())]))
        elif word == marks[1]:
            open_region = False
        elif open_region:
            inside.append(line)
        else:
            outside.append((line, ""))
    if open_region:
        raise BadSet(f"a region opened by {marks[0]!r} is not closed")
    return outside, inside


def without_solution(source):
    """Put the stub where the solution stands, as nbgrader's ClearSolutions does."""
    outside, _ = split_region(source, SOLUTION)
    lines = []
    for line, indent in outside:
        lines += [line] if line is not None else [indent + stub for stub in words.CODE_STUB.split("\n")]
    return "\n".join(lines)


def without_hidden_tests(source):
    """Cut hidden tests out, as nbgrader's ClearHiddenTests does."""
    outside, _ = split_region(source, HIDDEN)
    return "\n".join(line for line, _ in outside if line is not None)


def released(cell):
    """Return the cell's text in the student version."""
    if cell.role == "answer":
        return without_solution(cell.source)
    if cell.role == "derivation":
        return words.TEXT_STUB
    return without_hidden_tests(cell.source)


# -- submissions
# ----------------------------------------------------------------------------------------------


# What one paper may make the marker read: more than anybody writes, and read in seconds.
MOST_CELLS = 2_000
MOST_CODE = 1 << 20  # characters
LONGEST_TEXT = 20_000  # characters of one text cell, where pictures may be pasted in
MOST_OBJECTS = 200_000
MOST_VALUES = 4_000_000  # the numbers of plots among them
RELEASE = ("tag", "set", "numbers", "language")  # what a release writes into a notebook's metadata
ARCHIVES = (b"PK\x03\x04", b"Rar!", b"7z\xbc\xaf", b"\x1f\x8b")


class Unreadable(ValueError):
    """A file that cannot be marked; the text says why, for the teacher."""


@dataclass(frozen=True)
class Submission:
    """A student's notebook: its cells, what its release wrote into it, and what was odd about the file.

    ``release`` holds texts by name: those of ``RELEASE`` (see ``handed_out``).
    """

    cells: tuple[Cell, ...]
    release: dict = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def read_submission(data):
    """Read a notebook from bytes however an editor saved it; raise Unreadable with the reason."""
    text, notes = decode_text(data)
    if text.count("{") > MOST_OBJECTS or text.count(",") + text.count("[") > MOST_VALUES:
        raise Unreadable(words.TOO_MANY_PIECES)
    try:
        raw = json.loads(text, parse_int=float)  # no number is used, and int refuses one of many digits
    except RecursionError as error:
        raise Unreadable(words.TOO_DEEP) from error
    except ValueError as error:
        cut = text.lstrip()[:1] == "{" and '"cells"' in text
        raise Unreadable(words.CUT_OFF if cut else words.NOT_JSON) from error
    if not isinstance(raw, dict):
        raise Unreadable(words.NO_CELLS_IN_JSON)
    cells = raw.get("cells")
    sheets = raw.get("worksheets")
    if cells is None and isinstance(sheets, list) and sheets and isinstance(sheets[0], dict):
        cells = sheets[0].get("cells")
    if not isinstance(cells, list):
        raise Unreadable(words.NO_CELLS_IN_JSON)
    metadata = raw.get("metadata")
    extra = metadata.get("book_tools") if isinstance(metadata, dict) else None
    extra = extra if isinstance(extra, dict) else {}
    release = {name: extra[name] for name in RELEASE if isinstance(extra.get(name), str)}
    read = tuple(cell for cell in map(read_student_cell, cells) if cell is not None)
    if len(read) > MOST_CELLS:
        raise Unreadable(words.too_many_cells(MOST_CELLS))
    if sum(len(cell.source) for cell in read if cell.kind == "code") > MOST_CODE:
        raise Unreadable(words.too_much_code(MOST_CODE))
    return Submission(read, release, notes)


def decode_text(data):
    """Decode a file: UTF-8, UTF-16 or UTF-32, with a mark or without, else GB18030; note what was odd."""
    if not data.strip():
        raise Unreadable(words.EMPTY_FILE)
    if data.startswith(ARCHIVES):
        raise Unreadable(words.ARCHIVE)
    told = json.detect_encoding(data)
    for encoding in ("utf-8-sig" if told == "utf-8" else told, "gb18030"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        return text, () if encoding == "utf-8-sig" else (words.read_as(encoding),)
    raise Unreadable(words.NOT_TEXT)


def read_student_cell(cell):
    """Read one cell of a submission, trusting nothing; None for what is not a cell."""
    if not isinstance(cell, dict) or cell.get("cell_type") not in ("code", "markdown"):
        return None
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    if not isinstance(source, str):
        return None
    metadata = cell.get("metadata")
    grader = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    grade_id = grader.get("grade_id") if isinstance(grader, dict) else None
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    own = cell.get("id")
    return Cell(
        cell["cell_type"],
        source if cell["cell_type"] == "code" else source[:LONGEST_TEXT],
        grade_id if isinstance(grade_id, str) else None,
        id=own if isinstance(own, str) else None,
    )
