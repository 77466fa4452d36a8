"""What every tokenizer asks of its arguments: whole text, and ids that exist."""

from __future__ import annotations

import operator
from collections.abc import Iterable

from transformer_book.checks.messages import must_be


def checked_text(text: str) -> str:
    """Return `text` unchanged; TypeError if it is not a str, ValueError if it holds a lone surrogate."""
    if not isinstance(text, str):
        raise TypeError(must_be("text", "a str", f"a {type(text).__name__}"))
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        code = ord(text[error.start])
        found = f"a lone surrogate U+{code:04X} at position {error.start}"
        raise ValueError(must_be("text", "made of whole characters", found)) from None
    return text


def checked_ids(ids: Iterable[int], vocab_size: int) -> list[int]:
    """Return `ids` (a list, NumPy array or tensor) as Python ints.

    Raises TypeError unless they are whole numbers in a row, ValueError for an unknown id.
    """
    try:
        plain = [operator.index(i) for i in ids]
    except TypeError:
        raise TypeError(must_be("ids", "a row of whole numbers", repr(ids))) from None
    for position, i in enumerate(plain):
        if not 0 <= i < vocab_size:
            raise ValueError(must_be(f"ids[{position}]", f"an id from 0 to {vocab_size - 1}", i))
    return plain
