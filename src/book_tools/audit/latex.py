"""Read the book's mathematics: split a formula into statements, parse each, evaluate both of its sides.

Enough of LaTeX for arithmetic with numbers, vectors, matrices and named values. What does not parse is
not wrong: it raises NotEvaluable, and the registry of formulas has to know it.
"""

import dataclasses
import itertools
import re

import numpy as np

from transformer_book.equations import softmax


class NotEvaluable(Exception):
    """A formula, or part of one, that holds more than arithmetic."""


RELATIONS = {
    "=": "=",
    r"\approx": "≈",
    r"\neq": "≠",
    r"\ne": "≠",
    "<": "<",
    ">": ">",
    r"\lt": "<",
    r"\gt": ">",
    r"\le": "≤",
    r"\leq": "≤",
    r"\ge": "≥",
    r"\geq": "≥",
    r"\in": "∈",
}
# Commands that style or space what they stand before and change nothing of what it says.
_IGNORED = re.compile(
    r"(?<!\\)\\(?:(?:left|right|[bB]igg?[lrm]?|displaystyle|textstyle|limits|nolimits)(?![A-Za-z])|[,;:!> ])"
    r"|\\[hv]space\*?\{[^}]*\}|(?<=\\\\)\[[^\]]*\]|\\(?:label|nonumber|notag)(?:\{[^}]*\})?|~"
)
_STYLE = {
    r"\mathbf",
    r"\boldsymbol",
    r"\bm",
    r"\mathcal",
    r"\mathrm",
    r"\operatorname",
    r"\mathit",
    r"\text",
    r"\mathsf",
}
_NO_FACTOR = {r"\times", r"\cdot", r"\div", r"\%", r"\end", r"\}", r"\dots", r"\ldots", "\\\\"}
_FUNCTIONS = {
    "exp": np.exp,
    "log": np.log,
    "ln": np.log,
    "sin": np.sin,
    "cos": np.cos,
    "max": np.max,
    "min": np.min,
    "Softmax": softmax,
    "softmax": softmax,
}
_GREEK = re.compile(
    r"alpha|beta|gamma|delta|epsilon|varepsilon|zeta|eta|theta|kappa|lambda|mu|nu|xi|rho|sigma|"
    r"tau|phi|varphi|chi|psi|omega|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Phi|Psi|Omega|ell"
)
_TOKEN = re.compile(r"\d+(?:\{,\}\d{3})*(?:\.\d+)?|\\[A-Za-z]+\*?|\\.|[^\s]")
_SPLIT = re.compile(
    r"\\qquad|\\quad|\\\\|\\Rightarrow|\\Longrightarrow|\\implies|\\iff|\\Leftrightarrow|[，；。、：]"
)


def clean(latex):
    """Drop spacing, sizes and labels from LaTeX."""
    return _IGNORED.sub(" ", latex)


def statements(latex):
    """Split a formula into its statements: rows of an alignment, and what `\\qquad` or punctuation keeps
    apart.
    """
    latex = clean(latex)
    latex = re.sub(
        r"\\(?:begin|end)\{(?:aligned|align\*?|gather(?:ed)?\*?|split|cases)\}(?:\[\w\])?", " ", latex
    )
    parts, depth, start, matrices = [], 0, 0, 0
    position = 0
    while position < len(latex):
        match = _SPLIT.match(latex, position)
        if match and depth == 0 and matrices == 0:
            parts.append((start, latex[start:position]))
            position = start = match.end()
            continue
        if latex.startswith(r"\begin", position):
            matrices += 1
        elif latex.startswith(r"\end", position):
            matrices -= 1
        elif latex.startswith("\\", position):
            position += 1
        elif latex[position] in "{([":
            depth += 1
        elif latex[position] in "})]":
            depth -= 1
        position += 1
    parts.append((start, latex[start:]))
    rows = []
    for _, part in parts:
        text = part if r"\begin" in part else part.replace("&", " ")
        text = text.strip().rstrip(",.").strip()
        if text:
            rows.append(text)
    return rows


def skeleton(latex):
    """Reduce a statement to its shape, numbers replaced by `#`, and the numbers in order as texts."""
    text = re.sub(
        r"\s+", "", re.sub(r"(\\[A-Za-z]+)\s+(?=[A-Za-z])", r"\1 ", clean(latex)).replace(" ", "\0")
    )
    text = re.sub(r"(\\[A-Za-z]+)\0+(?=[A-Za-z])", r"\1{}", text).replace("\0", "")
    for old, new in (
        (r"\boldsymbol", r"\mathbf"),
        (r"\bm", r"\mathbf"),
        (r"\operatorname", r"\mathrm"),
        (r"\dfrac", r"\frac"),
        (r"\tfrac", r"\frac"),
        (r"\leq", r"\le"),
        (r"\geq", r"\ge"),
        (r"\ldots", r"\dots"),
        (r"\cdots", r"\dots"),
        (r"\mathsf{T}", r"\top"),
        (r"^T", r"^\top"),
        (r"\neq", r"\ne"),
        (r"\prime", "'"),
        ("{}", ""),
    ):
        text = re.sub(
            re.escape(old) + (r"(?![A-Za-z])" if old[-1].isalpha() else ""), lambda _, new=new: new, text
        )
    numbers = []

    def take(match):
        numbers.append(match[0].replace("{,}", ""))
        return "#"

    text = re.sub(r"\d+(?:\{,\}\d{3})*(?:\.\d+)?", take, text)
    previous = None
    while previous != text:
        previous = text
        text = re.sub(r"(?<=[_^])\{([A-Za-z#]|\\[A-Za-z]+)\}", r"\1", text)
    return text, numbers


def from_text(text):
    """Turn a formula in plain text, `2D_q D + D²`, into LaTeX."""
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    text = re.sub(r"[⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda m: "^{" + m[0].translate(_SUPERSCRIPT) + "}", text)
    text = re.sub(r"[₀₁₂₃₄₅₆₇₈₉]+", lambda m: "_{" + m[0].translate(_SUBSCRIPT) + "}", text)
    text = re.sub(r"√\(([^()]*)\)", r"\\sqrt{\1}", text)
    text = re.sub(r"√([A-Za-z](?:_[A-Za-z0-9]+)?|\d+)", r"\\sqrt{\1}", text)
    text = re.sub(r"_([A-Za-z]{2,})", r"_{\1}", text)
    replaced = (
        ("**", "^"),
        ("×", r" \times "),
        ("·", r" \cdot "),
        ("*", r" \cdot "),
        ("−", "-"),
        ("π", r"\pi "),
    )
    for old, new in (*replaced, ("ᵀ", r"^\top "), ("≈", r"\approx "), ("≠", r"\ne ")):
        text = text.replace(old, new)
    return text


_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_SUBSCRIPT = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


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
    """One operation of a parsed formula; `text` tells whether digits stand in it."""

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
        values = [part.evaluate(names) for part in self.parts]
        return _OPERATIONS[self.kind](self, values)


def _product(_, values):
    left, right = values
    if np.ndim(left) and np.ndim(right):
        return np.asarray(left) @ np.asarray(right)
    return left * right


def _array(_, values):
    return np.array(values, dtype=float)


_OPERATIONS = {
    "plus": lambda _, v: v[0] + v[1],
    "minus": lambda _, v: v[0] - v[1],
    "negative": lambda _, v: -v[0],
    "times": _product,
    "divide": lambda _, v: v[0] / v[1],
    "power": lambda _, v: v[0] ** v[1],
    "sqrt": lambda _, v: np.sqrt(v[0]),
    "root": lambda _, v: v[1] ** (1 / v[0]),
    "transpose": lambda _, v: np.transpose(v[0]),
    "percent": lambda _, v: v[0] / 100,
    "constant": lambda node, _: node.value,
    "call": lambda node, v: _FUNCTIONS[node.value](np.asarray(v[0]) if np.ndim(v[0]) else v[0]),
    "absolute": lambda _, v: abs(v[0]),
    "tuple": _array,
    "row": _array,
    "matrix": _array,
    "list": lambda _, v: list(v),
    "shape": lambda _, v: tuple(int(size) for size in v),
}


@dataclasses.dataclass(frozen=True)
class Statement:
    """Sides of a formula and the relations between them."""

    sides: tuple[Node | None, ...]
    relations: tuple[str, ...]
    texts: tuple[str, ...]


def parse(latex):
    """Parse one statement; a side that is more than arithmetic becomes None."""
    tokens = _TOKEN.findall(clean(latex))
    sides, relations, current, depth = [], [], [], 0
    for token in tokens:
        depth += token in ("{", "(", "[") or token == r"\begin"
        depth -= token in ("}", ")", "]") or token == r"\end"
        if depth == 0 and token in RELATIONS:
            relations.append(RELATIONS[token])
            sides.append(current)
            current = []
        else:
            current.append(token)
    sides.append(current)
    nodes = []
    for side, relation in zip(sides, ["", *relations], strict=True):
        try:
            nodes.append(_Parser(side).shape() if relation == "∈" else _Parser(side).side())
        except NotEvaluable:
            nodes.append(None)
    return Statement(tuple(nodes), tuple(relations), tuple(" ".join(side) for side in sides))


class _Parser:
    def __init__(self, tokens):
        self.tokens = tokens
        self.position = 0

    def peek(self, ahead=0):
        position = self.position + ahead
        return self.tokens[position] if position < len(self.tokens) else None

    def take(self, expected=None):
        token = self.peek()
        if token is None or (expected is not None and token != expected):
            raise NotEvaluable(f"expected {expected}, found {token}")
        self.position += 1
        return token

    def end(self):
        if self.peek() is not None:
            raise NotEvaluable(f"unread {self.peek()}")

    def side(self):
        parts = [self.expression()]
        while self.peek() == ",":
            self.take()
            parts.append(self.expression())
        self.end()
        return parts[0] if len(parts) == 1 else Node("list", tuple(parts))

    def shape(self):
        if [self.take(), self.take(), self.take(), self.take()] != [r"\mathbb", "{", "R", "}"]:
            raise NotEvaluable("a set")
        self.take("^")
        inner = _Parser(self.group_tokens())
        self.end()
        sizes = [inner.expression(products=False)]
        while inner.peek() == r"\times":
            inner.take()
            sizes.append(inner.expression(products=False))
        inner.end()
        return Node("shape", tuple(sizes))

    def group_tokens(self):
        if self.peek() != "{":
            return [self.take()]
        self.take("{")
        depth, start = 1, self.position
        while depth:
            token = self.take()
            depth += (token == "{") - (token == "}")
        return self.tokens[start : self.position - 1]

    def group(self):
        inner = _Parser(self.group_tokens())
        node = inner.expression()
        inner.end()
        return node

    def expression(self, products=True):
        node = self.term(products)
        while self.peek() in ("+", "-"):
            kind = "plus" if self.take() == "+" else "minus"
            node = Node(kind, (node, self.term(products)))
        return node

    def term(self, products=True):
        node = self.factor()
        while True:
            token = self.peek()
            if token in (r"\times", r"\cdot") and products:
                self.take()
                node = Node("times", (node, self.factor()))
            elif token in ("/", r"\div"):
                self.take()
                node = Node("divide", (node, self.factor()))
            elif token is not None and self.starts_factor(token):
                node = Node("times", (node, self.factor()))
            else:
                return node

    @staticmethod
    def starts_factor(token):
        if token.startswith("\\"):
            return token not in RELATIONS and token not in _NO_FACTOR
        return token[0].isalnum() or token in ("(", "{")

    def factor(self):
        if self.peek() in ("-", "+"):
            sign = self.take()
            return Node("negative", (self.factor(),)) if sign == "-" else self.factor()
        node = self.atom()
        while self.peek() in ("^", r"\%"):
            if self.take() == r"\%":
                node = Node("percent", (node,))
                continue
            if self.peek() == r"\top" or (self.peek() == "{" and self.peek(1) == r"\top"):
                self.group_tokens()
                node = Node("transpose", (node,))
            elif node.kind == "symbol" and node.value == Symbol("e"):
                node = Node("call", (self.group(),), "exp")
            else:
                node = Node("power", (node, self.group()))
        return node

    def atom(self):
        token = self.take()
        if token[0].isdigit():
            return Node("number", (), token.replace("{,}", ""))
        if token == "(":
            return self.bracket()
        if token == "{":
            self.position -= 1
            return self.group()
        if token == "|":
            return self.size()
        if token in (r"\frac", r"\dfrac", r"\tfrac"):
            return Node("divide", (self.group(), self.group()))
        if token == r"\sqrt":
            if self.peek() == "[":
                self.take()
                degree = self.expression()
                self.take("]")
                return Node("root", (degree, self.group()))
            return Node("sqrt", (self.group(),))
        if token == r"\begin":
            return self.matrix()
        if token == r"\pi":
            return Node("constant", (), np.pi)
        if token == r"\infty":
            return Node("constant", (), np.inf)
        return self.name(token)

    def bracket(self):
        parts = [self.expression()]
        while self.peek() == ",":
            self.take()
            parts.append(self.expression())
        self.take(")")
        return parts[0] if len(parts) == 1 else Node("tuple", tuple(parts))

    def size(self):
        """|V|: the size of a set, a name of its own; |x| of anything else: the absolute value."""
        if self.peek() in (r"\mathcal", r"\mathbb"):
            self.take()
            name = "".join(self.group_tokens())
            self.take("|")
            return Node("symbol", (), Symbol(f"|{name}|"))
        node = self.expression()
        self.take("|")
        return Node("absolute", (node,))

    def matrix(self):
        kind = "".join(self.group_tokens())
        if kind not in ("bmatrix", "pmatrix", "matrix"):
            raise NotEvaluable(kind)
        rows, row = [], [self.expression()]
        while self.peek() != r"\end":
            if self.peek() == "&":
                self.take()
                row.append(self.expression())
            else:
                self.take("\\\\")
                if self.peek() == r"\end":
                    break
                rows.append(Node("row", tuple(row)))
                row = [self.expression()]
        rows.append(Node("row", tuple(row)))
        self.take(r"\end")
        self.group_tokens()
        if len({len(part.parts) for part in rows}) != 1:
            raise NotEvaluable("rows of different lengths")
        return Node("matrix", tuple(rows))

    def name(self, token):
        if token in _STYLE:
            base = "".join(part.lstrip("\\") for part in self.group_tokens())
        elif _GREEK.fullmatch(token.lstrip("\\")) or token.lstrip("\\") in _FUNCTIONS:
            base = token.lstrip("\\")
        elif len(token) == 1 and token.isalpha():
            base = token
        else:
            raise NotEvaluable(token)
        if base in _FUNCTIONS:
            return Node("call", (self.factor(),), base)
        if not re.fullmatch(r"[^\W\d]\w*", base):
            raise NotEvaluable(base)
        index = ""
        while self.peek() in ("_", "'"):
            if self.take() == "'":
                raise NotEvaluable("a primed name")
            index = "".join(part for part in self.group_tokens() if part not in _STYLE | {"{", "}"})
            if not re.fullmatch(r"[A-Za-z0-9,]+", index):
                raise NotEvaluable(index)
        return Node("symbol", (), Symbol(base, index))


def assignments(symbols, candidates, limit=500):
    """Yield the ways to give each symbol one of its values; symbols without any stay open."""
    known = [(symbol, candidates(symbol)) for symbol in sorted(symbols, key=lambda symbol: symbol.name)]
    known = [(symbol, values) for symbol, values in known if values]
    names = [symbol for symbol, _ in known]
    for choice in itertools.islice(itertools.product(*(values for _, values in known)), limit):
        yield dict(zip(names, choice, strict=True))


def holds(left, relation, right, left_value, right_value):
    """Say whether `left relation right` is true to the digits shown."""
    if relation == "∈":
        return tuple(np.shape(left_value)) == tuple(right_value)
    if isinstance(right_value, list):  # D_q = 1, 16, 256: all the values that a loop runs over
        right_value = np.array(right_value, dtype=float)
    first, second = np.asarray(left_value, dtype=float), np.asarray(right_value, dtype=float)
    if first.shape != second.shape:
        return relation == "≠"
    shown = [places for places in (left.decimals(), right.decimals()) if places is not None]
    if len(shown) == 2 and relation == "=":
        slack = 0.0
    elif shown:
        places = min(shown)
        slack = 0.5 * 10.0**-places if places > 0 or relation == "≈" else 0.0
    else:
        slack = 0.0
    slack = slack * (1 + 1e-9) + 1e-9 * max(1.0, float(np.max(np.abs(second), initial=0.0)))
    with np.errstate(invalid="ignore"):
        equal = bool(np.all((np.abs(first - second) <= slack) | (first == second)))
    if relation in ("=", "≈"):
        return equal
    if relation == "≠":
        return not equal
    compare = {"<": np.less, ">": np.greater, "≤": np.less_equal, "≥": np.greater_equal}[relation]
    return bool(np.all(compare(first, second)))
