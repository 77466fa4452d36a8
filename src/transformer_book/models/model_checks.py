"""The door of the models: configs, tokens, masks and caches are checked before anything is computed."""

import torch

from transformer_book.attention import DecoderCache
from transformer_book.checks.numbers import check_choice
from transformer_book.checks.tensors import check_tensor

LOGITS_AT = ("all", "last", "none")


def check_config(config, kind: type):
    """Raise TypeError unless the config is one of its model's kind."""
    if not isinstance(config, kind):
        raise TypeError(f"config is a {type(config).__name__}, expected {kind.__name__}")


def check_tokens(tokens: torch.Tensor, weight: torch.Tensor, name: str = "tokens"):
    """Raise unless tokens are a tensor (TypeError) of integers (B, N), N ≥ 1, beside the model (ValueError).

    weight: of the token embedding, which tells the model's device.
    """
    check_tensor(name, tokens, "(batch, tokens)")
    if tokens.ndim != 2 or tokens.dtype not in (torch.int64, torch.int32) or tokens.shape[1] == 0:
        raise ValueError(
            f"{name} has shape {tuple(tokens.shape)} and type {tokens.dtype}, "
            "expected integers (int64 or int32) of shape (batch, at least 1 token)"
        )
    if tokens.device != weight.device:
        raise ValueError(f"{name} is on {tokens.device}, but the model is on {weight.device}")


def check_padding(padding: torch.Tensor | None, tokens: torch.Tensor, name: str = "padding"):
    """Raise unless padding is None or booleans of the tokens' shape and device, True at real tokens."""
    if padding is None:
        return
    check_tensor(name, padding, "of booleans (batch, tokens)")
    if padding.shape != tokens.shape or padding.dtype != torch.bool:
        raise ValueError(
            f"{name} has shape {tuple(padding.shape)} and type {padding.dtype}, "
            f"expected bool {tuple(tokens.shape)}, True at real tokens"
        )
    if padding.device != tokens.device:
        raise ValueError(f"{name} is on {padding.device}, but the tokens are on {tokens.device}")


def check_cache(cache: DecoderCache | None, num_layers: int, tokens: torch.Tensor):
    """Raise unless cache is None or a `DecoderCache` of this many layers that holds as many texts."""
    if cache is None:
        return
    if not isinstance(cache, DecoderCache):
        raise TypeError(
            f"cache is a {type(cache).__name__}, expected a DecoderCache, as new_cache() makes it"
        )
    if len(cache.layers) != num_layers:
        raise ValueError(f"cache has {len(cache.layers)} layers, but the model has {num_layers}")
    stored = cache.layers[0].num_texts
    if stored is not None and stored != len(tokens):
        raise ValueError(f"tokens has {len(tokens)} texts, but the cache holds {stored}")


def check_length(length: int, config):
    """Raise ValueError when a text of this many tokens passes context_length."""
    if length > config.context_length:
        raise ValueError(f"the text has {length} tokens, but context_length is {config.context_length}")


def check_logits_at(logits_at: str):
    """Raise ValueError unless logits are asked for at "all" positions, at the "last" or at "none"."""
    check_choice("logits_at", logits_at, LOGITS_AT)
