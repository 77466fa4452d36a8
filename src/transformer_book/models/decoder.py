"""The decoder: a stack of causal layers that predicts the next token at every position (section 8)."""

from dataclasses import dataclass

import torch
from torch import nn

from transformer_book.attention import (
    AttentionResult,
    DecoderCache,
    combine_masks,
    padding_mask,
    sliding_window_mask,
)
from transformer_book.layers import TransformerLayer, make_norm
from transformer_book.models.config import DecoderConfig
from transformer_book.models.embedding import Embedding, count_positions
from transformer_book.models.initialise import initialise
from transformer_book.models.model_checks import (
    check_cache,
    check_config,
    check_length,
    check_logits_at,
    check_padding,
    check_tokens,
)
from transformer_book.models.output import logits_where
from transformer_book.models.stack import new_cache, run_layers


@dataclass(frozen=True)
class DecoderOutput:
    """What a decoder returns.

    logits: (B, N, V), (B, 1, V) or None, as asked. final: (B, N, D) after the last norm.
    hidden: num_layers + 1 tensors (B, N, D), the embedding first. attention: one `AttentionResult` a layer.
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
        output_weight = self.output_weight
        check_tokens(tokens, output_weight)
        check_padding(padding, tokens)
        check_logits_at(logits_at)
        check_cache(cache, len(self.layers), tokens)
        earlier = 0 if cache is None else cache.length
        check_length(earlier + tokens.shape[1], self.config)
        batch, num_new = tokens.shape
        padding = padding if cache is None else cache.with_padding(padding, batch, num_new, tokens.device)
        positions = count_positions(padding, earlier, num_new, tokens.device)
        x = self.embedding(tokens, positions)  # (B, N, D)
        stack = run_layers(
            self.layers,
            x,
            mask=self._attention_mask(padding, earlier, num_new, tokens.device),
            cache=cache,
            rotary=self.embedding.rotary(positions, x.dtype),
            return_hidden=return_hidden,
            return_weights=return_weights,
        )
        if cache is not None:
            cache.padding = padding
        final = self.final_norm(stack.output)
        logits = logits_where(final, output_weight, logits_at)
        return DecoderOutput(logits, final, stack.hidden, stack.attention)

    def _attention_mask(self, padding, earlier, num_new, device):
        """Padding and window; the causal mask is the attention's own."""
        window = None
        if self.config.window is not None:
            window = sliding_window_mask(num_new, self.config.window, earlier + num_new, device=device)
        return combine_masks(None if padding is None else padding_mask(padding), window)
