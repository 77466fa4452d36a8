"""GPT-2's tokenizer, from its published files (Radford et al., 2019)."""

from __future__ import annotations

import json
from pathlib import Path

from transformer_book.checks.messages import must_be
from transformer_book.storage.data_folder import read_rows
from transformer_book.storage.files import CorruptFileError, read_text, user_path
from transformer_book.tokenizers.byte_alphabet import bytes_from_printable
from transformer_book.tokenizers.byte_level_bpe import ByteLevelBPE

END_OF_TEXT = "<|endoftext|>"


def load_gpt2_tokenizer(folder: str | Path | None = None) -> ByteLevelBPE:
    """Return GPT-2's tokenizer: 50,257 ids, made of 256 bytes, 50,000 merges and <|endoftext|>.

    folder: where encoder.json and vocab.bpe lie, or vocab.json and merges.txt, their names on the hub; by
    default the merges in the book's data folder, from which the ids follow. Raises FileNotFoundError, or
    ValueError (CorruptFileError for a file that cannot be read) when a file does not hold what it should.
    """
    if folder is None:
        merges = _merges(read_rows("gpt2_merges.txt.xz"))
        return ByteLevelBPE(merges, special={END_OF_TEXT: 256 + len(merges)})
    vocabulary_file = _file(folder, "encoder.json", "vocab.json")
    try:
        vocabulary: dict[str, int] = json.loads(read_text(vocabulary_file))
    except json.JSONDecodeError as error:
        raise CorruptFileError(must_be(vocabulary_file.name, "JSON", error)) from None
    if not isinstance(vocabulary, dict) or not all(isinstance(i, int) for i in vocabulary.values()):
        raise CorruptFileError(must_be(vocabulary_file.name, "pieces with their ids", "something else"))
    special = {name: vocabulary.pop(name) for name in (END_OF_TEXT,) if name in vocabulary}
    return ByteLevelBPE(
        merges=_merges(read_text(_file(folder, "vocab.bpe", "merges.txt")).split("\n")),
        pieces={i: bytes_from_printable(piece) for piece, i in vocabulary.items()},
        special=special,
    )


def _merges(lines: list[str]) -> list[tuple[bytes, bytes]]:
    return [parse_merge(line) for line in lines if line and not line.startswith("#version")]


def _file(folder: str | Path, name: str, name_on_hub: str) -> Path:
    for path in (user_path(folder) / name, user_path(folder) / name_on_hub):
        if path.is_file():
            return path
    raise FileNotFoundError(must_be("folder", f"one with {name} or {name_on_hub}", folder))


def parse_merge(line: str) -> tuple[bytes, bytes]:
    """Read one merge, two pieces with a space between them, as GPT-2's and GGUF files write it."""
    pair = line.split(" ")
    if len(pair) != 2:
        raise ValueError(must_be("a merge", "two pieces with a space between them", repr(line)))
    return bytes_from_printable(pair[0]), bytes_from_printable(pair[1])
