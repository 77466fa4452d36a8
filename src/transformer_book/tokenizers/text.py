"""The door of every tokenizer: what comes in is text, or ids that exist."""

from __future__ import annotations

import operator
from collections.abc import Iterable


def checked_text(text: str) -> str:
    """Return `text` unchanged; TypeError if it is no str, ValueError if it holds half of a surrogate pair."""
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, got {type(text).__name__}.")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        code = ord(text[error.start])
        raise ValueError(
            f"text holds a lone surrogate U+{code:04X} at position {error.start}; expected whole characters."
        ) from None
    return text


def checked_ids(ids: Iterable[int], vocab_size: int) -> list[int]:
    """Return `ids` (a list, NumPy array or tensor) as Python ints.

    Raises TypeError for what is no row of whole numbers, ValueError for an unknown id.
    """
    try:
        plain = [operator.index(i) for i in ids]
    except TypeError:
        raise TypeError(f"ids is {ids!r}, expected a row of whole numbers.") from None
    for position, i in enumerate(plain):
        if not 0 <= i < vocab_size:
            raise ValueError(f"ids[{position}] is {i}, expected an id from 0 to {vocab_size - 1}.")
    return plain
