"""Multi-head attention (12.8): grouped key-value heads, cross-attention, rotary positions and a cache."""

import numbers

import torch
from torch import nn

from transformer_book.attention.attention_checks import (
    check_beside_weights,
    check_heads,
    check_mask,
    check_scale,
)
from transformer_book.attention.attention_result import AttentionResult
from transformer_book.attention.cache import KeyValueCache
from transformer_book.attention.forms import UNCHECKED_FORMS
from transformer_book.attention.scores import scale_factor
from transformer_book.attention.written_out import written_out
from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_boolean, check_choice, check_dropout, check_whole
from transformer_book.checks.tensors import shapes
from transformer_book.positions import RotaryAngles, check_angles


class MultiHeadAttention(nn.Module):
    """H attentions side by side, each on its own D/H features, mixed by an output map: (12.8).

    dim: features D of each token. num_heads: query heads H. num_kv_heads: key-value heads, H unless given;
    fewer make grouped-query attention (Ainslie et al., 2023). head_dim: features of a head, D / H unless
    given.
    causal: hide later positions. scale: divide scores by sqrt(D_h) (12.5); False switches that off.
    dropout: share of the weights set to 0 in training. form: "fused", "written_out" or "tiled".
    context_dim: features of the context in cross-attention, D unless given.
    Raises ValueError for options out of range, and in a call for features of another shape, type or device.
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
        check_choice("form", form, UNCHECKED_FORMS)
        check_boolean("bias", bias)
        check_boolean("causal", causal)
        num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        context_dim = dim if context_dim is None else context_dim
        check_whole("context_dim", context_dim)
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        self.head_dim = dim // num_heads if head_dim is None else head_dim
        self.causal, self.scale, self.dropout, self.form = causal, scale, dropout, form
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
        `positions.rotary_angles`, for x; it turns nothing in cross-attention.
        return_weights: True for all heads, a head's number or a list of them for those alone.
        Returns output (B, N, D); scores and weights (B, heads asked for, N, M) or None.
        """
        mask, heads = self._check(x, context, mask, cache, rotary, return_weights)
        query = self._split(self.query(x), self.num_heads)  # (B, H, N, D_h)
        if rotary is not None and context is None:
            query = rotary.turn(query)
        key, value = self._keys_and_values(x, context, cache, rotary)  # (B, H_kv, M, D_h)
        causal, factor = self.causal and context is None, scale_factor(self.scale, self.head_dim)
        dropout = self.dropout if self.training else 0.0
        mixed = UNCHECKED_FORMS[self.form](query, key, value, mask, causal, factor, dropout).output
        output = self.output(mixed.transpose(1, 2).flatten(2))  # (B, N, D)
        if heads is None:
            return AttentionResult(output)
        seen = self._inspect(query, key, value, mask, causal, factor, heads)
        return AttentionResult(output, seen.scores, seen.weights)

    def _keys_and_values(self, x, context, cache, rotary):
        if context is not None and cache is not None and cache.length:
            return cache.keys, cache.values
        source = x if context is None else context
        key = self._split(self.key(source), self.num_kv_heads)
        value = self._split(self.value(source), self.num_kv_heads)
        if rotary is not None and context is None:
            key = rotary.turn(key)
        return (key, value) if cache is None else cache.store(key, value)

    def _split(self, features, heads):
        batch, tokens, _ = features.shape
        return features.view(batch, tokens, heads, self.head_dim).transpose(1, 2)  # (B, heads, tokens, D_h)

    def _inspect(self, query, key, value, mask, causal, factor, heads):
        """Scores and weights of these heads alone: one head of a long text costs one N x M matrix."""
        group = self.num_heads // self.num_kv_heads
        of_group = [head // group for head in heads]
        if mask is not None and mask.ndim > 2 and mask.shape[-3] > 1:
            mask = mask[..., heads, :, :]
        return written_out(query[:, heads], key[:, of_group], value[:, of_group], mask, causal, factor)

    def _check(self, x, context, mask, cache, rotary, return_weights):
        """Check a call before anything is computed or stored; return mask (..., N, M) and heads, or None."""
        known = {"D": self.query.in_features, "D_context": self.key.in_features}
        sizes = shapes(known, x=(x, "B N D"), context=(context, "B M D_context"))
        batch, num_queries = sizes["B"], sizes["N"]
        check_beside_weights("x", x, self.query.weight)
        if cache is not None and not isinstance(cache, KeyValueCache):
            raise TypeError(must_be("cache", "a KeyValueCache", f"a {type(cache).__name__}"))
        stored = 0 if cache is None else cache.length
        if context is None:
            num_keys = stored + num_queries
            if rotary is not None:
                check_angles(rotary, num_queries, self.head_dim)
        else:
            num_keys = sizes["M"]
            check_beside_weights("context", context, self.key.weight)
            if stored:
                # What is stored is read in its place, so the context's shape alone says that it fits.
                cached = {"B": cache.num_texts, "M": stored}
                shapes(cached, context=(context, "B M D_context"), x=(x, "B N D"))
                check_beside_weights("the cache", cache.keys, self.key.weight)
        mask = check_mask(mask, (batch, self.num_heads, num_queries, num_keys), x.device)
        return mask, self._heads_of(return_weights)

    def _heads_of(self, return_weights):
        """The numbers of the heads asked for, or None."""
        if return_weights is False or return_weights is None:
            return None
        if return_weights is True:
            return list(range(self.num_heads))
        try:
            heads = [return_weights] if isinstance(return_weights, numbers.Real) else list(return_weights)
        except TypeError:  # nothing to go through, such as a tensor without axes
            heads = []
        whole = all(isinstance(head, numbers.Integral) and not isinstance(head, bool) for head in heads)
        if not heads or not whole or not all(0 <= head < self.num_heads for head in heads):
            wanted = f"True, or one or several heads from 0 to {self.num_heads - 1}"
            raise ValueError(must_be("return_weights", wanted, repr(return_weights)))
        return heads
