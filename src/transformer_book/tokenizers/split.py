"""Pre-tokenisation: the text is first cut into words, and no merge ever crosses a cut."""

from __future__ import annotations

from collections.abc import Iterable

import regex

# GPT-2's pattern: English contractions, then runs of letters, of digits, of anything else, each with at most
# one space in front; a run of blanks leaves its last blank to the word behind it.
GPT2 = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")
DIGIT = regex.compile(r"\p{N}")


def split_gpt2(text: str) -> list[str]:
    """Cut text as GPT-2 does; the pieces joined give the text back (Radford et al., 2019)."""
    return split_by(text, (GPT2,))


def split_smollm(text: str) -> list[str]:
    """Cut text as SmolLM2 does: every digit alone, then GPT-2's pattern on what lies between."""
    return split_by(text, (DIGIT, GPT2))


def split_by(text: str, patterns: Iterable[regex.Pattern]) -> list[str]:
    """Cut text around every match of the first pattern, then each part around those of the next."""
    words = [text]
    for pattern in patterns:
        words = [part for word in words for part in _around_matches(pattern, word)]
    return words


def _around_matches(pattern: regex.Pattern, text: str) -> list[str]:
    parts: list[str] = []
    end = 0
    for match in pattern.finditer(text):
        parts += [text[end : match.start()], match.group()]
        end = match.end()
    return [part for part in (*parts, text[end:]) if part]
