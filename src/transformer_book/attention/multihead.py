"""Multi-head attention (12.8): grouped key-value heads, cross-attention, rotary positions and a cache."""

import numbers

import torch
from torch import nn

from transformer_book.attention.attention_checks import check_features, check_heads, check_scale
from transformer_book.attention.attention_result import AttentionResult
from transformer_book.attention.cache import KeyValueCache
from transformer_book.attention.forms import FORMS, attend
from transformer_book.attention.written_out import written_out_attention
from transformer_book.checks.numbers import check_choice, check_dropout, check_whole
from transformer_book.positions import RotaryAngles, apply_rotary


class MultiHeadAttention(nn.Module):
    """H attentions side by side, each on its own D/H features, mixed by an output map: (12.8).

    dim: features D of each token. num_heads: query heads H. num_kv_heads: key-value heads, H unless given;
    fewer make grouped-query attention (Ainslie et al., 2023). head_dim: features of a head, D / H unless
    given.
    causal: hide later positions. scale: divide scores by sqrt(D_h) (12.5); False switches that off.
    dropout: share of the weights set to 0 in training. form: "fused", "written_out" or "tiled".
    context_dim: features of the context in cross-attention, D unless given.
    Raises ValueError for options that cannot be, and in a call for features of another shape, type or device.
    """

    def __init__(
        self,
        dim: int,
        num_heads: int,
        *,
        num_kv_heads: int | None = None,
        head_dim: int | None = None,
        bias: bool = True,
        causal: bool = False,
        scale: bool | float = True,
        dropout: float = 0.0,
        form: str = "fused",
        context_dim: int | None = None,
    ):
        super().__init__()
        check_heads(dim, num_heads, num_kv_heads, head_dim)
        check_scale(scale)
        check_dropout(dropout)
        check_choice("form", form, FORMS)
        num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        self.dim, self.num_heads, self.num_kv_heads = dim, num_heads, num_kv_heads
        self.head_dim = dim // num_heads if head_dim is None else head_dim
        self.causal, self.scale, self.dropout, self.form = causal, scale, dropout, form
        context_dim = dim if context_dim is None else context_dim
        check_whole("context_dim", context_dim)
        self.query = nn.Linear(dim, num_heads * self.head_dim, bias=bias)
        self.key = nn.Linear(context_dim, num_kv_heads * self.head_dim, bias=bias)
        self.value = nn.Linear(context_dim, num_kv_heads * self.head_dim, bias=bias)
        self.output = nn.Linear(num_heads * self.head_dim, dim, bias=bias)

    def forward(
        self,
        x: torch.Tensor,
        context: torch.Tensor | None = None,
        *,
        mask: torch.Tensor | None = None,
        cache: KeyValueCache | None = None,
        rotary: RotaryAngles | None = None,
        return_weights: bool | int | list[int] = False,
    ) -> AttentionResult:
        """Attend from x (B, N, D) to itself, or to context (B, M, D_context) in cross-attention.

        mask: boolean, broadcasts to (B, H, N, M). cache: keys and values of earlier positions, extended by
        these; in cross-attention the context's, projected at the first call only. rotary: from
        `positions.rotary_angles`, for x.
        return_weights: True for all heads, a head's number or a list of them for those alone.
        Returns output (B, N, D); scores and weights (B, heads asked for, N, M) or None.
        """
        check_features("x", x, self.query)
        if context is not None:
            check_features("context", context, self.key)
        heads = self._heads_of(return_weights)
        query = self._split(self.query(x), self.num_heads)  # (B, H, N, D_h)
        key, value = self._keys_and_values(x, context, cache, rotary)  # (B, H_kv, M, D_h)
        if rotary is not None and context is None:
            query = apply_rotary(query, rotary)
        options = {"mask": mask, "causal": self.causal and context is None, "scale": self.scale}
        dropout = self.dropout if self.training else 0.0
        mixed = attend(query, key, value, form=self.form, dropout=dropout, **options).output  # (B, H, N, D_h)
        scores, weights = self._inspect(query, key, value, options, heads)
        output = self.output(mixed.transpose(1, 2).flatten(2))  # (B, N, D)
        return AttentionResult(output, scores, weights)

    def _keys_and_values(self, x, context, cache, rotary):
        if context is not None and cache is not None and cache.length:
            return cache.keys, cache.values
        source = x if context is None else context
        key = self._split(self.key(source), self.num_kv_heads)
        value = self._split(self.value(source), self.num_kv_heads)
        if rotary is not None and context is None:
            key = apply_rotary(key, rotary)
        return (key, value) if cache is None else cache.append(key, value)

    def _split(self, features, heads):
        batch, tokens, _ = features.shape
        return features.view(batch, tokens, heads, self.head_dim).transpose(1, 2)  # (B, heads, tokens, D_h)

    def _heads_of(self, return_weights):
        """The heads asked for, or None; checked before a cache is extended, which could not be undone."""
        if return_weights is False or return_weights is None:
            return None
        if return_weights is True:
            return list(range(self.num_heads))
        heads = [return_weights] if isinstance(return_weights, numbers.Real) else list(return_weights)
        if not heads:
            raise ValueError(
                "return_weights is an empty list, expected True, a head's number or some of them"
            )
        for head in heads:
            whole = isinstance(head, numbers.Integral) and not isinstance(head, bool)
            if not whole or not 0 <= head < self.num_heads:
                raise ValueError(f"return_weights asks for head {head!r}, expected 0 to {self.num_heads - 1}")
        return heads

    def _inspect(self, query, key, value, options, heads):
        """Scores and weights of these heads alone: one head of a long text costs one N x M matrix."""
        if heads is None:
            return None, None
        group = self.num_heads // self.num_kv_heads
        of_group = [head // group for head in heads]
        mask = options["mask"]
        if mask is not None and mask.ndim > 2 and mask.shape[-3] > 1:
            options = {**options, "mask": mask[..., heads, :, :]}
        seen = written_out_attention(query[:, heads], key[:, of_group], value[:, of_group], **options)
        return seen.scores, seen.weights
