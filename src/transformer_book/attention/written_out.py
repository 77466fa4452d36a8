"""Scaled dot-product attention as the formula says it, every intermediate kept for looking at."""

import torch

from transformer_book.attention.attention_checks import check_attention
from transformer_book.attention.attention_result import AttentionResult
from transformer_book.attention.masks import with_causal_mask
from transformer_book.attention.scores import repeat_heads, scale_factor


def written_out_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    *,
    mask: torch.Tensor | None = None,
    causal: bool = False,
    scale: bool | float = True,
    dropout: float = 0.0,
) -> AttentionResult:
    """Compute (12.5) with tokens as rows: softmax(Q Kᵀ / sqrt(D_q)) V (Vaswani et al., 2017).

    query (B, H, N, D_q), key (B, H_kv, M, D_q), value (B, H_kv, M, D_v); H is a multiple of H_kv; axes before
    the tokens' may be missing. mask: boolean, True where a query may attend; broadcasts to (B, H, N, M).
    scale: True divides the scores by sqrt(D_q), False leaves them (12.3), a number multiplies them.
    A query with every key masked gets weights, output and gradients of zero. dropout: share of the weights
    set to 0.
    Returns output (B, H, N, D_v), scores and weights (B, H, N, M). Raises ValueError when shapes, types or
    devices do not fit or a number is out of range, TypeError for an argument that is not a tensor.
    """
    mask = check_attention(query, key, value, mask, causal, scale, dropout)
    return written_out(query, key, value, mask, causal, scale_factor(scale, query.shape[-1]), dropout)


def written_out(query, key, value, mask=None, causal=False, factor=1.0, dropout=0.0) -> AttentionResult:
    """The same for arguments that were checked: factor multiplies the scores, mask is (..., N, M)."""
    key, value = repeat_heads(query, key, value)
    # The queries are scaled, not their larger products: those would overflow in half precision.
    scores = (query * factor) @ key.transpose(-2, -1)  # (B, H, N, M)
    if causal:
        mask = with_causal_mask(mask, query.shape[-2], key.shape[-2], query.device)
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        scores = scores.masked_fill(~mask, float("-inf"))
        weights = _softmax_over_allowed(scores, mask)
    mixing = torch.dropout(weights, dropout, train=True) if dropout else weights
    return AttentionResult(output=mixing @ value, scores=scores, weights=weights)


def _softmax_over_allowed(scores, mask):
    # A row of -inf would divide 0 by 0, and its NaN would spread backwards: give it finite scores, then
    # weights of 0.
    no_key = ~mask.any(dim=-1, keepdim=True)
    return torch.softmax(scores.masked_fill(no_key, 0.0), dim=-1).masked_fill(no_key, 0.0)
