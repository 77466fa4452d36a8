"""Learning the merges of a byte-level BPE: count pairs, merge the most frequent one, repeat."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from heapq import heapify, heappop, heappush

from transformer_book.tokenizers.byte_alphabet import BYTE_ORDER

IdPair = tuple[int, int]
_NONE = -1  # the neighbour of a word's first or last piece, and the id of a piece that was merged away


def learn_merges(words: Iterable[bytes], num_merges: int, min_count: int) -> list[tuple[bytes, bytes]]:
    """Return up to `num_merges` merges learnt from `words`, best first.

    Ids number the bytes in GPT-2's order and then the merges. The most frequent pair goes first; among equals
    the pair of lowest ids, so that the same words always give the same merges. A merge costs as much as its
    pair occurs, however long the words are.
    """
    pieces = [bytes([byte]) for byte in BYTE_ORDER]
    known = {piece: i for i, piece in enumerate(pieces)}
    text = _LinkedWords(Counter(words))
    queue = [(-n, pair) for pair, n in text.count.items()]
    heapify(queue)
    merges: list[tuple[bytes, bytes]] = []
    while queue and len(merges) < num_merges:
        n, best = heappop(queue)
        if -n != text.count[best]:
            continue  # an entry from before the pair's count changed
        if -n < min_count:
            break
        merges.append((pieces[best[0]], pieces[best[1]]))
        piece = pieces[best[0]] + pieces[best[1]]
        if piece not in known:  # two pairs can spell the same piece, which keeps its first id
            known[piece] = len(pieces)
            pieces.append(piece)
        for pair in text.join(best, known[piece]):
            if text.count[pair] > 0:
                heappush(queue, (-text.count[pair], pair))
    return merges


class _LinkedWords:
    """All different words as one linked list of ids, with the count and the places of every pair."""

    def __init__(self, frequency: Counter[bytes]):
        id_of_byte = {byte: i for i, byte in enumerate(BYTE_ORDER)}
        self.ids: list[int] = []
        self.times: list[int] = []  # how often the word of this piece occurs
        self.previous: list[int] = []
        self.following: list[int] = []
        self.count: Counter[IdPair] = Counter()
        self.places: defaultdict[IdPair, set[int]] = defaultdict(set)
        for word, times in frequency.items():
            start, end = len(self.ids), len(self.ids) + len(word)
            self.ids += [id_of_byte[byte] for byte in word]
            self.times += [times] * len(word)
            self.previous += [_NONE, *range(start, end - 1)][: len(word)]
            self.following += [*range(start + 1, end), _NONE][: len(word)]
        for k, behind in enumerate(self.following):
            self._add(k, behind)

    def join(self, pair: IdPair, new: int) -> set[IdPair]:
        """Replace each occurrence of `pair` by `new`, from left to right; return the pairs that changed."""
        changed: set[IdPair] = set()
        for k in sorted(self.places.pop(pair)):
            behind = self.following[k]
            if behind == _NONE or (self.ids[k], self.ids[behind]) != pair:
                continue  # changed by another merge since it was noted
            before, after = self.previous[k], self.following[behind]
            changed |= {self._remove(before, k), self._remove(k, behind), self._remove(behind, after)}
            self.ids[k], self.ids[behind] = new, _NONE
            self.following[k] = after
            if after != _NONE:
                self.previous[after] = k
            changed |= {self._add(before, k), self._add(k, after)}
        return changed - {None}

    def _add(self, left: int, right: int) -> IdPair | None:
        if _NONE in (left, right):
            return None
        pair = self.ids[left], self.ids[right]
        self.count[pair] += self.times[left]
        self.places[pair].add(left)
        return pair

    def _remove(self, left: int, right: int) -> IdPair | None:
        if _NONE in (left, right):
            return None
        pair = self.ids[left], self.ids[right]
        self.count[pair] -= self.times[left]
        return pair
