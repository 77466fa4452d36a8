"""The Transformer layer (12.9): attention between tokens, then an MLP in each, both in residual branches."""

from dataclasses import dataclass

import torch
from torch import nn

from transformer_book.attention import AttentionResult, KeyValueCache, MultiHeadAttention
from transformer_book.attention.attention_checks import check_beside_weights
from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_choice
from transformer_book.checks.tensors import shapes
from transformer_book.layers.mlp import make_mlp
from transformer_book.layers.norms import make_norm
from transformer_book.positions import RotaryAngles

PLACEMENTS = ("pre", "post")


@dataclass(frozen=True)
class LayerResult:
    """What a layer returns: output (B, N, D), and what its attentions returned."""

    output: torch.Tensor
    attention: AttentionResult
    cross_attention: AttentionResult | None = None


class TransformerLayer(nn.Module):
    """One Transformer layer; with cross_attention=True a decoder layer that also reads an encoder's output.

    norm_placement: "pre" normalises at the start of each branch and keeps the residual path an identity
    (12.9); "post" normalises after each addition (Vaswani et al., 2017). norm: "layer" or "rms".
    mlp: "gelu", "gelu_tanh", "relu" or "swiglu"; "none" leaves attention alone. dropout: share of attention
    weights, and of each branch's output, set to 0 in training. The other options are those of
    `MultiHeadAttention`, its errors too.
    """

    def __init__(
        self,
        dim: int,
        num_heads: int,
        *,
        num_kv_heads: int | None = None,
        head_dim: int | None = None,
        mlp_dim: int | None = None,
        mlp: str = "gelu",
        norm: str = "layer",
        norm_placement: str = "pre",
        norm_epsilon: float = 1e-5,
        attention_bias: bool = True,
        mlp_bias: bool = True,
        causal: bool = False,
        cross_attention: bool = False,
        scale: bool | float = True,
        dropout: float = 0.0,
        form: str = "fused",
    ):
        super().__init__()
        check_choice("norm_placement", norm_placement, PLACEMENTS)
        heads = {
            "num_kv_heads": num_kv_heads,
            "head_dim": head_dim,
            "bias": attention_bias,
            "scale": scale,
            "dropout": dropout,
            "form": form,
        }
        self.norm_placement = norm_placement
        self.attention_norm = make_norm(norm, dim, norm_epsilon)
        self.attention = MultiHeadAttention(dim, num_heads, causal=causal, **heads)
        if cross_attention:
            self.cross_attention_norm = make_norm(norm, dim, norm_epsilon)
            self.cross_attention = MultiHeadAttention(dim, num_heads, **heads)
        else:
            self.cross_attention_norm = self.cross_attention = None
        self.mlp = make_mlp(mlp, dim, mlp_dim, bias=mlp_bias)
        self.mlp_norm = None if self.mlp is None else make_norm(norm, dim, norm_epsilon)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        x: torch.Tensor,
        *,
        mask: torch.Tensor | None = None,
        context: torch.Tensor | None = None,
        context_mask: torch.Tensor | None = None,
        cache: KeyValueCache | None = None,
        context_cache: KeyValueCache | None = None,
        rotary: RotaryAngles | None = None,
        return_weights: bool | int | list[int] = False,
    ) -> LayerResult:
        """Map x (B, N, D) to (B, N, D); context (B, M, D) is the encoder's output for cross-attention.

        Raises ValueError as `MultiHeadAttention` does, and when a context is missing, or given to a layer
        that has no cross-attention.
        """
        # The norm comes before attention, which checks the rest.
        shapes({"D": self.attention.query.in_features}, x=(x, "B N D"))
        check_beside_weights("x", x, self.attention.query.weight)
        if (context is None) != (self.cross_attention is None):
            wanted = "None without cross_attention=True" if self.cross_attention is None else "a tensor"
            raise ValueError(must_be("context", wanted, "None" if context is None else "a tensor"))
        pre = self.norm_placement == "pre"
        seen = self.attention(
            self.attention_norm(x) if pre else x,
            mask=mask,
            cache=cache,
            rotary=rotary,
            return_weights=return_weights,
        )
        x = self._add(x, seen.output, self.attention_norm)
        read = None
        if context is not None:
            read = self.cross_attention(
                self.cross_attention_norm(x) if pre else x,
                context,
                mask=context_mask,
                cache=context_cache,
                return_weights=return_weights,
            )
            x = self._add(x, read.output, self.cross_attention_norm)
        if self.mlp is not None:
            x = self._add(x, self.mlp(self.mlp_norm(x) if pre else x), self.mlp_norm)
        return LayerResult(x, seen, read)

    def _add(self, x, branch, norm):
        """The residual connection, with the norm after the addition when it is placed there."""
        total = x + self.dropout(branch)
        return total if self.norm_placement == "pre" else norm(total)
