"""WordPiece, as BERT and MiniLM use it: words first, then the longest pieces of the vocabulary.

Devlin et al. (2019). It forgets spacing and, uncased, case and accents too, so that `decode` gives normalised
text, not the original.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

from transformer_book.checks.messages import must_be
from transformer_book.tokenizers.special import cut_at_names
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


SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


class WordPiece:
    """A WordPiece tokenizer over `vocabulary`, a list of pieces in the order of their ids.

    A piece that continues a word starts with ##. lower_case: forget case and accents; by default where no
    piece has a capital letter from A to Z. Raises ValueError when a special token is missing, a piece
    repeats, or lower_case is asked of a vocabulary that has capitals.
    """

    def __init__(self, vocabulary: Sequence[str], lower_case: bool | None = None):
        self._pieces = list(vocabulary)
        self._id = {piece: i for i, piece in enumerate(self._pieces)}
        if len(self._id) != len(self._pieces):
            twice = next(piece for i, piece in enumerate(self._pieces) if self._id[piece] != i)
            raise ValueError(must_be("vocabulary", "different pieces", f"{twice!r} twice"))
        missing = [name for name in SPECIAL if name not in self._id]
        if missing:
            wanted = f"pieces with {', '.join(SPECIAL)} among them"
            raise ValueError(must_be("vocabulary", wanted, f"none of {', '.join(missing)}"))
        self.special = {name: self._id[name] for name in SPECIAL}
        capital = next(filter(_has_capital, self._pieces), None)
        if lower_case and capital is not None:
            raise ValueError(must_be("lower_case", "False for a cased vocabulary", f"the piece {capital!r}"))
        self.lower_case = capital is None if lower_case is None else lower_case

    def __len__(self) -> int:
        """The number of ids."""
        return len(self._pieces)

    def encode(self, text: str, *, special: bool = True, frame: bool = True) -> list[int]:
        """Return the ids of `text`, between [CLS] and [SEP] unless frame=False.

        special: names of special tokens in the text, such as [MASK], become their ids, as in BERT's own code.
        Raises TypeError for a text that is not a str and ValueError for a lone surrogate.
        """
        return [self._id[token] for token in self.tokens(text, special=special, frame=frame)]

    def tokens(self, text: str, *, special: bool = True, frame: bool = True) -> list[str]:
        """Return the pieces of `text`, such as ['[CLS]', 'un', '##bel', …, '[SEP]']; see `encode`."""
        pieces: list[str] = []
        for part in cut_at_names(checked_text(text), self.special) if special else [checked_text(text)]:
            if special and part in self.special:
                pieces.append(part)
                continue
            for word in split_words(part, self.lower_case):
                pieces += self._cut(word)
        return ["[CLS]", *pieces, "[SEP]"] if frame else pieces

    def unknown_words(self, text: str) -> list[str]:
        """Return the words of `text` that become [UNK], each once; names of special tokens are no words."""
        parts = [part for part in cut_at_names(checked_text(text), self.special) if part not in self.special]
        words = dict.fromkeys(word for part in parts for word in split_words(part, self.lower_case))
        return [word for word in words if self._cut(word) == ["[UNK]"]]

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


def split_words(text: str, lower_case: bool = True) -> list[str]:
    """Cut at blanks, punctuation and around every Chinese character; lower_case: without case and accents."""
    spaced = "".join(f" {c} " if _is_chinese(c) else c for c in map(_cleaned, text))
    if lower_case:
        # Letter by letter: str.lower would write the last sigma of ΟΔΟΣ as ς, the reference writes σ.
        plain = (c for c in unicodedata.normalize("NFD", spaced) if unicodedata.category(c) != "Mn")
        spaced = "".join(c.lower() for c in plain)
    return "".join(f" {c} " if _is_punctuation(c) else c for c in spaced).split()


def _has_capital(piece: str) -> bool:
    """Say whether a piece has a capital letter; names such as [MASK] and [unused1] do not count."""
    named = piece.startswith("[") and piece.endswith("]")
    return not named and any("A" <= c <= "Z" for c in piece)


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
    """Unicode punctuation and every ASCII character except letters, digits and the blank ($, +, ^ …)."""
    return unicodedata.category(c).startswith("P") or (33 <= ord(c) <= 126 and not c.isalnum())
