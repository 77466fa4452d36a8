"""Merging one word in near-linear time: a queue of the pairs by rank, and a linked list of the pieces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush

Pair = tuple[bytes, bytes]


def merge_word(pieces: Sequence[bytes], rank: Mapping[Pair, int]) -> list[bytes]:
    """Return the final pieces of a word, the last step of `ByteLevelBPE.merge_steps`.

    pieces: the word's single bytes. rank: each merge and its place in the order, most important first. Costs
    O(n log n) for n bytes, since a merge touches its two neighbours alone, not the whole word.
    """
    parts: list[bytes | None] = list(pieces)  # None: merged into the piece before it
    end = len(parts)
    following, previous = list(range(1, end + 1)), list(range(-1, end - 1))

    def entry(k: int) -> tuple[int, int, Pair] | None:
        """The queue's entry for piece k and the one behind it; None if no merge joins them."""
        if k < 0 or following[k] == end:
            return None
        pair = (parts[k], parts[following[k]])
        place = rank.get(pair)
        return None if place is None else (place, k, pair)

    queue = [found for k in range(end) if (found := entry(k))]
    heapify(queue)
    while queue:
        best, joined = queue[0][0], []
        # One merge is applied everywhere, from left to right, before the pairs that it makes are looked at.
        while queue and queue[0][0] == best:
            _, k, (left, right) = heappop(queue)
            behind = following[k]
            if parts[k] != left or behind == end or parts[behind] != right:
                continue  # an entry from before one of the two was merged
            parts[k], parts[behind] = left + right, None
            following[k] = following[behind]
            if following[k] < end:
                previous[following[k]] = k
            joined.append(k)
        for k in joined:
            for found in {entry(previous[k]), entry(k)}:
                if found:
                    heappush(queue, found)
    return [piece for piece in parts if piece is not None]
