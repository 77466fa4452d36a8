"""Finding the names of special tokens in text, such as [MASK] or <|endoftext|>."""

from __future__ import annotations

from collections.abc import Iterable

import regex


def cut_at_names(text: str, names: Iterable[str]) -> list[str]:
    """Cut text around every name in it; where two names begin alike, the longer one counts."""
    by_length = sorted(names, key=len, reverse=True)
    if not by_length:
        return [text]
    pattern = "|".join(map(regex.escape, by_length))
    return [part for part in regex.split(f"({pattern})", text) if part]
