"""Parse the arithmetic of a formula's tokens, evaluate both sides of its relations, and compare them.

Enough for numbers, vectors, matrices and named values. What does not parse is not wrong: it has no value,
and the registry of formulas has to know it.
"""

import dataclasses
import itertools
import re

import numpy as np

from book_tools.audit.latex import Token, Unreadable, read, spell
from transformer_book.equations import softmax

RELATIONS = set("=≈≠<>≤≥∈")
_FUNCTIONS = {name: getattr(np, name) for name in ("exp", "log", "sin", "cos", "max", "min")}
_FUNCTIONS |= {"ln": np.log, "Softmax": softmax, "softmax": softmax}
_CONSTANTS = {"pi": np.pi, "∞": np.inf}


class NotEvaluable(Exception):
    """A formula, or part of one, that holds more than arithmetic."""


@dataclasses.dataclass(frozen=True)
class Symbol:
    """A name with its index: Symbol("x", "1") for \\mathbf{x}_1."""

    base: str
    index: str = ""

    @property
    def name(self):
        return f"{self.base}_{self.index}" if self.index else self.base

    @property
    def indexed(self):
        return bool(re.fullmatch(r"\d+(?:,\d+)*", self.index))


@dataclasses.dataclass(frozen=True)
class Node:
    """One operation of a parsed formula on its parts; `value` is a number's text, a Symbol or a function."""

    kind: str
    parts: tuple = ()
    value: object = None

    def symbols(self):
        if self.kind == "symbol":
            return {self.value}
        return set().union(*(part.symbols() for part in self.parts)) if self.parts else set()

    def has_number(self):
        if self.kind == "number" or (self.kind == "symbol" and any(c.isdigit() for c in self.value.name)):
            return True
        return any(part.has_number() for part in self.parts)

    def decimals(self):
        """Decimals of the last shown digit if the whole node is written in digits, else None."""
        if self.kind == "number":
            return len(self.value.partition(".")[2])
        if self.kind in ("tuple", "list", "matrix", "row", "negative"):
            places = [part.decimals() for part in self.parts]
            return None if None in places else max(places)
        if self.kind == "percent":
            places = self.parts[0].decimals()
            return None if places is None else places + 2
        if self.kind == "times" and self.parts[1].kind == "power" and self.parts[1].parts[0].value == "10":
            places = self.parts[0].decimals()
            exponent = self.parts[1].parts[1]
            if places is not None and exponent.kind == "number":
                return places - int(exponent.value)
        return None

    def evaluate(self, names):
        """Compute the node; `names` gives each Symbol's value. NotEvaluable for what has none."""
        if self.kind == "number":
            return float(self.value)
        if self.kind == "symbol":
            if self.value not in names:
                raise NotEvaluable(self.value.name)
            return names[self.value]
        if self.kind == "constant":
            return self.value
        values = [part.evaluate(names) for part in self.parts]
        if self.kind == "call":
            return _FUNCTIONS[self.value](
                *(np.asarray(value) if np.ndim(value) else value for value in values)
            )
        return _OPERATIONS[self.kind](*values)


def _product(left, right):
    return np.asarray(left) @ np.asarray(right) if np.ndim(left) and np.ndim(right) else left * right


def _array(*entries):
    return np.array(entries, dtype=float)


_OPERATIONS = {
    "plus": lambda left, right: left + right,
    "minus": lambda left, right: left - right,
    "negative": lambda value: -value,
    "times": _product,
    "divide": lambda left, right: left / right,
    "power": lambda base, exponent: base**exponent,
    "sqrt": np.sqrt,
    "root": lambda value, degree: value ** (1 / degree),
    "transpose": np.transpose,
    "percent": lambda value: value / 100,
    "absolute": abs,
    "tuple": _array,
    "row": _array,
    "matrix": _array,
    "list": lambda *values: list(values),
    "shape": lambda *sizes: tuple(map(int, sizes)),
}


@dataclasses.dataclass(frozen=True)
class Statement:
    """Sides of a formula (None for more than arithmetic), the relations between them, and their spelling."""

    sides: tuple[Node | None, ...]
    relations: tuple[str, ...]
    texts: tuple[str, ...]


def parse(latex):
    """Parse LaTeX that is one statement."""
    try:
        return parsed(read(latex))
    except Unreadable:
        return Statement((None,), (), (latex,))


def parsed(tokens):
    """Parse the tokens of one statement."""
    sides, relations, depth = [[]], [], 0
    for token in tokens:
        depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
        if depth == 0 and token.kind == "operator" and token.text in RELATIONS:
            relations.append(token.text)
            sides.append([])
        else:
            sides[-1].append(token)
    nodes = []
    for side, relation in zip(sides, ["", *relations], strict=True):
        parser = _Parser(side)
        nodes.append(parser.whole(parser.shape if relation == "∈" else parser.side))
    return Statement(tuple(nodes), tuple(relations), tuple(map(spell, sides)))


class _Parser:
    """Recursive descent over one side: sums of products of factors, a factor being an atom with scripts."""

    def __init__(self, tokens):
        self.tokens = [*tokens, Token("end")]

    def peek(self, kind):
        return self.tokens[0].kind == kind

    def at(self, *texts):
        return self.tokens[0].kind in ("operator", "name", "set") and self.tokens[0].text in texts

    def take(self, *texts):
        if texts and not self.at(*texts):
            raise NotEvaluable(f"expected {texts}, found {spell(self.tokens)}")
        return self.tokens.pop(0)

    def whole(self, rule):
        """Apply a rule to all that is left; None if it is more than arithmetic."""
        try:
            node = rule()
        except NotEvaluable:
            return None
        return node if self.peek("end") else None

    def group(self, tokens):
        parser = _Parser(tokens)
        node = parser.whole(parser.expression)
        if node is None:
            raise NotEvaluable(spell(tokens))
        return node

    def side(self):
        return self.several("list")

    def several(self, kind):
        parts = [self.expression()]
        while self.at(","):
            self.take()
            parts.append(self.expression())
        return parts[0] if len(parts) == 1 else Node(kind, tuple(parts))

    def shape(self):
        """The sizes in ℝ^{2×3}."""
        self.take("R")
        if not self.peek("sup"):
            raise NotEvaluable("a set")
        parts, sizes = self.take().parts[0], [[]]
        for token in parts:
            if token.text == "×":
                sizes.append([])
            else:
                sizes[-1].append(token)
        return Node("shape", tuple(map(self.group, sizes)))

    def expression(self):
        node = self.term()
        while self.at("+", "-"):
            kind = "plus" if self.take().text == "+" else "minus"
            node = Node(kind, (node, self.term()))
        return node

    def term(self):
        node = self.factor()
        while True:
            if self.at("×", "⋅", "·", "∗"):
                self.take()
                kind = "times"
            elif self.at("/", "÷"):
                self.take()
                kind = "divide"
            elif self.starts_factor():
                kind = "times"
            else:
                return node
            node = Node(kind, (node, self.factor()))

    def starts_factor(self):
        token = self.tokens[0]
        return token.kind in ("number", "name", "set", "frac", "sqrt", "root") or self.at("(", "[", "∞")

    def factor(self):
        if self.at("-", "+"):
            sign = self.take().text
            return Node("negative", (self.factor(),)) if sign == "-" else self.factor()
        node = self.atom()
        while self.peek("sup") or self.at("%"):
            token = self.take()
            if token.text == "%":
                node = Node("percent", (node,))
            elif spell(token.parts[0]) == "⊤":
                node = Node("transpose", (node,))
            elif node.value == Symbol("e"):
                node = Node("call", (self.group(token.parts[0]),), "exp")
            else:
                node = Node("power", (node, self.group(token.parts[0])))
        return node

    def atom(self):
        token = self.take()
        if token.kind == "number":
            return Node("number", (), token.text)
        if token.kind in ("frac", "sqrt", "root"):
            return Node(token.kind.replace("frac", "divide"), tuple(map(self.group, token.parts)))
        if token.kind == "table":
            return self.matrix(token)
        if token.kind == "operator" and token.text == "(":
            node = self.several("tuple")
            self.take(")")
            return node
        if token.kind == "operator" and token.text == "[" and self.peek("table"):
            node = self.atom()
            self.take("]")
            return node
        if token.kind == "operator" and token.text == "|":
            return self.size()
        if token.text in _CONSTANTS:
            return Node("constant", (), _CONSTANTS[token.text])
        return self.name(token)

    def size(self):
        """|V|: the size of a set, a name of its own; |x| of anything else: the absolute value."""
        if self.peek("set"):
            node = Node("symbol", (), Symbol(f"|{self.take().text}|"))
        else:
            node = Node("absolute", (self.expression(),))
        self.take("|")
        return node

    def matrix(self, table):
        return Node("matrix", tuple(Node("row", tuple(map(self.group, row.parts))) for (row,) in table.parts))

    def name(self, token):
        if token.kind not in ("name", "set") or not token.text.isidentifier():
            raise NotEvaluable(spell([token]))
        if token.text in _FUNCTIONS:
            return Node("call", (self.factor(),), token.text)
        index = ""
        if self.peek("sub"):
            index = spell(self.take().parts[0]).replace(" ", "")
            if not re.fullmatch(r"[A-Za-z0-9,]+", index):
                raise NotEvaluable(index)
        return Node("symbol", (), Symbol(token.text, index))


def assignments(symbols, candidates, limit=500):
    """Yield the ways to give each symbol one of its values; symbols without any stay open."""
    known = [(symbol, candidates(symbol)) for symbol in sorted(symbols, key=lambda symbol: symbol.name)]
    known = [(symbol, values) for symbol, values in known if values]
    names = [symbol for symbol, _ in known]
    for choice in itertools.islice(itertools.product(*(values for _, values in known)), limit):
        yield dict(zip(names, choice, strict=True))


def holds(left, relation, right, left_value, right_value):
    """Say whether `left relation right`, one of = ≈ ∈, is true to the digits shown."""
    if relation == "∈":
        return tuple(np.shape(left_value)) == tuple(right_value)
    first, second = np.asarray(left_value, dtype=float), np.asarray(right_value, dtype=float)
    if first.shape != second.shape:
        return False
    shown = [places for places in (left.decimals(), right.decimals()) if places is not None]
    slack = 0.0
    if shown and not (len(shown) == 2 and relation == "="):
        slack = 0.5 * 10.0 ** -min(shown) if min(shown) > 0 or relation == "≈" else 0.0
    slack = slack * (1 + 1e-9) + 1e-9 * max(1.0, float(np.max(np.abs(second), initial=0.0)))
    with np.errstate(invalid="ignore"):
        return bool(np.all((np.abs(first - second) <= slack) | (first == second)))
