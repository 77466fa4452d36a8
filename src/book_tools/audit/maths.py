"""Check the numbers in mathematics: givens against the code, relations by arithmetic, known formulas by
recomputing.

Each statement of a formula that shows a digit must be one of
* a relation both of whose sides can be computed from what the page defines or prints (`D_q = 64`,
  `\\mathbf{x}_1 = (1, 0)`, `50{,}257 \\times 768 = 38{,}597{,}376`, `\\mathbf{X} \\in \\mathbb{R}^{2
  \\times 3}`);
* a formula, or made of pieces, of the registry in `formulas`, whose numbers are recomputed from the
  library;

A name with an index alone, `\\mathbf{x}_1`, is bound in the text (see `binding`): any other index would
exist as well.
"""

import re

import numpy as np

from book_tools.audit import formulas
from book_tools.audit.arithmetic import NotEvaluable, assignments, holds, parsed
from book_tools.audit.latex import Unreadable, spell, statements

ALIASES = {"|V|": ("vocabulary_size", "vocab_size", "vocab.size", "vocabulary.size"), "|N|": ("num_tokens",)}

_LOOSE = (
    'an inequality is true of other numbers too: bind each number or name by itself, with <data value="KEY">'
)
_LEADING_ZERO = re.compile(r"(?<![\d.])0\d+")  # 04, which arithmetic reads as 4; not the 0 of 0.4


def candidates(values):
    """Return the function that lists the values which a symbol has on this page."""

    def of(symbol):
        found = [value for name in _names(symbol) for value in values.candidates(name)]
        if symbol.indexed:
            found.extend(_elements(symbol, values))
        return found

    return of


def _names(symbol):
    yield from (symbol.name, *ALIASES.get(symbol.name, ()))
    if symbol.index and "," not in symbol.index:
        yield f"{symbol.base}{symbol.index}"


def _elements(symbol, values):
    """Entries that an index picks: column n of a matrix, entry m of a vector, S[m, n], or entry m of vector
    a_n.
    """
    if "," in symbol.index:
        place = [int(part) for part in symbol.index.split(",")]
    elif len(symbol.index) == 2:
        place = [int(digit) for digit in symbol.index]
    else:
        place = [int(symbol.index)]
    for name in dict.fromkeys((symbol.base, symbol.base.upper())):
        for array in map(np.asarray, values.candidates(name)):
            if len(place) == 2 and array.ndim == 2 and _within(place, array.shape):
                yield float(array[place[0] - 1, place[1] - 1])
            elif len(place) == 1 and array.ndim == 2 and _within(place, array.shape[1:]):
                yield array[:, place[0] - 1]
            elif len(place) == 1 and array.ndim == 1 and _within(place, array.shape):
                yield float(array[place[0] - 1])
    if len(place) == 2:
        for array in map(np.asarray, values.candidates(f"{symbol.base}_{place[1]}")):
            if array.ndim == 1 and _within(place[:1], array.shape):
                yield float(array[place[0] - 1])


def _within(place, shape):
    return all(1 <= index <= size for index, size in zip(place, shape, strict=True))


def faults(latex, values):
    """Yield (statement, what is wrong) for each statement with a number that nothing vouches for."""
    try:
        found = statements(latex)
    except Unreadable as error:
        yield latex, str(error)
        return
    for tokens in found:
        text = latex.strip() if len(found) == 1 else spell(tokens)
        fault = _fault(tokens, text, values) if re.search(r"\d", spell(tokens)) else None
        if fault:
            yield text, fault


def _fault(tokens, text, values):
    padded = _LEADING_ZERO.search(spell(tokens))
    if padded:
        return f"write {padded[0]} without the zero in front"
    known = formulas.check(tokens)
    if known is None:
        return None
    statement = parsed(tokens)
    open_names, wrong = set(), None
    if statement.relations:
        verdict, open_names, wrong = _relation(statement, values)
        if verdict:
            return None
    elif statement.sides[0] is not None:
        unknown = _names_alone(statement.sides[0], values)
        open_names = unknown or set()
        if unknown == set():
            return _pin(statement.sides[0], text, values)
    if wrong:
        return wrong
    if known:
        return known
    if open_names:
        return f"the page's code neither defines nor prints {', '.join(sorted(open_names))}"
    return (
        'nothing recomputes this number: bind it in text with <data value="KEY">, '
        "write it as a given `$NAME = …$`, or add the formula to book_tools/audit/formulas"
    )


def addresses(symbol):
    """List the keys under which a page may print what a symbol names: a_31, a_1[3], A[3,1] for a_{31};
    X[:,1] for x_1.
    """
    found = [symbol.name, symbol.base + symbol.index]
    if symbol.indexed:
        place = symbol.index.split(",") if "," in symbol.index else list(symbol.index)
        found += [f"{name}[{','.join(place)}]" for name in (symbol.base, symbol.base.upper())]
        if len(place) == 2:
            found.append(f"{symbol.base}_{place[1]}[{place[0]}]")
        elif len(place) == 1:
            found.append(f"{symbol.base.upper()}[:,{place[0]}]")
    return found


def _pin(node, text, values):
    """Say how to bind a name, so that no other index passes in its place."""
    if node.kind == "list":
        return 'write each name by itself, bound to its value: <data value="KEY"><!-- -->$name$</data>'
    keys = [key for key in addresses(node.value) if values.has(key)]
    return f'bind the name to its value: <data value="{keys[0] if keys else "KEY"}"><!-- -->${text}$</data>'


def _names_alone(node, values):
    """Unknown names among a name or a list of names with indices; None for anything but names."""
    parts = node.parts if node.kind == "list" else (node,)
    if not all(part.kind == "symbol" for part in parts):
        return None
    return {part.value.name for part in parts if part.value.indexed and not candidates(values)(part.value)}


def _relation(statement, values):
    """Check a chain of sides: each side that shows digits against the nearest side that can be computed.

    Returns (holds, names without a value, what is wrong).
    """
    symbols = set().union(*(side.symbols() for side in statement.sides if side is not None))
    lookup = candidates(values)
    open_names = {symbol.name for symbol in symbols if not lookup(symbol)}
    if any(
        side is None and re.search(r"\d", text)
        for side, text in zip(statement.sides, statement.texts, strict=True)
    ):
        return False, open_names, None
    if not set(statement.relations) <= set("=≈∈"):
        return False, open_names, _LOOSE
    wrong = None
    for names in assignments(symbols, lookup):
        computed = [_value(side, names) for side in statement.sides]
        outcome = _chain(statement, computed)
        if outcome is True:
            return True, set(), None
        wrong = outcome or wrong
    return False, open_names, wrong


def _value(side, names):
    try:
        return None if side is None else side.evaluate(names)
    except (NotEvaluable, ArithmeticError, ValueError, TypeError, IndexError):
        return None


def _chain(statement, computed):
    """Return True if every shown number is vouched for, a sentence for the first false relation, None if
    undecided.
    """
    for position, side in enumerate(statement.sides):
        if side is None or not side.has_number():
            continue
        if computed[position] is None:
            return None
        partner = _partner(statement, computed, position)
        if partner is None:
            return None
        left, right = sorted((position, partner))
        relation = statement.relations[left] if right == left + 1 else "="
        sides = statement.sides
        if not holds(sides[left], relation, sides[right], computed[left], computed[right]):
            values = f"{_shown(computed[left])}, not {relation} {_shown(computed[right])}"
            return f"{statement.texts[left]} is {values}"
    return True


def _partner(statement, computed, position):
    """The nearest computed side; sides in between must be joined to it by equalities."""
    for step in (-1, 1):
        other = position + step
        while 0 <= other < len(computed):
            between = range(min(position, other), max(position, other))
            if abs(other - position) > 1 and any(statement.relations[index] not in "=≈" for index in between):
                break
            if computed[other] is not None:
                return other
            other += step
    return None


def _shown(value):
    if isinstance(value, list | tuple):
        return ", ".join(map(_shown, value))
    return np.array2string(np.asarray(value), precision=6, separator=", ").replace("\n", " ")
