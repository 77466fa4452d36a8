"""Byte-level byte-pair encoding: tokens are byte strings, so any text can be written and given back.

Sennrich et al. (2016) for the merges, Radford et al. (2019) for bytes in place of characters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_whole, is_whole
from transformer_book.tokenizers.byte_alphabet import BYTE_ORDER
from transformer_book.tokenizers.merge_queue import Pair, merge_word
from transformer_book.tokenizers.special import cut_at_names
from transformer_book.tokenizers.split import split_gpt2
from transformer_book.tokenizers.text import checked_ids, checked_text
from transformer_book.tokenizers.train_bpe import learn_merges


class ByteLevelBPE:
    """A byte-level BPE tokenizer, given by its ranked merges (section 1 of the book).

    merges: pairs of byte strings, most important first. pieces: the byte string of each id; by default the
    256 bytes in GPT-2's order, then one piece a merge. special: tokens such as <|endoftext|> and their ids,
    which `encode` knows only when asked. split: how text is cut into words before any merge. whole_words:
    take a word that is a piece as it is, without merging (Llama 3). Raises ValueError for merges, pieces or
    ids that do not go together.
    """

    def __init__(
        self,
        merges: Iterable[Pair],
        pieces: Mapping[int, bytes] | None = None,
        special: Mapping[str, int] | None = None,
        split: Callable[[str], list[str]] = split_gpt2,
        whole_words: bool = False,
    ):
        self.merges = list(merges)
        for pair in self.merges:
            if len(pair) != 2 or not all(isinstance(part, bytes) for part in pair):
                raise ValueError(must_be("merges", "pairs of byte strings", repr(pair)))
        if pieces is None:
            built = [bytes([byte]) for byte in BYTE_ORDER] + [left + right for left, right in self.merges]
            pieces = dict(enumerate(dict.fromkeys(built)))
        self.special = dict(special or {})
        self._split = split
        self._whole_words = whole_words
        self._piece_of_id = {**pieces, **{i: name.encode() for name, i in self.special.items()}}
        self._id_of_piece = {piece: i for i, piece in pieces.items()}
        self._rank = {pair: rank for rank, pair in enumerate(self.merges)}
        self._ids_of_word: dict[str, list[int]] = {}
        self._check(pieces)

    def _check(self, pieces: Mapping[int, bytes]) -> None:
        for i in [*pieces, *self.special.values()]:
            if not is_whole(i):
                raise ValueError(must_be("the ids of pieces and special", "whole numbers", repr(i)))
        if sorted([*pieces, *self.special.values()]) != list(range(len(pieces) + len(self.special))):
            wanted = f"the ids 0 to {len(pieces) + len(self.special) - 1}, each once"
            raise ValueError(must_be("the ids of pieces and special", wanted, "a gap or an id twice"))
        if len(self._id_of_piece) != len(pieces):
            raise ValueError(must_be("pieces", "different byte strings", "one of them twice"))
        for pair in self.merges:
            if pair[0] + pair[1] not in self._id_of_piece:
                raise ValueError(must_be("each merge's result", "one of the pieces", f"{pair}"))

    @classmethod
    def train(
        cls,
        text: str | Iterable[str],
        vocab_size: int,
        *,
        min_count: int = 2,
        split: Callable[[str], list[str]] = split_gpt2,
    ) -> ByteLevelBPE:
        """Learn merges from `text` (one str, or several) up to `vocab_size` entries, 256 of them bytes.

        The most frequent pair is merged first; among equals, the pair with the lowest ids. Training stops
        early when no pair occurs `min_count` times. Raises ValueError for vocab_size below 256 or min_count
        below 1, TypeError for a text that is not a str.
        """
        check_whole("vocab_size", vocab_size, least=256)  # one entry for each byte
        check_whole("min_count", min_count)
        several = isinstance(text, Iterable) and not isinstance(text, str | bytes)
        texts = text if several else [text]
        words = (word.encode() for part in texts for word in split(checked_text(part)))
        return cls(learn_merges(words, vocab_size - 256, min_count), split=split)

    def __len__(self) -> int:
        """The number of ids, special tokens included."""
        return len(self._piece_of_id)

    def merge_steps(self, word: str) -> Iterator[list[bytes]]:
        """Yield how one word is built, from its single bytes to its final pieces, one merge per step.

        Each step applies the highest-ranked merge that the word still allows, everywhere in the word.
        `encode` finds the same final pieces through a queue, without looking at the whole word at each step.
        """
        parts = [bytes([byte]) for byte in checked_text(word).encode()]
        yield parts
        while len(parts) > 1:
            best = min(pairwise(parts), key=self._rank_of)
            if best not in self._rank:
                return
            parts = join_pair(parts, best)
            yield parts

    def _rank_of(self, pair: Pair) -> int:
        return self._rank.get(pair, len(self._rank))

    def encode(self, text: str, *, special: bool = False) -> list[int]:
        """Return the ids of `text`; with special=True, names of special tokens in it become their ids.

        Raises TypeError for a text that is not a str, ValueError for a lone surrogate or a byte that a
        published vocabulary lacks (SmolLM2 has no entry for six control characters).
        """
        text = checked_text(text)
        ids: list[int] = []
        for part in cut_at_names(text, self.special) if special else [text]:
            ids += [self.special[part]] if special and part in self.special else self._encode_plain(part)
        return ids

    def _encode_plain(self, text: str) -> list[int]:
        ids: list[int] = []
        for word in self._split(text):
            if word not in self._ids_of_word:
                self._ids_of_word[word] = [self._id_of(piece, word) for piece in self._pieces_of(word)]
            ids += self._ids_of_word[word]
        return ids

    def _pieces_of(self, word: str) -> list[bytes]:
        spelled = word.encode()
        if self._whole_words and spelled in self._id_of_piece:
            return [spelled]
        return merge_word([bytes([byte]) for byte in spelled], self._rank)

    def _id_of(self, piece: bytes, word: str) -> int:
        if piece not in self._id_of_piece:
            wanted = "made of bytes that this vocabulary has"
            raise ValueError(must_be("text", wanted, f"{word!r} with the byte 0x{piece[0]:02X}"))
        return self._id_of_piece[piece]

    def decode(self, ids: Iterable[int], *, errors: str = "replace") -> str:
        """Return the text of `ids`; decode(encode(text)) is the text itself, whatever it holds.

        Ids that a model made up may cut a character in two: such bytes become U+FFFD, or raise with
        errors="strict". Raises ValueError for an id that does not exist.
        """
        ids = checked_ids(ids, len(self))
        return b"".join(self._piece_of_id[i] for i in ids).decode("utf-8", errors)

    def piece(self, i: int) -> str:
        """Return the entry with id `i` in readable form; bytes of an unfinished character show as <E4>."""
        (i,) = checked_ids([i], len(self))
        return readable(self._piece_of_id[i])

    def tokens(self, text: str, *, special: bool = False) -> list[str]:
        """Return the pieces of `text` in readable form, a leading space kept: ' cat' is not 'cat'."""
        return [self.piece(i) for i in self.encode(text, special=special)]


def join_pair(parts: Sequence[bytes], pair: Pair) -> list[bytes]:
    """Join every occurrence of `pair` in `parts`, from left to right."""
    joined: list[bytes] = []
    k = 0
    while k < len(parts):
        if tuple(parts[k : k + 2]) == pair:
            joined.append(pair[0] + pair[1])
            k += 2
        else:
            joined.append(parts[k])
            k += 1
    return joined


def readable(piece: bytes) -> str:
    """Return a piece as text; bytes that belong to an unfinished character are written <E4>."""
    shown = piece.decode("utf-8", "surrogateescape")
    return "".join(f"<{ord(c) - 0xDC00:02X}>" if 0xDC80 <= ord(c) <= 0xDCFF else c for c in shown)
