"""Uncased WordPiece, as BERT and MiniLM use it: words first, then the longest pieces of the vocabulary.

Devlin et al. (2019). It forgets case, accents and spacing, so `decode` gives normalised text, not the
original.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

from transformer_book.tokenizers.text import checked_ids, checked_text

_CJK_BLOCKS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
_LONGEST_WORD = 100  # a longer one becomes [UNK], as in BERT's code


class WordPiece:
    """An uncased WordPiece tokenizer over `vocabulary`, a list of pieces in the order of their ids.

    A piece that continues a word starts with ##. Raises ValueError when a special token is missing or a piece
    repeats.
    """

    def __init__(self, vocabulary: Sequence[str]):
        self._pieces = list(vocabulary)
        self._id = {piece: i for i, piece in enumerate(self._pieces)}
        if len(self._id) != len(self._pieces):
            raise ValueError("vocabulary holds a piece twice, expected each once.")
        special = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
        missing = [name for name in special if name not in self._id]
        if missing:
            raise ValueError(f"vocabulary lacks {', '.join(missing)}, expected all of {', '.join(special)}.")
        self.special = {name: self._id[name] for name in special}

    def __len__(self) -> int:
        """The number of ids."""
        return len(self._pieces)

    def encode(self, text: str, *, special: bool = True) -> list[int]:
        """Return the ids of `text`, between [CLS] and [SEP] unless special=False.

        Raises TypeError for what is no str and ValueError for a lone surrogate.
        """
        return [self._id[token] for token in self.tokens(text, special=special)]

    def tokens(self, text: str, *, special: bool = True) -> list[str]:
        """Return the pieces of `text`, such as ['[CLS]', 'un', '##bel', …, '[SEP]']."""
        pieces = [piece for word in split_words(checked_text(text)) for piece in self._cut(word)]
        return ["[CLS]", *pieces, "[SEP]"] if special else pieces

    def _cut(self, word: str) -> list[str]:
        """Cut a word into pieces, each as long as the vocabulary allows; [UNK] when one cannot be found."""
        if len(word) > _LONGEST_WORD:
            return ["[UNK]"]
        pieces: list[str] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if prefix + word[start:end] in self._id), None)
            if end is None:
                return ["[UNK]"]
            pieces.append(prefix + word[start:end])
            start = end
        return pieces

    def piece(self, i: int) -> str:
        """Return the piece with id `i`."""
        (i,) = checked_ids([i], len(self))
        return self._pieces[i]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the words of `ids` with single spaces between them, special tokens but [UNK] left out."""
        hidden = set(self.special.values()) - {self.special["[UNK]"]}
        pieces = [self._pieces[i] for i in checked_ids(ids, len(self)) if i not in hidden]
        return " ".join(pieces).replace(" ##", "")


def split_words(text: str) -> list[str]:
    """Lower-case, strip accents and cut at blanks, punctuation and around every Chinese character."""
    spaced = "".join(f" {c} " if _is_chinese(c) else c for c in map(_cleaned, text))
    lowered = "".join(
        c for c in unicodedata.normalize("NFD", spaced) if unicodedata.category(c) != "Mn"
    ).lower()
    return "".join(f" {c} " if _is_punctuation(c) else c for c in lowered).split()


def _cleaned(c: str) -> str:
    """A blank for any kind of blank, nothing for a control character, else the character."""
    if c in "\t\n\r":
        return " "
    if c == "\ufffd" or unicodedata.category(c) in ("Cc", "Cf", "Co"):
        return ""
    return " " if c.isspace() else c


def _is_chinese(c: str) -> bool:
    return any(first <= ord(c) <= last for first, last in _CJK_BLOCKS) if c else False


def _is_punctuation(c: str) -> bool:
    """Unicode punctuation and every ASCII character that is neither letter, digit nor blank ($, +, ^ …)."""
    return unicodedata.category(c).startswith("P") or (33 <= ord(c) <= 126 and not c.isalnum())
