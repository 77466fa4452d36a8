"""The form of a quatrain as it comes out: lengths of its lines, and whether the even ones rhyme."""

import functools
from dataclasses import dataclass
from pathlib import Path

_RHYMES = Path(__file__).parent / "data" / "rhymes.txt"
_ENDS_OF_LINES = "，。"


@dataclass(frozen=True)
class PoemForm:
    """lines: texts without punctuation; right: of each finished line, whether its length fits.

    The first line has to have 5 or 7 characters, and the others as many. rhyme: the groups that the second
    and the fourth line share (more than one where characters have several readings), None before both are
    finished.
    """

    lines: list[str]
    right: list[bool]
    rhyme: str | None


@functools.cache
def rhyme_groups() -> dict[str, str]:
    """Characters by the name of their rhyme group, in today's Mandarin."""
    return dict(line.split() for line in _RHYMES.read_text(encoding="utf-8").splitlines())


def poem_form(text: str) -> PoemForm:
    """Look at a poem, or at the beginning of one."""
    lines, finished = [""], 0
    for character in text:
        if character in _ENDS_OF_LINES:
            finished += 1
            lines.append("")
        else:
            lines[-1] += character
    lines = lines if lines[-1] else lines[:-1]
    length = len(lines[0]) if lines else 0
    right = [len(line) == length and length in (5, 7) for line in lines[:finished]]
    return PoemForm(lines, right, shared_rhyme(lines[1], lines[3]) if finished >= 4 else None)


def shared_rhyme(one: str, other: str) -> str:
    """Names of the groups that the last characters of two lines share; "" if none."""
    if not one or not other:
        return ""
    return "".join(name for name, group in rhyme_groups().items() if {one[-1], other[-1]} <= set(group))
