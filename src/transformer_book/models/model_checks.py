"""What the models ask of their arguments: configs, tokens with their padding, lengths and caches."""

import torch

from transformer_book.attention import DecoderCache
from transformer_book.checks.messages import must_be
from transformer_book.checks.tensors import check_device, check_kind, shapes

LOGITS_AT = ("all", "last", "none")


def check_config(config, kind: type):
    """Raise TypeError unless the config is one of its model's kind."""
    if not isinstance(config, kind):
        raise TypeError(must_be("config", f"a {kind.__name__}", f"a {type(config).__name__}"))


def check_text(tokens, padding, device: torch.device, name: str = "tokens"):
    """Raise unless tokens are integers (B, N), N ≥ 1, and padding None or booleans (B, N), on the device.

    name: of the tokens' argument, such as "source", whose padding is source_padding. Raises TypeError for an
    argument that is not a tensor, else ValueError.
    """
    padding_name = f"{name}_padding" if name in ("source", "target") else "padding"
    sizes = shapes(**{name: (tokens, "B N"), padding_name: (padding, "B N")})
    check_kind(name, tokens, "int64 or int32")
    check_device(name, tokens, device, "the model")
    if not sizes["N"]:
        raise ValueError(must_be(name, "of at least 1 token", f"shape {tuple(tokens.shape)}"))
    if padding is not None:
        check_kind(padding_name, padding, "bool")
        check_device(padding_name, padding, device, "the model")


def check_length(length: int, longest: int, name: str = "tokens"):
    """Raise ValueError when a text with this many tokens, those in a cache too, passes context_length."""
    if length > longest:
        raise ValueError(must_be(name, f"within context_length = {longest}", f"{length} in all"))


def check_cache(cache: DecoderCache | None, decoder, num_layers: int, num_texts: int):
    """Raise unless cache is None or a `DecoderCache` that this decoder can extend by as many texts."""
    if cache is None:
        return
    if not isinstance(cache, DecoderCache):
        raise TypeError(must_be("cache", "a DecoderCache from new_cache()", f"a {type(cache).__name__}"))
    if len(cache.layers) != num_layers:
        raise ValueError(must_be("cache", f"of {num_layers} layers like the model", len(cache.layers)))
    if not cache.belongs_to(decoder):
        wanted = "empty, or filled by this very decoder (for the same source)"
        raise ValueError(must_be("cache", wanted, "one that another has filled"))
    stored = cache.layers[0].num_texts
    if stored not in (None, num_texts):
        raise ValueError(must_be("tokens", f"{stored} texts like the cache", num_texts))
