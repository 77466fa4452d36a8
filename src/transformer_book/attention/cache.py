"""The key-value cache: keys and values of earlier positions, kept because later tokens never change them."""

import weakref
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_whole
from transformer_book.checks.tensors import check_kind, shapes


class KeyValueCache:
    """Keys and values of one attention layer, in memory allocated ahead (section 8).

    capacity: positions allocated first; when they are used up the memory doubles, up to max_length (None: no
    bound).
    keys, values: views (B, H_kv, length, D_h) of what is stored so far, None when nothing is.
    """

    def __init__(self, capacity: int = 256, max_length: int | None = None):
        check_whole("capacity", capacity)
        if max_length is not None:
            check_whole("max_length", max_length)
        self.capacity = capacity if max_length is None else min(capacity, max_length)
        self.max_length = max_length
        self.length = 0
        self._memory: torch.Tensor | None = None  # (B, 2 H_kv, capacity, D_h): keys, then values
        self._like: tuple | None = None  # (B, 2 H_kv, D_h), type and device of what the memory holds

    @property
    def num_texts(self) -> int | None:
        """How many texts are stored, B; None when nothing is."""
        return len(self._memory) if self.length else None

    @property
    def keys(self) -> torch.Tensor | None:
        return self._stored()[0] if self.length else None

    @property
    def values(self) -> torch.Tensor | None:
        return self._stored()[1] if self.length else None

    def append(self, key: torch.Tensor, value: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Store keys and values (B, H_kv, N, D_h) of N new positions; return all, (B, H_kv, length, D_h).

        Raises ValueError when max_length would be passed, when keys and values differ in shape, or from what
        is stored (batch, heads, features, type, device), or when gradients are recorded (writing in place
        would silently lose them). The cache then stays as it was.
        """
        shapes(key=(key, "B H_kv N D_h"), value=(value, "B H_kv N D_h"))
        return self.store(key, value)

    def store(self, key: torch.Tensor, value: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The same for keys and values of one shape (B, H_kv, N, D_h)."""
        if torch.is_grad_enabled() and (key.requires_grad or value.requires_grad):
            raise ValueError(must_be("a call with a cache", "inside torch.no_grad()", "recorded gradients"))
        batch, heads, num_new, features = key.shape
        # Under autocast one may be wider than the other: the wider type loses nothing.
        dtype = torch.promote_types(key.dtype, value.dtype)
        start, end = self.length, self.length + num_new
        self._make_room(end, ((batch, 2 * heads, features), dtype, key.device))
        self._memory[:, :heads, start:end] = key
        self._memory[:, heads:, start:end] = value
        self.length = end
        return self._stored()

    def append_one(self, joined: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Store one new position in a single copy: joined (B, 2 H_kv, D_h) holds keys, then values.

        Raises ValueError as `append` does.
        """
        self._make_room(self.length + 1, (joined.shape, joined.dtype, joined.device))
        self._memory.select(2, self.length).copy_(joined)
        self.length += 1
        return self._stored()

    def truncate(self, length: int):
        """Forget the positions after the first `length`; the memory stays allocated.

        Raises ValueError for a length that is not a whole number of at least 0.
        """
        check_whole("length", length, least=0)
        self.length = min(self.length, length)

    def reorder(self, texts: torch.Tensor):
        """Keep the texts of these numbers (B_new,), in this order; a number may come more than once."""
        if self.length:
            self._memory = self._memory.index_select(0, texts)
            self._like = ((len(texts), *self._like[0][1:]), *self._like[1:])

    def _stored(self):
        """Views (B, H_kv, length, D_h) of the stored keys and values."""
        return self._memory.narrow(2, 0, self.length).chunk(2, dim=1)

    def _make_room(self, end, like):
        """See to memory up to position `end`; like: (B, 2 H_kv, D_h), type and device of the new ones."""
        fits = self._like == like
        if fits and end <= self.capacity:
            return
        if self.length and not fits:
            wanted = f"{_described(self._like)} like the cache"
            raise ValueError(must_be("keys and values", wanted, _described(like)))
        if self.max_length is not None and end > self.max_length:
            wanted = f"within the cache's max_length = {self.max_length}"
            raise ValueError(must_be("the number of positions", wanted, end))
        if end > self.capacity:
            self.capacity = max(end, 2 * self.capacity)
            if self.max_length is not None:
                self.capacity = min(self.capacity, self.max_length)
        old, ((batch, heads, features), dtype, device) = self._memory, like
        with torch.inference_mode(False):  # memory that calls outside of that mode may write to as well
            self._memory = torch.empty(batch, heads, self.capacity, features, dtype=dtype, device=device)
        self._like = like
        if self.length:
            self._memory[:, :, : self.length] = old[:, :, : self.length]


def _described(like):
    (batch, heads, features), dtype, device = like
    return f"{batch} texts, {heads // 2} heads and {features} features of {dtype} on {device}"


class DecoderCache:
    """The caches of all layers of one decoder, and which stored positions are real tokens.

    layers: one `KeyValueCache` per layer for self-attention; cross: one per layer for cross-attention, filled
    once.
    length: positions stored. padding: boolean (B, length), True at real tokens; None as long as all are.
    source_padding: the same of the source that cross reads.
    """

    def __init__(self, num_layers: int, capacity: int = 256, max_length: int | None = None):
        check_whole("num_layers", num_layers)
        self.layers = [KeyValueCache(capacity, max_length) for _ in range(num_layers)]
        self.cross = [KeyValueCache(1) for _ in range(num_layers)]
        self.padding: torch.Tensor | None = None
        self.source_padding: torch.Tensor | None = None
        self._owner: weakref.ref | None = None

    @property
    def length(self) -> int:
        return self.layers[0].length

    def belongs_to(self, decoder) -> bool:
        """Whether a decoder may read and extend it: it is empty, or this decoder has filled it."""
        return not self.length or (self._owner is not None and self._owner() is decoder)

    @contextmanager
    def extended_by(
        self, decoder, padding: torch.Tensor | None = None, source_padding: torch.Tensor | None = None
    ) -> Iterator[None]:
        """Let a decoder store new positions in this block; if it fails, the cache is what it was.

        Otherwise some layers would store more positions than others. padding: from `with_padding`.
        """
        length = self.length
        try:
            yield
        except BaseException:
            self.truncate(length)
            raise
        self._owner = weakref.ref(decoder)
        self.padding, self.source_padding = padding, source_padding

    def with_padding(
        self, padding: torch.Tensor | None, batch: int, num_new: int, device
    ) -> torch.Tensor | None:
        """Say which positions are real, those stored and num_new new ones: (B, length + num_new), or None.

        padding: boolean (B, num_new) for the new ones.
        """
        if padding is None and self.padding is None:
            return None
        earlier = self.padding
        if earlier is None:
            earlier = torch.ones(batch, self.length, dtype=torch.bool, device=device)
        if padding is None:
            padding = torch.ones(batch, num_new, dtype=torch.bool, device=device)
        return torch.cat([earlier, padding], dim=1)

    def truncate(self, length: int):
        """Forget the positions after the first `length`; without any, the source and the decoder too.

        Raises ValueError for a length that is not a whole number of at least 0.
        """
        for cache in self.layers:
            cache.truncate(length)
        self.padding = None if self.padding is None else self.padding[:, :length]
        if not length:
            self.padding = self.source_padding = self._owner = None
            for cache in self.cross:
                cache.truncate(0)

    def reset(self):
        """Forget everything but the allocated memory."""
        self.truncate(0)

    def reorder(self, texts: torch.Tensor):
        """Keep the texts of these numbers (B_new,), in this order; a number may come more than once.

        This is what beams need: the texts that go on take the places of those that do not. Raises TypeError
        for numbers that are not in a tensor, ValueError for a number that no text has.
        """
        shapes(texts=(texts, "B_new"))
        check_kind("texts", texts, "int64 or int32")
        stored = self.layers[0].num_texts or 0
        if texts.numel() == 0 or not 0 <= int(texts.min()) <= int(texts.max()) < stored:
            raise ValueError(must_be("texts", f"numbers of the {stored} texts stored", texts.tolist()))
        for cache in (*self.layers, *self.cross):
            cache.reorder(texts)
        for name in ("padding", "source_padding"):
            padding = getattr(self, name)
            setattr(self, name, None if padding is None else padding[texts])
