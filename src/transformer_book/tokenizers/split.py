"""Pre-tokenisation: the text is first cut into words, and no merge ever crosses a cut."""

from __future__ import annotations

import regex

# GPT-2's pattern: English contractions, then runs of letters, of digits, of anything else, each with at most
# one space in front; a run of blanks leaves its last blank to the word behind it.
_GPT2 = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")
_DIGIT = regex.compile(r"(\p{N})")


def split_gpt2(text: str) -> list[str]:
    """Cut text as GPT-2 does; the pieces joined give the text back (Radford et al., 2019)."""
    return _GPT2.findall(text)


def split_smollm(text: str) -> list[str]:
    """Cut text as SmolLM2 does: every digit alone, then GPT-2's pattern on what lies between."""
    return [word for part in _DIGIT.split(text) for word in split_gpt2(part)]
