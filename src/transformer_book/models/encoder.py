"""The encoder: every position sees every other one, and its vector sums up that context (section 8)."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from transformer_book.attention import AttentionResult
from transformer_book.attention.masks import for_every_query
from transformer_book.checks.messages import must_be
from transformer_book.checks.tensors import check_device, check_kind, shapes
from transformer_book.layers import TransformerLayer, make_norm
from transformer_book.models.config import EncoderConfig
from transformer_book.models.embedding import Embedding
from transformer_book.models.initialise import initialise
from transformer_book.models.model_checks import check_config, check_length, check_text
from transformer_book.models.output import vocabulary_logits
from transformer_book.models.stack import run_layers


@dataclass(frozen=True)
class EncoderOutput:
    """What an encoder returns: final (B, N, D), and on request the rest.

    pooled (B, D) and logits (B, N, V) come from heads that the config may leave out.
    """

    final: torch.Tensor
    pooled: torch.Tensor | None = None
    logits: torch.Tensor | None = None
    hidden: tuple[torch.Tensor, ...] | None = None
    attention: tuple[AttentionResult, ...] | None = None


class MaskedLanguageModelHead(nn.Module):
    """BERT's prediction of masked tokens: a map, GELU, a norm, then the tied embedding and biases."""

    def __init__(self, config: EncoderConfig):
        super().__init__()
        self.transform = nn.Linear(config.dim, config.dim)
        self.norm = nn.LayerNorm(config.dim, eps=config.norm_epsilon)
        self.bias = nn.Parameter(torch.zeros(config.vocabulary_size))

    def forward(self, final: torch.Tensor, embedding_weight: torch.Tensor) -> torch.Tensor:
        """Score every token of the vocabulary at every position: (B, N, D) to (B, N, V)."""
        return vocabulary_logits(self.norm(F.gelu(self.transform(final))), embedding_weight) + self.bias


class Encoder(nn.Module):
    """An encoder-only Transformer in the form of BERT (Devlin et al., 2019).

    Parameters: embedding.{tokens, positions, token_types, norm}, layers.i (as in `Decoder`), final_norm for
    pre-norm, pooler, masked_lm_head.{transform, norm, bias}. Raises TypeError for another config than an
    `EncoderConfig`.
    """

    def __init__(self, config: EncoderConfig):
        super().__init__()
        check_config(config, EncoderConfig)
        self.config = config
        self.embedding = Embedding(
            config, config.vocabulary_size, token_types=config.token_types, with_norm=config.embedding_norm
        )
        self.layers = nn.ModuleList(
            TransformerLayer(**config.layer_options()) for _ in range(config.num_layers)
        )
        pre = config.norm_placement == "pre"
        self.final_norm = make_norm(config.norm, config.dim, config.norm_epsilon) if pre else nn.Identity()
        self.pooler = nn.Linear(config.dim, config.dim) if config.pooler else None
        self.masked_lm_head = MaskedLanguageModelHead(config) if config.masked_lm_head else None
        initialise(self, config.num_layers)

    @property
    def output_weight(self) -> torch.Tensor:
        """The masked-language-model head's weights (V, D): the token embedding's."""
        return self.embedding.tokens.weight

    def forward(
        self,
        tokens: torch.Tensor,
        *,
        token_types: torch.Tensor | None = None,
        padding: torch.Tensor | None = None,
        return_hidden: bool = False,
        return_weights: bool | int | list[int] = False,
    ) -> EncoderOutput:
        """Encode tokens (B, N); token_types (B, N) number the sentences, zeros unless given.

        padding: boolean (B, N), True at real tokens. Raises ValueError past context_length and for input that
        does not fit.
        """
        device = self.output_weight.device
        check_text(tokens, padding, device)
        if token_types is not None:
            if not self.config.token_types:
                raise ValueError(must_be("token_types", "None: the config has none", "a tensor"))
            shapes(tokens=(tokens, "B N"), token_types=(token_types, "B N"))
            check_kind("token_types", token_types, "int64 or int32")
            check_device("token_types", token_types, device, "the model")
        check_length(tokens.shape[1], self.config.context_length)
        positions = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.embedding(tokens, positions, token_types)  # (B, N, D)
        stack = run_layers(
            self.layers,
            x,
            mask=for_every_query(padding),
            rotary=self.embedding.rotary(positions, x.dtype),
            return_hidden=return_hidden,
            return_weights=return_weights,
        )
        final = self.final_norm(stack.output)
        return EncoderOutput(
            final,
            None if self.pooler is None else torch.tanh(self.pooler(final[:, 0])),
            None if self.masked_lm_head is None else self.masked_lm_head(final, self.output_weight),
            stack.hidden,
            stack.attention,
        )
