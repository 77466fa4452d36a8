"""The key-value cache: keys and values of earlier positions, kept because later tokens never change them."""

import torch

from transformer_book.checks.numbers import check_whole


class KeyValueCache:
    """Keys and values of one attention layer, in memory allocated ahead (section 8).

    capacity: positions allocated first; when they are used up the memory doubles, up to max_length (None: no
    bound).
    keys, values: views (B, H_kv, length, D_h) of what is stored so far.
    """

    def __init__(self, capacity: int = 256, max_length: int | None = None):
        check_whole("capacity", capacity)
        if max_length is not None:
            check_whole("max_length", max_length)
        self.capacity = capacity if max_length is None else min(capacity, max_length)
        self.max_length = max_length
        self.length = 0
        self._memory: torch.Tensor | None = None  # (B, 2 H_kv, capacity, D_h): keys, then values

    @property
    def num_texts(self) -> int | None:
        """How many texts are stored, B; None as long as it is empty."""
        return None if self._memory is None else len(self._memory)

    @property
    def keys(self) -> torch.Tensor | None:
        return None if self._memory is None else self._filled()[0]

    @property
    def values(self) -> torch.Tensor | None:
        return None if self._memory is None else self._filled()[1]

    def append(self, key: torch.Tensor, value: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Store keys and values (B, H_kv, N, D_h) of N new positions; return all, (B, H_kv, length, D_h).

        Raises ValueError when max_length would be passed, when keys and values differ in shape, or from what
        is stored (batch, heads, features, type, device), or when gradients are recorded (writing in place
        would silently lose them). The cache then stays as it was.
        """
        if key.ndim != 4 or key.shape != value.shape:
            raise ValueError(
                f"key has shape {tuple(key.shape)} and value {tuple(value.shape)}, "
                "expected the same shape (batch, heads, tokens, features)"
            )
        if torch.is_grad_enabled() and (key.requires_grad or value.requires_grad):
            raise ValueError("a cache does not keep gradients; call the model inside torch.no_grad()")
        start, end, heads = self.length, self.length + key.shape[2], key.shape[1]
        # Under autocast a rotated key is wider than its value: the wider type loses nothing.
        self._make_room(end, key, torch.promote_types(key.dtype, value.dtype))
        self._memory[:, :heads, start:end] = key
        self._memory[:, heads:, start:end] = value
        self.length = end
        return self._filled()

    def append_one(self, joined: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Store one new position in a single copy: joined (B, 2 H_kv, D_h) holds keys, then values.

        Raises ValueError as `append` does.
        """
        if self.length == self.capacity or self._memory is None or joined.shape[0] != self._memory.shape[0]:
            keys = joined[:, : joined.shape[1] // 2, None]  # (B, H_kv, 1, D_h)
            self._make_room(self.length + 1, keys, joined.dtype)
        self._memory.select(2, self.length).copy_(joined)
        self.length += 1
        return self._filled()

    def _filled(self):
        """Views (B, H_kv, length, D_h) of the stored keys and values."""
        return self._memory.narrow(2, 0, self.length).chunk(2, dim=1)

    def _make_room(self, end, key, dtype):
        """Allocate memory for positions up to `end`, of keys like `key` and of this type."""
        if self.max_length is not None and end > self.max_length:
            raise ValueError(
                f"the cache would hold {end} positions, but its max_length is {self.max_length}; "
                "start a new cache with fewer tokens"
            )
        batch, heads, _, features = key.shape
        if self._memory is None:
            self.capacity = max(self.capacity, end)
            self._memory = key.new_empty(batch, 2 * heads, self.capacity, features, dtype=dtype)
            return
        stored = self._memory.shape
        if (batch, 2 * heads, features) != (stored[0], stored[1], stored[3]):
            raise ValueError(
                f"key has batch, heads and features {batch}, {heads}, {features}, "
                f"but the cache holds {stored[0]}, {stored[1] // 2}, {stored[3]}"
            )
        if (dtype, key.device) != (self._memory.dtype, self._memory.device):
            raise ValueError(
                f"key and value have type {dtype} on {key.device}, "
                f"but the cache holds {self._memory.dtype} on {self._memory.device}"
            )
        if end > self.capacity:
            self.capacity = max(end, 2 * self.capacity)
            if self.max_length is not None:
                self.capacity = min(self.capacity, self.max_length)
            grown = self._memory.new_empty(batch, 2 * heads, self.capacity, features)
            grown[:, :, : self.length] = self._memory[:, :, : self.length]
            self._memory = grown


class DecoderCache:
    """The caches of all layers of a decoder, and which stored positions are real tokens.

    layers: one `KeyValueCache` a layer for self-attention; cross: one a layer for cross-attention, filled
    once.
    length: positions stored. padding: boolean (B, length), True at real tokens; None as long as all are.
    """

    def __init__(self, num_layers: int, capacity: int = 256, max_length: int | None = None):
        check_whole("num_layers", num_layers)
        self.layers = [KeyValueCache(capacity, max_length) for _ in range(num_layers)]
        self.cross = [KeyValueCache(1) for _ in range(num_layers)]
        self.padding: torch.Tensor | None = None

    @property
    def length(self) -> int:
        return self.layers[0].length

    def with_padding(
        self, padding: torch.Tensor | None, batch: int, num_new: int, device
    ) -> torch.Tensor | None:
        """Say which positions are real, those stored and num_new new ones: (B, length + num_new), or None.

        padding: boolean (B, num_new) for the new ones. A decoder keeps the answer in `padding` once all its
        layers have stored the new positions.
        """
        if padding is None and self.padding is None:
            return None
        earlier = self.padding
        if earlier is None:
            earlier = torch.ones(batch, self.length, dtype=torch.bool, device=device)
        if padding is None:
            padding = torch.ones(batch, num_new, dtype=torch.bool, device=device)
        return torch.cat([earlier, padding], dim=1)
