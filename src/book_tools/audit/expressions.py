"""Conditions over what code cells print: `{unscaled} - {scaled} > 2 * {difference.error}`.

In braces stands the key of a printed value, also with a place as the book counts it, from 1: `{a_1[3]}`,
`{S[2,3]}`; `{a_1}[3]` is the same. A number is read with its unit (63 % is 0.63), a vector or matrix as an
array, True and False as such, any other text as a string. Around keys stand numbers, strings, arithmetic,
comparisons, `and`, `or`, `not`, and abs, min, max, sum, mean, len, sqrt, all, any; nothing that runs code.
"""

import ast
import operator
import re

import numpy as np

_KEY = re.compile(r"\{([^{}]*)\}")
_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_REVERSED = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.NotEq}
_REVERSED[ast.NotEq] = ast.Eq
_FUNCTIONS = {
    "abs": np.abs,
    "min": np.min,
    "max": np.max,
    "sum": np.sum,
    "mean": np.mean,
    "len": len,
    "sqrt": np.sqrt,
    "all": np.all,
    "any": np.any,
}


class ExpressionError(ValueError):
    """An expression that cannot be read, names what is not printed, or says nothing; for its author."""


class Expression:
    """An expression, read once; `evaluate(values)` asks `values.value(key)` for each.

    Raises ExpressionError for anything but the language above, and for an expression without a key.
    """

    def __init__(self, text):
        self.text = text
        self.keys = list(dict.fromkeys(_KEY.findall(text)))
        if not self.keys:
            raise ExpressionError(f"{text!r} must name a printed value, as in {{KEY}}")
        spelled = _KEY.sub(lambda match: f" _{self.keys.index(match[1])} ", text).strip()
        try:
            self.tree = ast.parse(spelled, mode="eval").body
        except SyntaxError:
            raise ExpressionError(f"{text!r} must be one expression over keys in braces") from None
        for comparison in self.comparisons():
            if not any(isinstance(node, ast.Name) and node.id[0] == "_" for node in ast.walk(comparison)):
                raise ExpressionError(f"each comparison in {text!r} must name a printed value")

    def comparisons(self):
        """List the comparisons of the expression."""
        return [node for node in ast.walk(self.tree) if isinstance(node, ast.Compare)]

    def operands(self, values):
        """Return the value of each key; ExpressionError names one that is not printed."""
        return [operand(key, values) for key in self.keys]

    def evaluate(self, values):
        """Return what the expression is worth: a number, an array, a string or a bool."""
        return self.worth(self.operands(values))

    def worth(self, operands, tree=None):
        """Return what the expression is worth with `operands` in the place of its keys, in their order."""
        try:
            with np.errstate(all="ignore"):
                return _evaluate(tree or self.tree, operands)
        except (ArithmeticError, TypeError, IndexError, AttributeError, ValueError) as error:
            if isinstance(error, ExpressionError):
                raise
            raise ExpressionError(f"{self.text!r} cannot be computed: {error}") from None

    def told(self, values):
        """Say what its keys print: `a = 1, b = (2, 3)`."""
        return ", ".join(f"{key} = {values.text(key)}" for key in self.keys)


def evaluate(text, values):
    """Return the value of an expression over printed values (`printed.Values`, or anything with `text`)."""
    return Expression(text).evaluate(values)


def operand(key, values):
    """Return what a printed value is worth; ExpressionError names one that is not printed."""
    try:
        return values.value(key)
    except KeyError as error:
        raise ExpressionError(error.args[0]) from None


def _evaluate(node, operands):
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float | str):
        return node.value
    if isinstance(node, ast.Name) and re.fullmatch(r"_\d+", node.id):
        return operands[int(node.id[1:])]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return not _truth(_evaluate(node.operand, operands))
    if isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_evaluate(node.operand, operands))
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_evaluate(node.left, operands), _evaluate(node.right, operands))
    if isinstance(node, ast.BoolOp):
        verdicts = [_truth(_evaluate(part, operands)) for part in node.values]
        return all(verdicts) if isinstance(node.op, ast.And) else any(verdicts)
    if isinstance(node, ast.Compare) and all(type(part) in _OPERATORS for part in node.ops):
        sides = [_evaluate(side, operands) for side in (node.left, *node.comparators)]
        verdict = True
        for relation, left, right in zip(node.ops, sides, sides[1:], strict=False):
            verdict = verdict & _OPERATORS[type(relation)](left, right)
        return verdict
    if isinstance(node, ast.Subscript):
        return _element(_evaluate(node.value, operands), node.slice, operands)
    if isinstance(node, ast.List | ast.Tuple):
        return np.array([_evaluate(part, operands) for part in node.elts])
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS:
        given = [_evaluate(part, operands) for part in node.args]
        if node.keywords or not given:
            raise ExpressionError(f"{node.func.id} takes values alone")
        return _FUNCTIONS[node.func.id](given[0] if len(given) == 1 else np.array(given))
    raise ExpressionError(f"{ast.unparse(node)!r} is not part of the language of expressions")


def _element(array, place, operands):
    """Return an element or a slice; places count from 1, the end of a slice belongs to it."""

    def whole(node):
        return int(_evaluate(node, operands))

    def index(node):
        if isinstance(node, ast.Slice):
            ends = [None if end is None else whole(end) for end in (node.lower, node.upper)]
            return slice(None if ends[0] is None else ends[0] - 1, ends[1])
        found = whole(node)
        if found < 1:
            raise ExpressionError(f"places count from 1; got {found}")
        return found - 1

    parts = place.elts if isinstance(place, ast.Tuple) else [place]
    return array[tuple(map(index, parts))]


def _truth(value):
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise ExpressionError("a condition must be a comparison, True or False; of a vector say all or any")


def truth(text, values):
    """Say whether a condition holds for the printed values."""
    return _truth(evaluate(text, values))


def why_not(text, values):
    """Say what is wrong with a claim, or return None: it must hold, and not hold turned round.

    Turned round is the condition with each comparison reversed (`<` for `>`, with `and` for `or`), and
    with any single one reversed where all of them have to hold. It must depend on the printed values too:
    a condition that holds for any numbers in their place, such as `abs({x}) >= 0`, says nothing.
    """
    expression = Expression(text)
    if not truth(text, values):
        return f"{text} is false: {expression.told(values)}"
    operands = expression.operands(values)
    for tree in _turned(expression.tree):
        if _truth(expression.worth(operands, tree)):
            return f"{text} holds turned round as well, {ast.unparse(tree)}: {expression.told(values)}"
    for part in expression.comparisons() or [expression.tree]:
        if _always(expression, part, operands):
            return f"{text} holds whatever the cell prints"
    return None


class _Turner(ast.NodeTransformer):
    """Reverses comparisons: all of them with their connectives, or the one numbered `only`."""

    def __init__(self, only=None):
        self.only, self.count = only, -1

    def visit_Compare(self, node):
        self.generic_visit(node)
        self.count += 1
        if self.only in (None, self.count):
            turned = [_REVERSED[type(relation)]() for relation in node.ops]
            if len(turned) > 1:  # a < b < c turned: a > b or b > c
                sides = [node.left, *node.comparators]
                pairs = zip(sides, turned, sides[1:], strict=False)
                return ast.BoolOp(ast.Or(), [ast.Compare(left, [op], [right]) for left, op, right in pairs])
            return ast.Compare(node.left, turned, node.comparators)
        return node

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        if self.only is None:
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        return node

    def visit_Call(self, node):
        self.generic_visit(node)
        other = {"all": "any", "any": "all"}.get(getattr(node.func, "id", None))
        if other and self.only is None:
            node.func = ast.Name(other)
        return node


def _turned(tree):
    """Yield the condition turned round; one comparison at a time too, where `or` and `any` do not stand."""
    count = sum(isinstance(node, ast.Compare) for node in ast.walk(tree))
    if not count:
        return
    text = ast.unparse(tree)
    yield _Turner().visit(ast.parse(text, mode="eval").body)
    loose = any(
        isinstance(node, ast.Or | ast.Not) or getattr(node, "id", "") == "any" for node in ast.walk(tree)
    )
    if not loose and count > 1:
        for only in range(count):
            yield _Turner(only).visit(ast.parse(text, mode="eval").body)


def _always(expression, part, operands):
    """Say whether a part of a condition holds for any numbers: tried with random ones of the same sizes."""
    random = np.random.default_rng(0)
    counts = any(getattr(node, "id", "") == "len" for node in ast.walk(part))
    for _ in range(200):
        drawn = [_drawn(value, random, counts) for value in operands]
        try:
            if not np.all(expression.worth(drawn, part)):
                return False
        except ExpressionError:
            return False  # it asks something of its numbers
    return True


def _drawn(value, random, any_length):
    if isinstance(value, bool):
        return bool(random.integers(2))
    if isinstance(value, str):
        return str(random.integers(10**6))
    size = np.shape(value)
    if size and any_length:
        size = (int(random.integers(1, 2 * size[0] + 2)), *size[1:])
    scale = 10.0 ** random.uniform(-3, 3)
    return random.normal(scale=scale, size=size) if size else float(random.normal(scale=scale))
