"""A number in words, found in a text."""

import dataclasses
from fractions import Fraction


@dataclasses.dataclass(frozen=True)
class Numeral:
    """A numeral in a text: where it stands, and its bounds; None where it only looks like one (万一).

    share: whether it is a part of a whole (三分之二, two thirds).
    """

    text: str
    start: int
    end: int
    bounds: tuple[int | Fraction, int | Fraction] | None
    share: bool
