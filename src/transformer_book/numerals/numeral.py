"""A number in words, found in a text."""

import dataclasses
import re
from collections.abc import Callable
from fractions import Fraction

Bounds = tuple[int | Fraction, int | Fraction]


@dataclasses.dataclass(frozen=True)
class Numeral:
    """A numeral in a text: where it stands, and its bounds; None where it only looks like one (万一).

    share: whether it is a part of a whole (三分之二, two thirds).
    """

    text: str
    start: int
    end: int
    bounds: Bounds | None
    share: bool


def numerals_in(
    text: str, pattern: re.Pattern, bounds: Callable[[str], Bounds], is_share: Callable[[str], bool]
) -> list[Numeral]:
    """List what a language's pattern finds in a running text, in order; ``bounds`` raises for no numeral."""

    def limits(word: str) -> Bounds | None:
        try:
            return bounds(word)
        except ValueError:
            return None

    return [
        Numeral(match[0], *match.span(), limits(match[0]), is_share(match[0]))
        for match in pattern.finditer(text)
    ]
