"""Tang quatrains: four lines of five or seven characters, from the npm package chinese-poetry (MIT)."""

from __future__ import annotations

from dataclasses import dataclass

from transformer_book.storage.data_folder import read_rows
from transformer_book.tokenizers import CharacterVocabulary

_VALIDATION_EVERY = 10


@dataclass(frozen=True)
class Quatrains:
    """Poems of 24 or 32 characters, such as 春眠不觉晓，处处闻啼鸟。夜来风雨声，花落知多少。"""

    train: list[str]
    validation: list[str]


def load_quatrains() -> Quatrains:
    """Return all quatrains of the data folder, in the collection's order; every tenth is for validation."""
    poems = read_rows("quatrains.txt.xz")
    train = [poem for k, poem in enumerate(poems) if k % _VALIDATION_EVERY]
    return Quatrains(train, poems[::_VALIDATION_EVERY])


def quatrain_vocabulary() -> CharacterVocabulary:
    """Return the vocabulary of all quatrains, after <pad>, <start>, <end> and <mask> with the ids 0 to 3."""
    characters = "".join(read_rows("quatrains.txt.xz"))
    return CharacterVocabulary.of(characters, special=["<pad>", "<start>", "<end>", "<mask>"])
