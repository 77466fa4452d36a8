"""The encoder-decoder of 2017: a decoder whose every layer also reads the encoder's output (section 8)."""

from dataclasses import dataclass

import torch
from torch import nn

from transformer_book.attention import AttentionResult, DecoderCache, padding_mask
from transformer_book.layers import TransformerLayer, make_norm
from transformer_book.models.config import EncoderDecoderConfig
from transformer_book.models.decoder import DecoderOutput
from transformer_book.models.embedding import Embedding, check_mask, check_tokens, count_positions
from transformer_book.models.initialise import initialise
from transformer_book.models.output import vocabulary_logits
from transformer_book.models.stack import run_layers


@dataclass(frozen=True)
class EncoderDecoderOutput:
    """logits (B, N, V) of the target; memory (B, M, D) from the encoder; attention on request."""

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
    """

    def __init__(self, config: EncoderDecoderConfig):
        super().__init__()
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
        longest = self.config.context_length
        return DecoderCache(self.config.num_layers, min(capacity or 256, longest), longest)

    def forward(
        self,
        source: torch.Tensor,
        target: torch.Tensor,
        *,
        source_mask: torch.Tensor | None = None,
        target_mask: torch.Tensor | None = None,
        logits_at: str = "all",
        return_hidden: bool = False,
        return_weights: bool | int | list[int] = False,
    ) -> EncoderDecoderOutput:
        """Predict the token after each of target (B, N), given source (B, M).

        Masks are boolean, True at real tokens. The options are those of `Decoder.forward`.
        """
        encoded = self._encode(source, source_mask, return_weights)
        memory = self.encoder_norm(encoded.output)
        final, stack = self._decode(
            target,
            memory,
            memory_mask=source_mask,
            mask=target_mask,
            return_hidden=return_hidden,
            return_weights=return_weights,
        )
        logits = self._logits(final, logits_at)
        return EncoderDecoderOutput(
            logits, final, memory, stack.hidden, encoded.attention, stack.attention, stack.cross_attention
        )

    def encode(self, source: torch.Tensor, *, mask: torch.Tensor | None = None) -> torch.Tensor:
        """Encode source (B, M) into memory (B, M, D)."""
        return self.encoder_norm(self._encode(source, mask, False).output)

    def condition(self, source: torch.Tensor, *, mask: torch.Tensor | None = None) -> "ConditionedDecoder":
        """Encode source (B, M) once; return a decoder of its targets, which `generation.generate` takes."""
        return ConditionedDecoder(self, self.encode(source, mask=mask), mask)

    def _encode(self, source, mask, return_weights):
        check_tokens(source, "source")
        check_mask(mask, source, "source_mask")
        positions = torch.arange(source.shape[1], device=source.device)
        self._check_length(source.shape[1])
        x = self.embedding(source, positions)  # (B, M, D)
        return run_layers(
            self.encoder_layers,
            x,
            mask=None if mask is None else padding_mask(mask),
            rotation=self.embedding.rotation(positions, x.dtype),
            return_weights=return_weights,
        )

    def _decode(self, target, memory, *, memory_mask, mask, cache=None, **options):
        check_tokens(target, "target")
        check_mask(mask, target, "target_mask")
        earlier = 0 if cache is None else cache.length
        self._check_length(earlier + target.shape[1])
        real = mask
        if cache is not None:
            real = cache.note_padding(mask, *target.shape, target.device)
        positions = count_positions(real, earlier, target.shape[1], target.device)
        x = self._target(target, positions)  # (B, N, D)
        stack = run_layers(
            self.decoder_layers,
            x,
            cache=cache,
            mask=None if real is None else padding_mask(real),
            context=memory,
            context_mask=None if memory_mask is None else padding_mask(memory_mask),
            rotation=self._target.rotation(positions, x.dtype),
            **options,
        )
        return self.decoder_norm(stack.output), stack

    def _logits(self, final, logits_at):
        if logits_at not in ("all", "last", "none"):
            raise ValueError(f"logits_at is {logits_at!r}, expected all, last or none")
        if logits_at == "none":
            return None
        return vocabulary_logits(final if logits_at == "all" else final[:, -1:], self.output_weight)

    def _check_length(self, length):
        if length > self.config.context_length:
            raise ValueError(
                f"the text has {length} tokens, but context_length is {self.config.context_length}"
            )


class ConditionedDecoder:
    """The decoder half, its source encoded already; it is called like a `Decoder`."""

    def __init__(self, model: EncoderDecoder, memory: torch.Tensor, memory_mask: torch.Tensor | None):
        self.model, self.memory, self.memory_mask = model, memory, memory_mask
        self.config = model.config

    @property
    def training(self) -> bool:
        return self.model.training

    def new_cache(self, capacity: int | None = None) -> DecoderCache:
        return self.model.new_cache(capacity)

    def __call__(
        self, tokens, *, mask=None, cache=None, logits_at="all", return_hidden=False, return_weights=False
    ) -> DecoderOutput:
        """Predict the token after each of tokens (B, N), as `Decoder.forward` does."""
        final, stack = self.model._decode(
            tokens,
            self.memory,
            memory_mask=self.memory_mask,
            mask=mask,
            cache=cache,
            return_hidden=return_hidden,
            return_weights=return_weights,
        )
        return DecoderOutput(self.model._logits(final, logits_at), final, stack.hidden, stack.attention)
