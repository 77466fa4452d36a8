"""Check one piece of prose: every number must be bound, and every bound number must be the one it is bound
to.
"""

import json
import re

import numpy as np

from book_tools.audit import maths
from book_tools.audit.arithmetic import NotEvaluable, parse
from book_tools.audit.latex import from_text
from book_tools.audit.prose import bare_numbers, names
from book_tools.audit.quantities import agrees, quantities
from book_tools.language import CHINESE

_CODE = re.compile(r"`([^`]+)`")
_MARKUP = re.compile(r"\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|</?[a-z][^>]*>")


class Binder:
    """Checks the pieces of one page against its values and the table of facts."""

    def __init__(self, values, facts, language=CHINESE):
        self.values = values
        self.facts = facts
        self.language = language

    def faults(self, piece, following=()):
        """Yield (offset in the cell, text, what is wrong) for one piece, given the pieces that follow it."""
        if piece.kind == "data":
            fault = self.bound(piece.key, piece.text)
            if fault:
                yield piece.start, piece.text, fault
        elif piece.kind in ("math", "display"):
            if self._introduces_its_value(piece, following):
                return
            for statement, fault in maths.faults(piece.text, self.values):
                yield piece.start, statement, fault
        elif piece.kind == "code":
            yield from self._code(piece)
        elif piece.kind == "list":
            yield piece.start, piece.text, f"the number of this list item is {piece.key}"
        elif piece.kind == "literal":
            for number, offset, _ in self._numbers(piece.text):
                if piece.text.strip() not in "\n".join(self.values.code):
                    yield (
                        piece.start + offset,
                        number,
                        "numbers in a block of code must come from a code cell",
                    )
        elif piece.kind == "alt":
            for number, offset, _ in self._numbers(piece.text):
                yield (
                    piece.start + offset,
                    number,
                    "nothing can be bound in an alt text in Markdown: say it in words",
                )
        elif piece.kind == "text":
            for number, offset, is_name in self._numbers(piece.text):
                yield piece.start + offset, number, self._advice(number, is_name)

    def _numbers(self, text):
        return bare_numbers(text, self.language)

    def listed(self, text, keys):
        """Yield faults of a text whose numbers are bound, in order, by a list of keys (alt texts)."""
        numbers = [number for number, _, _ in self._numbers(text)]
        if len(numbers) != len(keys):
            yield text, f'holds {len(numbers)} numbers, but {len(keys)} keys are listed under "bind"'
            return
        for number, key in zip(numbers, keys, strict=True):
            fault = self.bound(key, number)
            if fault:
                yield number, fault

    def bound(self, key, text):
        """Say what is wrong with a text bound to `key`, or return None."""
        text = (text if "$" in text else _MARKUP.sub("", text)).strip()
        codes = _CODE.findall(text)
        if key.startswith("fact:"):
            fact = self.facts.get(key.removeprefix("fact:"))
            if fact is None:
                return f"no fact {key.removeprefix('fact:')!r} in data/facts.csv"
            return self._agree(text, fact["value"], key)
        name = _name(text)
        if name and self._names(name, key):
            return None
        if name and name.indexed:
            return f"the name of {key} must stand here; got {name.name}"
        try:
            printed = self.values.text(key)
        except KeyError as error:
            return error.args[0]
        if " ".join(text.split()) == " ".join(printed.split()) or (codes and codes == _strings(printed)):
            return None
        if is_formula(printed):
            return None if same_formula(_plain_math(text), printed) else f"{key} prints {printed}"
        return self._agree(_plain_math(text), printed, key)

    def _introduces_its_value(self, piece, following):
        """`$\\mathbf{q}_1$ = <data value="q_1">…`: a name right before the value that it is the name of."""
        if piece.kind != "math" or len(following) < 2:
            return False
        link, value = following[:2]
        is_next = (
            link.kind == "text" and value.kind == "data" and self.language.numbers.copula.fullmatch(link.text)
        )
        name = _name(f"${piece.text}$") if is_next else None
        return name is not None and self._names(name, value.key)

    def _names(self, name, key):
        """Say whether a printed value has this key and this name: x_3 or X[:,3] for \\mathbf{x}_3."""
        return key in maths.addresses(name) and self.values.has(key)

    def _agree(self, text, printed, key):
        """Say what is wrong with a text's numbers and unit, given what was printed, or return None."""
        shown, expected = quantities(text, self.language), quantities(printed)
        if not shown:
            return f"{key} prints {printed}"
        if len(shown) != len(expected):
            return f"shows {len(shown)} numbers where {key} prints {len(expected)}: {printed}"
        for one, other in zip(shown, expected, strict=True):
            fault = agrees(one, other)
            if fault:
                return f"{fault} ({key} prints {printed})"
        unit, numbers = re.fullmatch(r"[-−\d.,]+ ([A-Za-zµ/]+)", printed), self.language.numbers
        if (
            unit
            and numbers.holds_unit.search(text)
            and unit[1] not in text
            and numbers.units.get(unit[1], "?") not in text
        ):
            return f"expected the unit {unit[1]} ({key} prints {printed})"
        return None

    def _code(self, piece):
        if not any(True for _ in self._numbers(piece.text)):
            return
        quoted = re.compile(rf"(?<![\w.]){re.escape(piece.text.strip())}(?![\w.])")
        if piece.text.strip() in names() or any(quoted.search(code) for code in self.values.code):
            return
        yield (
            piece.start,
            piece.text,
            "quoted code with a number must stand in a code cell of this page, or be bound: "
            f'<data value="KEY">`{piece.text}`</data>',
        )

    def _advice(self, number, is_name):
        if is_name:
            return "a name with a digit: add it to book_tools/audit/names.csv, or bind its number"
        keys = [key for key in self.values.printed if self.bound(key, number) is None]
        keys += [f"fact:{key}" for key in self.facts if self.bound(f"fact:{key}", number) is None]
        hint = f"; perhaps {', '.join(keys[:4])}" if keys else ""
        return f'is not bound: <data value="KEY">{number}</data>, or a given, `$NAME = {number}$`{hint}'


def _name(text):
    """Return the Symbol that `$\\mathbf{x}_3$` names, or None for any other text."""
    inside = re.fullmatch(r"\$([^$]+)\$", text)
    node = parse(inside[1]).sides[0] if inside else None
    return node.value if node is not None and node.kind == "symbol" else None


def _strings(printed):
    """The tokens of a printed string or vector of strings, without their quotes."""
    return [json.loads(text) for text in re.findall(r'"(?:\\.|[^"\\])*"', printed)] or [printed]


def _plain_math(text):
    """Drop the dollars, thousands braces and spacing of LaTeX inside a bound text."""
    return re.sub(r"\\[,;:!]|\\(?:left|right)(?![A-Za-z])", "", text.replace("{,}", ",").replace("$", ""))


def is_formula(text):
    """Say whether a printed text is a formula in letters and numbers, such as `3D² + 3D`; L0H2 is a name."""
    letter_alone = re.search(r"(?<![A-Za-z])[A-Za-z](?:_[A-Za-z]+)?(?![A-Za-z])", text)
    return bool(letter_alone) and not re.search(r"[A-Za-z][0-9]", text) and not text.startswith(("(", '"'))


def same_formula(shown, printed):
    """Say whether two formulas are equal, by their values for several sizes of everything they name."""
    left, right = parse(from_text(shown)).sides, parse(from_text(printed)).sides
    if len(left) != len(right) or None in left or None in right:
        return False
    return all(map(_equal_everywhere, left, right))


def _equal_everywhere(first, second):
    if first.symbols() != second.symbols():
        return False
    symbols = sorted(first.symbols(), key=lambda symbol: symbol.name)
    try:
        for sizes in np.random.default_rng(0).uniform(2, 9, size=(5, len(symbols))):
            names = dict(zip(symbols, sizes, strict=True))
            if not np.allclose(first.evaluate(names), second.evaluate(names), rtol=1e-9):
                return False
    except (NotEvaluable, ArithmeticError, ValueError, TypeError):
        return False
    return True
