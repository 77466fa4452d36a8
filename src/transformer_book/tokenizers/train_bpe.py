"""Learning the merges of a byte-level BPE: count pairs, merge the most frequent one, repeat."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from itertools import pairwise

from transformer_book.tokenizers.byte_alphabet import BYTE_ORDER

IdPair = tuple[int, int]


def learn_merges(words: Iterable[bytes], num_merges: int, min_count: int) -> list[tuple[bytes, bytes]]:
    """Return up to `num_merges` merges learnt from `words`, best first.

    Ids number the bytes in GPT-2's order and then the merges. The most frequent pair goes first; among equals
    the pair of lowest ids, so that the same words always give the same merges.
    """
    pieces = [bytes([byte]) for byte in BYTE_ORDER]
    id_of_byte = {byte: i for i, byte in enumerate(BYTE_ORDER)}
    frequency = Counter(words)
    spelled = [[id_of_byte[byte] for byte in word] for word in frequency]
    times = list(frequency.values())

    count: Counter[IdPair] = Counter()
    where: defaultdict[IdPair, set[int]] = defaultdict(set)  # a pair → the words that hold it
    for w, ids in enumerate(spelled):
        for pair in pairwise(ids):
            count[pair] += times[w]
            where[pair].add(w)
    queue = [(-n, pair) for pair, n in count.items()]
    heapify(queue)

    merges: list[tuple[bytes, bytes]] = []
    known = {piece: i for i, piece in enumerate(pieces)}
    while queue and len(merges) < num_merges:
        n, best = heappop(queue)
        if -n != count[best]:
            continue  # an entry from before the pair's count changed
        if -n < min_count:
            break
        piece = pieces[best[0]] + pieces[best[1]]
        merges.append((pieces[best[0]], pieces[best[1]]))
        if piece not in known:  # two pairs can spell the same piece, which keeps its first id
            known[piece] = len(pieces)
            pieces.append(piece)
        changed: set[IdPair] = set()
        for w in where.pop(best):
            before = spelled[w]
            after = join_ids(before, best, known[piece])
            for pair in pairwise(before):
                count[pair] -= times[w]
                changed.add(pair)
            for pair in pairwise(after):
                count[pair] += times[w]
                where[pair].add(w)
                changed.add(pair)
            spelled[w] = after
        for pair in changed:
            if count[pair] > 0:
                heappush(queue, (-count[pair], pair))
    return merges


def join_ids(ids: list[int], pair: IdPair, new: int) -> list[int]:
    """Replace every occurrence of `pair` by `new`, from left to right."""
    joined: list[int] = []
    for i in ids:
        if joined and (joined[-1], i) == pair:
            joined[-1] = new
        else:
            joined.append(i)
    return joined
