"""The registry of formulas whose numbers are recomputed from the library.

An author adds to one of this package's modules:

    @formula(r"3D^2 + 3D", r"2D_q D + D^2 + 2D_q + D")     # whole statements, as the page writes them
    def parameters(*numbers): return <True if these numbers, in order, are what the library computes>

    @fragment(r"\\\\sum_\\{[a-z]'?=#\\}")                       # a piece of any statement; # stands for
    each number
    def first_term(first): ...

A statement passes if it has the shape of a registered one and its check says True for the numbers on the
page, or if
registered fragments cover all its numbers. Spacing, sizes and \\\\boldsymbol or \\\\mathbf make no
difference. Each entry is
tested: right with its own numbers, wrong with any digit changed.
"""

import dataclasses
import functools
import importlib
import pkgutil
import re
from collections.abc import Callable

import numpy as np

from book_tools.audit.latex import skeleton


@dataclasses.dataclass(frozen=True)
class Formula:
    """A registered statement: its shape, its own numbers, and the check that recomputes them."""

    latex: str
    shape: str
    numbers: tuple[str, ...]
    check: Callable


@dataclasses.dataclass(frozen=True)
class Fragment:
    """A registered piece: a pattern over shapes in which each # is a number, an example, and the check."""

    pattern: re.Pattern
    example: str
    check: Callable


FORMULAS: dict[str, Formula] = {}
FRAGMENTS: list[Fragment] = []


def formula(*latex):
    """Register whole statements of one shape of thought; the check takes their numbers in order."""

    def register(check):
        for text in latex:
            shape, numbers = skeleton(text)
            FORMULAS[shape] = Formula(text, shape, tuple(numbers), check)
        return check

    return register


def fragment(pattern, example):
    """Register a piece by a regular expression over shapes, with one example of a statement that holds it."""

    def register(check):
        FRAGMENTS.append(Fragment(re.compile(pattern), example, check))
        return check

    return register


@functools.cache
def _load():
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")


def check(statement):
    """Return None if the registry vouches for every number, a sentence if it contradicts one, "" if it is
    unknown.
    """
    _load()
    shape, numbers = skeleton(statement)
    known = FORMULAS.get(shape)
    if known is not None:
        return None if _true(known.check, numbers) else f"the library computes {known.latex}"
    covered, wrong = set(), ""
    places = {match.start(): index for index, match in enumerate(re.finditer("#", shape))}
    for piece in FRAGMENTS:
        for match in piece.pattern.finditer(shape):
            indices = [places[match.start() + offset.start()] for offset in re.finditer("#", match[0])]
            claimed = [numbers[index] for index in indices]
            if not _true(piece.check, claimed):
                wrong = f"in {match[0]}, the library computes other numbers than {', '.join(claimed)}"
            covered.update(indices)
    if wrong:
        return wrong
    return None if len(covered) == len(numbers) else ""


def _true(check, numbers):
    try:
        with np.errstate(all="ignore"):
            return bool(check(*(float(text) if "." in text else int(text) for text in numbers)))
    except (ArithmeticError, ValueError, TypeError, IndexError, MemoryError):
        return False
