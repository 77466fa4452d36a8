"""One id a character: the plainest tokenizer, enough for poems and numerals."""

from __future__ import annotations

from collections.abc import Iterable

from transformer_book.tokenizers.text import checked_ids, checked_text


class CharacterVocabulary:
    """Ids for single characters, after a few named special tokens.

    characters: the characters in the order of their ids. special: names that take the first ids, such as
    "<pad>". Raises ValueError when an entry repeats, is no single character or an empty name, TypeError when
    the names are one str.
    """

    def __init__(self, characters: Iterable[str], special: Iterable[str] = ()):
        if isinstance(special, str):
            raise TypeError(f"special is the str {special!r}, expected names in a list.")
        names = list(special)
        self._pieces = [*names, *characters]
        self._id = {piece: i for i, piece in enumerate(self._pieces)}
        if len(self._id) != len(self._pieces):
            raise ValueError("characters and special hold an entry twice, expected each once.")
        for piece in self._pieces[len(names) :]:
            if len(checked_text(piece)) != 1:
                raise ValueError(f"characters holds {piece!r}, expected single characters.")
        if "" in names:
            raise ValueError("special holds an empty name, expected names such as <pad>.")
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
        """Return one id a character; ValueError names a character that the vocabulary lacks."""
        try:
            return [self._id[c] for c in checked_text(text)]
        except KeyError as error:
            raise ValueError(f"text holds {error.args[0]!r}, which the vocabulary lacks.") from None

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
