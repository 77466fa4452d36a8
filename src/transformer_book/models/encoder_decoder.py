"""The encoder-decoder of 2017: a decoder whose every layer also reads the encoder's output (section 8)."""

from contextlib import nullcontext
from dataclasses import dataclass

import torch
from torch import nn

from transformer_book.attention import AttentionResult, DecoderCache
from transformer_book.attention.masks import for_every_query
from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_choice
from transformer_book.layers import TransformerLayer, make_norm
from transformer_book.models.config import EncoderDecoderConfig
from transformer_book.models.decoder import DecoderOutput
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
class EncoderDecoderOutput:
    """What an encoder-decoder returns.

    logits: (B, N, V), (B, 1, V) or None, as asked. final: (B, N, D), what they are made from. memory:
    (B, M, D) from the encoder. hidden: num_layers + 1 tensors (B, N, D) of the decoder, the embedding first.
    encoder_attention, attention, cross_attention: one `AttentionResult` per layer.
    """

    logits: torch.Tensor | None
    final: torch.Tensor
    memory: torch.Tensor
    hidden: tuple[torch.Tensor, ...] | None = None
    encoder_attention: tuple[AttentionResult, ...] | None = None
    attention: tuple[AttentionResult, ...] | None = None
    cross_attention: tuple[AttentionResult, ...] | None = None


class EncoderDecoder(nn.Module):
    """An encoder and a decoder joined by cross-attention (Vaswani et al., 2017).

    Parameters: embedding.tokens shared by source, target and output unless the config gives the target its
    own vocabulary (then target_embedding.tokens); encoder_layers.i, decoder_layers.i (with
    cross_attention_norm and cross_attention); encoder_norm and decoder_norm for pre-norm.
    Raises TypeError for another config than an `EncoderDecoderConfig`.
    """

    def __init__(self, config: EncoderDecoderConfig):
        super().__init__()
        check_config(config, EncoderDecoderConfig)
        self.config = config
        self.embedding = Embedding(config, config.vocabulary_size)
        own = config.target_vocabulary_size
        self.target_embedding = None if own is None else Embedding(config, own)
        options = config.layer_options()
        self.encoder_layers = nn.ModuleList(TransformerLayer(**options) for _ in range(config.num_layers))
        self.decoder_layers = nn.ModuleList(
            TransformerLayer(causal=True, cross_attention=True, **options) for _ in range(config.num_layers)
        )
        pre = config.norm_placement == "pre"
        self.encoder_norm = make_norm(config.norm, config.dim, config.norm_epsilon) if pre else nn.Identity()
        self.decoder_norm = make_norm(config.norm, config.dim, config.norm_epsilon) if pre else nn.Identity()
        initialise(self, config.num_layers)

    @property
    def _target(self) -> Embedding:
        return self.embedding if self.target_embedding is None else self.target_embedding

    @property
    def output_weight(self) -> torch.Tensor:
        """The output layer's weights (V, D): the target embedding's."""
        return self._target.tokens.weight

    def new_cache(self, capacity: int | None = None) -> DecoderCache:
        """An empty cache for the decoder half; it grows up to context_length."""
        return new_cache(self.config, capacity)

    def forward(
        self,
        source: torch.Tensor,
        target: torch.Tensor,
        *,
        source_padding: torch.Tensor | None = None,
        target_padding: torch.Tensor | None = None,
        logits_at: str = "all",
        return_hidden: bool = False,
        return_weights: bool | int | list[int] = False,
    ) -> EncoderDecoderOutput:
        """Predict the token after each of target (B, N), given source (B, M).

        source_padding (B, M), target_padding (B, N): boolean, True at real tokens. The options are
        those of `Decoder.forward`.
        """
        self._check_source(source, source_padding)
        check_text(target, target_padding, source.device, "target")
        check_batch(target, len(source), "target")
        check_length(target.shape[1], self.config.context_length, "target")
        check_choice("logits_at", logits_at, LOGITS_AT)
        encoded = self._encode(source, source_padding, return_weights)
        memory = self.encoder_norm(encoded.output)
        shown = {"return_hidden": return_hidden, "return_weights": return_weights}
        final, stack = self._decode(target, target_padding, memory, source_padding, **shown)
        logits = logits_where(final, self.output_weight, logits_at)
        return EncoderDecoderOutput(
            logits, final, memory, stack.hidden, encoded.attention, stack.attention, stack.cross_attention
        )

    def encode(self, source: torch.Tensor, *, source_padding: torch.Tensor | None = None) -> torch.Tensor:
        """Encode source (B, M) into memory (B, M, D); errors as in a call."""
        self._check_source(source, source_padding)
        return self.encoder_norm(self._encode(source, source_padding, False).output)

    def condition(
        self, source: torch.Tensor, *, source_padding: torch.Tensor | None = None
    ) -> "ConditionedDecoder":
        """Encode source (B, M) once; return a decoder of its targets, which `generation.generate` takes.

        Raises ValueError while the model drops units out: its memory would stay without them.
        """
        if self.training and self.config.dropout:
            raise ValueError(must_be("the model", "in evaluation mode: call model.eval()", "dropout"))
        return ConditionedDecoder(self, self.encode(source, source_padding=source_padding), source_padding)

    def _check_source(self, source, source_padding):
        check_text(source, source_padding, self.output_weight.device, "source")
        check_length(source.shape[1], self.config.context_length, "source")

    def _encode(self, source, source_padding, return_weights):
        positions = torch.arange(source.shape[1], device=source.device)
        x = self.embedding(source, positions)  # (B, M, D)
        return run_layers(
            self.encoder_layers,
            x,
            mask=for_every_query(source_padding),
            rotary=self.embedding.rotary(positions, x.dtype),
            return_weights=return_weights,
        )

    def _decode(self, target, padding, memory, source_padding, cache=None, **shown):
        """final (B, N, D) and the stack's result; padding is of the cached positions and the target's."""
        earlier = 0 if cache is None else cache.length
        positions = count_positions(padding, earlier + target.shape[1], target.device)[..., earlier:]
        x = self._target(target, positions)  # (B, N, D)
        stack = run_layers(
            self.decoder_layers,
            x,
            cache=cache,
            mask=for_every_query(padding),
            context=memory,
            context_mask=for_every_query(source_padding),
            rotary=self._target.rotary(positions, x.dtype),
            **shown,
        )
        return self.decoder_norm(stack.output), stack


class ConditionedDecoder:
    """The decoder half, its source encoded already; it is called like a `Decoder`.

    memory: the source encoded, (B, M, D). source_padding: boolean (B, M), True at real tokens, or None.
    """

    def __init__(self, model: EncoderDecoder, memory: torch.Tensor, source_padding: torch.Tensor | None):
        self.model, self.memory, self.source_padding = model, memory, source_padding
        self.config = model.config

    @property
    def training(self) -> bool:
        """Whether the model would drop units out."""
        return self.model.training

    def new_cache(self, capacity: int | None = None) -> DecoderCache:
        """An empty key-value cache, as `EncoderDecoder.new_cache` makes it."""
        return self.model.new_cache(capacity)

    def __call__(
        self,
        tokens: torch.Tensor,
        *,
        padding: torch.Tensor | None = None,
        cache: DecoderCache | None = None,
        logits_at: str = "all",
        return_hidden: bool = False,
        return_weights: bool | int | list[int] = False,
    ) -> DecoderOutput:
        """Predict the token after each of tokens (B, N), as `Decoder.forward` does."""
        check_text(tokens, padding, self.memory.device)
        check_choice("logits_at", logits_at, LOGITS_AT)
        check_cache(cache, self, self.config.num_layers, len(tokens))
        memory, source_padding, earlier = self.memory, self.source_padding, 0
        if cache is not None and cache.length:
            # Its texts may be reordered, and more or fewer than the sources; its cross keys stand for memory.
            memory = memory[:1].expand(len(tokens), -1, -1)
            source_padding, earlier = cache.source_padding, cache.length
        else:
            check_batch(tokens, len(memory), "tokens")
        check_length(earlier + tokens.shape[1], self.config.context_length)
        if cache is not None:
            padding = cache.with_padding(padding, *tokens.shape, tokens.device)
        shown = {"return_hidden": return_hidden, "return_weights": return_weights}
        with nullcontext() if cache is None else cache.extended_by(self, padding, source_padding):
            final, stack = self.model._decode(tokens, padding, memory, source_padding, cache, **shown)
            logits = logits_where(final, self.model.output_weight, logits_at)
        return DecoderOutput(logits, final, stack.hidden, stack.attention)


def check_batch(target, num_sources, name):
    """Raise ValueError unless there are as many targets as sources."""
    if len(target) != num_sources:
        raise ValueError(must_be(name, f"{num_sources} texts, one for each source", len(target)))
