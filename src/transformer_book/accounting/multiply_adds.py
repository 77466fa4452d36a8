"""Multiply-adds of a forward pass: by formula, and counted from the operations that really ran.

What counts: products with weights, the output layer, and full N x N attention, whether or not a causal mask
hides half of it. What does not: biases, norms, activations, softmax.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from transformer_book.accounting.parameters import attention_parameters, mlp_parameters
from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_whole
from transformer_book.models import (
    DecoderConfig,
    EncoderConfig,
    EncoderDecoderConfig,
    TransformerConfig,
    VisionConfig,
)


@dataclass(frozen=True)
class MultiplyAdds:
    """Multiply-adds of one text or image.

    maps: products with the layers' weights. attention: scores and mixing. output: the output layer, other
    heads, and a Vision Transformer's map of patches. tokens: positions that share them; per_token: an even
    share, exact.
    """

    maps: int
    attention: int
    output: int
    tokens: int

    @property
    def total(self) -> int:
        return self.maps + self.attention + self.output

    @property
    def per_token(self) -> int | Fraction:
        share = Fraction(self.total, self.tokens)
        return share.numerator if share.denominator == 1 else share


def multiply_adds(
    config: TransformerConfig, length: int | None = None, *, target_length: int | None = None
) -> MultiplyAdds:
    """Multiply-adds by formula for one text of `length` tokens; a Vision Transformer's length is its own.

    An encoder-decoder needs target_length too, and shares over the target's tokens. Raises TypeError for
    another kind of config, ValueError for a length that is not a whole number, or a target's where there is
    none.
    """
    if not isinstance(config, TransformerConfig):
        raise TypeError(must_be("config", "the config of a model", f"a {type(config).__name__}"))
    if isinstance(config, VisionConfig):
        return _vision(config)
    check_whole("length", length)
    if isinstance(config, EncoderDecoderConfig):
        check_whole("target_length", target_length)
        return _encoder_decoder(config, length, target_length)
    if target_length is not None:
        raise ValueError(must_be("target_length", f"None for a {type(config).__name__}", target_length))
    maps = config.num_layers * length * _layer_weights(config)
    attention = config.num_layers * _scores_and_mixing(config, length, length)
    return MultiplyAdds(maps, attention, _output(config, length), length)


def count_multiply_adds(model: nn.Module | Callable, *args, **kwargs) -> int:
    """Run model(*args, **kwargs) and count the multiply-adds of every matrix product in it.

    A dispatch mode sees each product as torch runs it, fused attention included; on the `meta` device nothing
    is computed, so that GPT-3 can be counted too. `F.linear` on a strided weight and batched products count
    alike.
    """
    counter = FlopCounterMode(display=False, custom_mapping=_CPU_FLASH)
    with counter, torch.no_grad():
        model(*args, **kwargs)
    flops = counter.get_total_flops()
    return flops // 2  # the counter calls a multiplication and an addition two operations


def _flash_flops(query, key, value, *args, **kwargs):
    """Scores and mixing of the CPU's flash kernel, which torch's counter does not know."""
    batch, heads, queries, features = query
    keys, out = value[-2], value[-1]
    return 2 * batch * heads * queries * keys * (features + out)


_CPU_FLASH = {torch.ops.aten._scaled_dot_product_flash_attention_for_cpu: _flash_flops}


def _layer_weights(config):
    attention = attention_parameters(config) - config.attention_bias * _attention_biases(config)
    if config.mlp == "none":
        return attention
    units, gates = config.size_of_mlp, config.mlp == "swiglu"
    mlp = mlp_parameters(config) - config.mlp_bias * (units * (1 + gates) + config.dim)
    return attention + mlp


def _attention_biases(config):
    return (config.num_heads + 2 * config.kv_heads) * config.size_of_head + config.dim


def _scores_and_mixing(config, num_queries, num_keys):
    return 2 * num_queries * num_keys * config.num_heads * config.size_of_head


def _output(config, length):
    if isinstance(config, DecoderConfig):
        return length * config.dim * config.vocabulary_size
    output = 0
    if isinstance(config, EncoderConfig):
        output += config.pooler * config.dim**2
        output += config.masked_lm_head * length * (config.dim**2 + config.dim * config.vocabulary_size)
    return output


def _encoder_decoder(config, length, target_length):
    dim = config.dim
    heads = config.num_heads * config.size_of_head
    keys = config.kv_heads * config.size_of_head
    cross = target_length * 2 * dim * heads + length * 2 * dim * keys
    maps = config.num_layers * ((length + target_length) * _layer_weights(config) + cross)
    attention = config.num_layers * (
        _scores_and_mixing(config, length, length)
        + _scores_and_mixing(config, target_length, target_length)
        + _scores_and_mixing(config, target_length, length)
    )
    vocabulary = config.target_vocabulary_size or config.vocabulary_size
    return MultiplyAdds(maps, attention, target_length * dim * vocabulary, target_length)


def _vision(config):
    tokens = 1 + config.num_patches
    return MultiplyAdds(
        config.num_layers * tokens * _layer_weights(config),
        config.num_layers * _scores_and_mixing(config, tokens, tokens),
        config.num_patches * config.patch_dim * config.dim + config.dim * config.num_classes,
        tokens,
    )
