"""One id per character: the plainest tokenizer, enough for poems and numerals."""

from __future__ import annotations

from collections.abc import Iterable

from transformer_book.checks.messages import must_be
from transformer_book.tokenizers.text import checked_ids, checked_text


class CharacterVocabulary:
    """Ids for single characters, after a few named special tokens.

    characters: the characters in the order of their ids. special: names that take the first ids, such as
    "<pad>". Raises ValueError for an entry that repeats, has more than one character or is an empty name,
    TypeError when the names are one str.
    """

    def __init__(self, characters: Iterable[str], special: Iterable[str] = ()):
        if isinstance(special, str):
            raise TypeError(must_be("special", "names in a list", f"the str {special!r}"))
        names = list(special)
        self._pieces = [*names, *characters]
        self._id = {piece: i for i, piece in enumerate(self._pieces)}
        if len(self._id) != len(self._pieces):
            twice = next(piece for piece in self._pieces if self._pieces.count(piece) > 1)
            raise ValueError(must_be("characters and special", "different entries", f"{twice!r} twice"))
        for piece in self._pieces[len(names) :]:
            if len(checked_text(piece)) != 1:
                raise ValueError(must_be("characters", "single characters", repr(piece)))
        if "" in names:
            raise ValueError(must_be("special", "names such as <pad>", "an empty name"))
        self.special = {name: self._id[name] for name in names}

    @classmethod
    def of(cls, text: str, special: Iterable[str] = ()) -> CharacterVocabulary:
        """Return the vocabulary of all characters of `text`, in the order of their code points."""
        return cls(sorted(set(checked_text(text))), special)

    def __len__(self) -> int:
        """The number of ids, special tokens included."""
        return len(self._pieces)

    @property
    def characters(self) -> list[str]:
        """The characters in the order of their ids, special tokens left out."""
        return self._pieces[len(self.special) :]

    def encode(self, text: str) -> list[int]:
        """Return one id per character; ValueError names a character that the vocabulary lacks."""
        try:
            return [self._id[c] for c in checked_text(text)]
        except KeyError as error:
            wanted = "made of characters of this vocabulary"
            raise ValueError(must_be("text", wanted, repr(error.args[0]))) from None

    def tokens(self, text: str) -> list[str]:
        """Return the characters of `text`, checked against the vocabulary."""
        return [self._pieces[i] for i in self.encode(text)]

    def piece(self, i: int) -> str:
        """Return the character or special token with id `i`."""
        (i,) = checked_ids([i], len(self))
        return self._pieces[i]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of `ids`, special tokens left out."""
        hidden = set(self.special.values())
        return "".join(self._pieces[i] for i in checked_ids(ids, len(self)) if i not in hidden)
