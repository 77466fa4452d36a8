"""Scaled dot-product attention through torch's fused kernels: the fast form, which shows no weights."""

import torch
import torch.nn.functional as F

from transformer_book.attention.attention_checks import check_attention
from transformer_book.attention.attention_result import AttentionResult
from transformer_book.attention.masks import with_causal_mask
from transformer_book.attention.scores import repeat_heads, scale_factor


def fused_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    *,
    mask: torch.Tensor | None = None,
    causal: bool = False,
    scale: bool | float = True,
    dropout: float = 0.0,
) -> AttentionResult:
    """Compute (12.5) with `torch.nn.functional.scaled_dot_product_attention`.

    Arguments, result and errors are those of `written_out_attention`; scores and weights are None.
    """
    mask = check_attention(query, key, value, mask, causal, scale, dropout)
    return fused(query, key, value, mask, causal, scale_factor(scale, query.shape[-1]), dropout)


def fused(query, key, value, mask=None, causal=False, factor=1.0, dropout=0.0) -> AttentionResult:
    """The same for arguments that were checked: factor multiplies the scores, mask is (..., N, M)."""
    if _one_grouped_query(query, key, mask):
        # The queries of a group read the same keys: as rows of one head they need no copy of the cache.
        grouped = query.reshape(*key.shape[:-2], -1, query.shape[-1])  # (B, H_kv, H / H_kv, D_q)
        output = fused(grouped, key, value, mask, False, factor, dropout).output
        return AttentionResult(output.reshape(*query.shape[:-1], value.shape[-1]))
    key, value = repeat_heads(query, key, value)
    num_queries, num_keys = query.shape[-2], key.shape[-2]
    # torch aligns its causal mask to the first key; with cached keys the queries are the last positions.
    if causal and (mask is not None or num_queries != num_keys):
        if num_queries > 1:
            mask = with_causal_mask(mask, num_queries, num_keys, query.device)
        causal = False
    if mask is None:
        output = F.scaled_dot_product_attention(
            query, key, value, is_causal=causal, scale=factor, dropout_p=dropout
        )
        return AttentionResult(output)
    # Backends differ on a query with no key (NaN, or a mean): open its row, then zero its output and its
    # gradients.
    no_key = ~mask.any(dim=-1, keepdim=True)
    output = F.scaled_dot_product_attention(
        query, key, value, attn_mask=mask | no_key, scale=factor, dropout_p=dropout
    )
    return AttentionResult(output.masked_fill(no_key, 0.0))


def _one_grouped_query(query, key, mask):
    """One new token (which may see every key) and several query heads to a key head."""
    same_for_heads = mask is None or mask.ndim < 3 or mask.shape[-3] == 1
    return query.ndim > 2 and query.shape[-2] == 1 and query.shape[-3] != key.shape[-3] and same_for_heads
