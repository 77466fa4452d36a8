"""GPT-2's alphabet: its files write each of the 256 bytes as one printable character."""

from __future__ import annotations

from transformer_book.checks.messages import must_be

# Bytes that Latin-1 prints stand for themselves; the rest (blanks, controls) take the code points from 256
# on, which is why a space looks like Ġ in GPT-2's files.
_PRINTABLE = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTABLE]

# In GPT-2's order: byte number k of this list has id k in GPT-2's vocabulary and in ours.
BYTE_ORDER: list[int] = _PRINTABLE + _OTHERS
_CODE_POINTS = _PRINTABLE + [256 + k for k in range(len(_OTHERS))]
_BYTE_OF_CHARACTER = {chr(point): byte for byte, point in zip(BYTE_ORDER, _CODE_POINTS, strict=True)}


def bytes_from_printable(piece: str) -> bytes:
    """Turn a piece as GPT-2's files write it into its bytes; ValueError names a character outside it."""
    try:
        return bytes(_BYTE_OF_CHARACTER[character] for character in piece)
    except KeyError as error:
        found = f"{error.args[0]!r} in {piece!r}"
        raise ValueError(must_be("a piece", "written in GPT-2's byte alphabet", found)) from None
