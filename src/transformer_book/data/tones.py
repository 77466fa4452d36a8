"""Which characters of the quatrains are read in a level tone today, from the package pypinyin (MIT)."""

from __future__ import annotations

from transformer_book.storage.data_folder import read_rows


def load_level_tones() -> frozenset[str]:
    """Return the characters whose commonest reading in today's Mandarin has the first or the second tone.

    All other characters of the quatrains are oblique. Raises FileNotFoundError or CorruptFileError.
    """
    return frozenset("".join(read_rows("level_tones.txt.xz")))
