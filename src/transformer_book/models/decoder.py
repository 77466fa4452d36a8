"""The decoder: a stack of causal layers that predicts the next token at every position (section 8)."""

from contextlib import nullcontext
from dataclasses import dataclass

import torch
from torch import nn

from transformer_book.attention import AttentionResult, DecoderCache
from transformer_book.attention.masks import for_every_query
from transformer_book.checks.numbers import check_choice
from transformer_book.layers import TransformerLayer, make_norm
from transformer_book.models.config import DecoderConfig
from transformer_book.models.embedding import Embedding, count_positions
from transformer_book.models.initialise import initialise
from transformer_book.models.model_checks import (
    LOGITS_AT,
    check_cache,
    check_config,
    check_length,
    check_text,
)
from transformer_book.models.output import logits_where
from transformer_book.models.stack import new_cache, run_layers


@dataclass(frozen=True)
class DecoderOutput:
    """What a decoder returns.

    logits: (B, N, V), (B, 1, V) or None, as asked. final: (B, N, D) after the last norm.
    hidden: num_layers + 1 tensors (B, N, D), the embedding first. attention: one `AttentionResult` per layer.
    """

    logits: torch.Tensor | None
    final: torch.Tensor
    hidden: tuple[torch.Tensor, ...] | None = None
    attention: tuple[AttentionResult, ...] | None = None


class Decoder(nn.Module):
    """A decoder-only Transformer: GPT-2's form (Radford et al., 2019) or Llama's (Touvron et al., 2023).

    Parameters: embedding.tokens, embedding.positions, layers.i.{attention_norm, attention.{query, key, value,
    output}, mlp_norm, mlp.{gate, expand, contract}}, final_norm, and output unless it is tied to
    embedding.tokens. Raises TypeError for another config than a `DecoderConfig`.
    """

    def __init__(self, config: DecoderConfig):
        super().__init__()
        check_config(config, DecoderConfig)
        self.config = config
        self.embedding = Embedding(config, config.vocabulary_size)
        self.layers = nn.ModuleList(
            TransformerLayer(causal=True, **config.layer_options()) for _ in range(config.num_layers)
        )
        pre = config.norm_placement == "pre"
        self.final_norm = make_norm(config.norm, config.dim, config.norm_epsilon) if pre else nn.Identity()
        self.output = None if config.tie_output else nn.Linear(config.dim, config.vocabulary_size, bias=False)
        initialise(self, config.num_layers)

    @property
    def output_weight(self) -> torch.Tensor:
        """The output layer's weights (V, D): those of the token embedding when tied."""
        return self.embedding.tokens.weight if self.output is None else self.output.weight

    def new_cache(self, capacity: int | None = None) -> DecoderCache:
        """An empty key-value cache for this model; it grows up to context_length."""
        return new_cache(self.config, capacity)

    def forward(
        self,
        tokens: torch.Tensor,
        *,
        padding: torch.Tensor | None = None,
        cache: DecoderCache | None = None,
        logits_at: str = "all",
        return_hidden: bool = False,
        return_weights: bool | int | list[int] = False,
    ) -> DecoderOutput:
        """Predict the token after each of tokens (B, N).

        padding: boolean (B, N), True at real tokens; positions count real tokens alone, so padding may stand
        on the left.
        cache: earlier positions, extended by these; call inside torch.no_grad(). logits_at: "all", "last" or
        "none".
        return_weights: True, a head's number or a list of them. Raises ValueError past context_length and for
        input that does not fit; the cache then stays as it was.
        """
        config, device = self.config, self.output_weight.device
        check_text(tokens, padding, device)
        check_choice("logits_at", logits_at, LOGITS_AT)
        check_cache(cache, self, config.num_layers, len(tokens))
        earlier = 0 if cache is None else cache.length
        num_keys = earlier + tokens.shape[1]
        check_length(num_keys, config.context_length)
        if cache is not None:
            padding = cache.with_padding(padding, *tokens.shape, device)
        positions = count_positions(padding, num_keys, device)  # (M,) or (B, M)
        with nullcontext() if cache is None else cache.extended_by(self, padding):
            x = self.embedding(tokens, positions[..., earlier:])  # (B, N, D)
            stack = run_layers(
                self.layers,
                x,
                mask=self._mask(padding, positions, earlier),
                cache=cache,
                rotary=self.embedding.rotary(positions[..., earlier:], x.dtype),
                return_hidden=return_hidden,
                return_weights=return_weights,
            )
            final = self.final_norm(stack.output)
            logits = logits_where(final, self.output_weight, logits_at)
        return DecoderOutput(logits, final, stack.hidden, stack.attention)

    def _mask(self, padding, positions, earlier):
        """Padding and window; the causal mask is the attention's own."""
        mask = for_every_query(padding)  # (B, 1, 1, M)
        if self.config.window is None:
            return mask
        # By positions, not by columns: padding between real tokens takes no place in the window.
        distance = positions[..., earlier:, None] - positions[..., None, :]  # (N, M) or (B, N, M)
        near = distance < self.config.window
        return near if mask is None else mask & near[:, None]
