"""Scaled dot-product attention through torch's fused kernels: the fast form, which shows no weights."""

import torch.nn.functional as F

from transformer_book.attention.inputs import check_inputs, repeat_heads, scale_factor
from transformer_book.attention.masks import causal_mask, combine_masks
from transformer_book.attention.result import AttentionResult


def fused_attention(
    query, key, value, *, mask=None, causal=False, scale=True, dropout=0.0
) -> AttentionResult:
    """Compute (12.5) with `torch.nn.functional.scaled_dot_product_attention`.

    Arguments, result and errors are those of `written_out_attention`; scores and weights are None.
    """
    check_inputs(query, key, value, mask)
    key, value = repeat_heads(key, value, query.shape[-3] if query.ndim > 2 else 1)
    factor = scale_factor(scale, query.shape[-1])
    num_queries, num_keys = query.shape[-2], key.shape[-2]
    # torch aligns its causal mask to the first key; with cached keys the queries are the last positions.
    if causal and (mask is not None or num_queries != num_keys):
        if num_queries > 1 or num_keys < num_queries:
            mask = combine_masks(mask, causal_mask(num_queries, num_keys, device=query.device))
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
