"""Layers one after the other, and what can be seen on the way."""

from dataclasses import dataclass

import torch
from torch import nn

from transformer_book.attention import AttentionResult, DecoderCache


@dataclass(frozen=True)
class StackResult:
    """The last layer's output; on request what each layer gave out (embedding first) and attended to."""

    output: torch.Tensor
    hidden: tuple[torch.Tensor, ...] | None
    attention: tuple[AttentionResult, ...] | None
    cross_attention: tuple[AttentionResult, ...] | None


def new_cache(config, capacity: int | None = None) -> DecoderCache:
    """An empty key-value cache of a decoder; it grows up to the config's context_length.

    capacity: positions allocated first, 256 unless given. Raises ValueError for a capacity below 1.
    """
    longest = config.context_length
    return DecoderCache(config.num_layers, 256 if capacity is None else capacity, longest)


def run_layers(
    layers: nn.ModuleList,
    x: torch.Tensor,
    *,
    cache: DecoderCache | None = None,
    return_hidden: bool = False,
    return_weights: bool | int | list[int] = False,
    **options,
) -> StackResult:
    """Send x (B, N, D) through the layers; options go to each layer."""
    hidden, attention, cross = [x], [], []
    for number, layer in enumerate(layers):
        if cache is not None:
            options["cache"] = cache.layers[number]
            if layer.cross_attention is not None:
                options["context_cache"] = cache.cross[number]
        result = layer(x, return_weights=return_weights, **options)
        x = result.output
        if return_hidden:
            hidden.append(x)
        attention.append(result.attention)
        cross.append(result.cross_attention)
    looked = return_weights is not False and return_weights is not None
    return StackResult(
        x,
        tuple(hidden) if return_hidden else None,
        tuple(attention) if looked else None,
        tuple(cross) if looked and cross[0] is not None else None,
    )
