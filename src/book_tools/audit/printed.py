"""Find what a notebook's code defines and what its stored outputs print, under the names that prose binds
to.
"""

import ast
import dataclasses
import itertools
import re

import numpy as np

from book_tools.audit.quantities import quantities

_LINE = re.compile(r"(?P<key>[^\W\d]\w*(?:\.\w+)*) =(?: (?P<text>.*))?")
_ADDRESS = re.compile(r"(?P<key>[^\W\d]\w*(?:\.\w+)*)\[(?P<place>\d+(?:,\s*\d+)?|:,\s*\d+)\]")


@dataclasses.dataclass(frozen=True)
class Printed:
    """A printed value: its text, and the cell (1-based) that printed it; a matrix is a tuple of row texts."""

    text: str
    cell: int
    rows: tuple[tuple[str, ...], ...] = ()

    @property
    def entries(self):
        """Entries of a vector, as texts; empty for a scalar and for a matrix."""
        inner = self.text.strip()
        if self.rows or not (inner.startswith("(") and ")" in inner):
            return ()
        return tuple(_split_entries(inner[1 : inner.rindex(")")]))

    def number(self):
        """The value as a float or an array of floats, or None where it is text."""
        if self.rows:
            return _array([[_float(entry) for entry in row] for row in self.rows])
        if self.entries:
            return _array([_float(entry) for entry in self.entries])
        return _float(self.text)

    def value(self):
        """The value as a float or an array of floats; else as a bool, a text or an array of texts."""
        number = self.number()
        if number is not None:
            return number
        if self.rows or self.entries:
            rows = [[_text(entry) for entry in row] for row in self.rows or (self.entries,)]
            return np.array(rows if self.rows else rows[0])
        return _text(self.text)


def _text(text):
    if text in ("True", "False"):
        return text == "True"
    return text.strip().removeprefix('"').removesuffix('"')


def _array(entries):
    flat = itertools.chain.from_iterable(entries) if isinstance(entries[0], list) else entries
    return None if any(entry is None for entry in flat) else np.array(entries)


def _float(text):
    found = quantities(text)
    head = text.strip().lstrip("-−")
    return float(found[0].value) if len(found) == 1 and head[:1].isdigit() else None


def _split_entries(text):
    """Split `0.090, 1,024, "a, b"` at the commas between entries."""
    return [part.strip() for part in re.findall(r'(?:"(?:\\.|[^"\\])*"|[^",]|,(?=\d{3}(?!\d)))+', text)]


class Values:
    """All that a notebook prints and defines."""

    def __init__(self, notebook):
        self.printed = {}
        self.defined = {}
        self.conflicts = []
        self.code = []
        for number, cell in enumerate(notebook.cells, start=1):
            if cell.cell_type != "code":
                continue
            self.code.append(cell.source)
            self._read_code(cell.source)
            if "measured" in cell.metadata.get("tags", []):
                continue  # no prose number binds to the reader's own machine
            for output in cell.outputs:
                if output.output_type == "stream" and output.name == "stdout":
                    self._read_output(output.text, number)

    def _read_output(self, text, cell):
        for key, value in printed_lines(text):
            value = dataclasses.replace(value, cell=cell)
            earlier = self.printed.setdefault(key, value)
            if (earlier.text, earlier.rows) != (value.text, value.rows):
                self.conflicts.append((key, earlier, value))

    def _read_code(self, source):
        try:
            tree = tree_of(source)
        except SyntaxError:
            return
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self._define(target, node.value)
            elif isinstance(node, ast.keyword) and node.arg:
                self._define(ast.Name(node.arg), node.value)
            elif isinstance(node, ast.For | ast.comprehension):
                self._define(node.target, node.iter)
                for value in getattr(node.iter, "elts", ()):
                    self._define(node.target, value)
            elif isinstance(node, ast.FunctionDef):
                self._define_defaults(node.args)

    def _define_defaults(self, arguments):
        positional = arguments.posonlyargs + arguments.args
        count = len(arguments.defaults)
        for argument, default in zip(positional[len(positional) - count :], arguments.defaults, strict=True):
            self._define(ast.Name(argument.arg), default)
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            if default is not None:
                self._define(ast.Name(argument.arg), default)

    def _define(self, target, value):
        if (
            isinstance(target, ast.Tuple)
            and isinstance(value, ast.Tuple)
            and len(target.elts) == len(value.elts)
        ):
            for part, part_value in zip(target.elts, value.elts, strict=True):
                self._define(part, part_value)
        elif isinstance(target, ast.Name):
            literal = _literal(value)
            if literal is not None:
                self.defined.setdefault(target.id, []).append(literal)

    def text(self, address):
        """Return the printed text at a key (`a_1`) or an element (`a_1[3]`, `S[2,3]`, `X[:,1]`); KeyError
        says what is wrong.
        """
        if address in self.printed:
            return self.shown(self.printed[address])
        match = _ADDRESS.fullmatch(address)
        if not match or match["key"] not in self.printed:
            raise KeyError(f"no code cell of this page prints a value {address!r}")
        value = self.printed[match["key"]]
        if match["place"].startswith(":"):
            return self._column(match["key"], value, int(match["place"].partition(",")[2]))
        place = [int(index) for index in match["place"].split(",")]
        entries = value.rows if len(place) == 2 else (value.entries,)
        row, column = (place[0], place[1]) if len(place) == 2 else (1, place[0])
        if not (1 <= row <= len(entries) and 1 <= column <= len(entries[row - 1])):
            raise KeyError(f"{match['key']!r} has no element {match['place']}; it prints {self.shown(value)}")
        return entries[row - 1][column - 1]

    def value(self, address):
        """Return what is printed at a key or an element as `Printed.value` does; KeyError as for `text`."""
        return (
            self.printed[address].value()
            if address in self.printed
            else Printed(self.text(address), 0).value()
        )

    def _column(self, key, value, column):
        if not value.rows or not 1 <= column <= len(value.rows[0]):
            raise KeyError(f"{key!r} has no column {column}; it prints {self.shown(value)}")
        return "(" + ", ".join(row[column - 1] for row in value.rows) + ")"

    @staticmethod
    def shown(value):
        return "; ".join(" ".join(row) for row in value.rows) if value.rows else value.text

    def has(self, address):
        """Say whether the page prints a value at this key or element."""
        try:
            return bool(self.text(address))
        except KeyError:
            return False

    def cell(self, address):
        """Return the number of the cell that printed what `address` names."""
        return self.printed[address.partition("[")[0]].cell

    def candidates(self, name):
        """List the numbers that a name stands for: printed under it, or given to it by code."""
        found = []
        if name in self.printed:
            number = self.printed[name].number()
            if number is not None:
                found.append(number)
        found.extend(self.defined.get(name, []))
        return found


def _literal(node):
    """Evaluate a literal number, vector or matrix, also inside one call such as np.array(…); None if it is
    none.
    """
    if isinstance(node, ast.Call) and node.args and callee(node.func) in ("array", "asarray", "tensor"):
        node = node.args[0]
    if isinstance(node, ast.BinOp | ast.UnaryOp):
        return _arithmetic(node)
    try:
        value = ast.literal_eval(node)
    except (ValueError, SyntaxError, TypeError):
        return None
    if isinstance(value, bool) or value is None or isinstance(value, str | bytes | dict | set):
        return None
    try:
        array = np.array(value, dtype=float)
    except (ValueError, TypeError):
        return None
    return float(array) if array.ndim == 0 else array


def tree_of(source):
    """Parse a cell's code, its magics left out; SyntaxError if that is no Python."""
    return ast.parse("\n".join("" if line.startswith(("%", "!")) else line for line in source.splitlines()))


def callee(function):
    """Return the last name of what is called."""
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _arithmetic(node):
    """Evaluate `2**10` or `50_257 * 768`: numbers and operators alone, nothing that could run code."""
    allowed = (ast.BinOp, ast.UnaryOp, ast.Constant, ast.operator, ast.unaryop)
    if not all(isinstance(part, allowed) for part in ast.walk(node)):
        return None
    try:
        return float(eval(compile(ast.Expression(node), "<given>", "eval"), {"__builtins__": {}}))
    except (ArithmeticError, ValueError, TypeError):
        return None


def printed_lines(text):
    """Yield (key, Printed) for each `key = value` of an output; a matrix takes the indented rows below `key
    =`.
    """
    lines = text.splitlines()
    position = 0
    while position < len(lines):
        match = _LINE.fullmatch(lines[position])
        position += 1
        if not match:
            continue
        if match["text"]:
            yield match["key"], Printed(match["text"], 0)
            continue
        rows = []
        while position < len(lines) and lines[position].startswith("  "):
            rows.append(tuple(re.findall(r'"(?:\\.|[^"\\])*"|\S+', lines[position])))
            position += 1
        yield match["key"], Printed("", 0, tuple(rows))
