"""The registry of formulas whose numbers are recomputed from the library.

An author adds to one of this package's modules:

    @formula(r"3D^2 + 3D", r"2D_q D + D^2 + 2D_q + D")     # whole statements, as the page writes them
    def parameters(*numbers): return <True if these numbers, in order, are what the library computes>

    @fragment(r"∑_{[a-z] = #}", r"\\sum_{m=1}^N a_m")        # a piece of any statement, and an example
    def first_term(first): ...

A statement passes if it has the shape of a registered one (its spelling in `latex`, # for each number) and
its check says True for the numbers on the page, or if registered fragments cover all its numbers. A check
asks the functions of `equations` when it is called, and holds what they return to a reckoning of its own
with `same`. Each entry is tested: right with its own numbers, wrong with any digit changed, wrong when the
library is broken in any of many ways.
"""

import dataclasses
import functools
import importlib
import pkgutil
import re
from collections.abc import Callable

import numpy as np

from book_tools.audit.latex import read, shape


@dataclasses.dataclass(frozen=True)
class Formula:
    """A registered statement, and the check that recomputes its numbers."""

    latex: str
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
            FORMULAS[shape(read(text))[0]] = Formula(text, check)
        return check

    return register


def fragment(pattern, example):
    """Register a piece by a regular expression over shapes, with one example of a statement that holds it."""

    def register(check):
        FRAGMENTS.append(Fragment(re.compile(pattern), example, check))
        return check

    return register


def same(computed, own):
    """Return what the library computed; ArithmeticError if it is not what we reckon ourselves."""
    if np.shape(computed) != np.shape(own) or not np.allclose(computed, own, rtol=1e-9, atol=1e-12):
        raise ArithmeticError("the library computes something else")
    return np.asarray(computed)


@functools.cache
def _load():
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")


def check(tokens):
    """Return None if the registry vouches for every number of a statement, a sentence if it contradicts one,
    "" if it is unknown.
    """
    _load()
    form, numbers = shape(tokens)
    known = FORMULAS.get(form)
    if known is not None:
        return None if _true(known.check, numbers) else f"the library computes {known.latex}"
    covered, wrong = set(), ""
    places = {match.start(): index for index, match in enumerate(re.finditer("#", form))}
    for piece in FRAGMENTS:
        for match in piece.pattern.finditer(form):
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
