"""Attention: masks, scaled dot-product attention three ways, multi-head attention and the key-value cache.

Everything here uses the library convention, one token per row: queries (B, H, N, D_h), keys (B, H, M, D_h),
and a boolean mask (..., N, M) that is True where a query may attend to a key.
"""

from transformer_book.attention.attention_result import AttentionResult
from transformer_book.attention.cache import DecoderCache, KeyValueCache
from transformer_book.attention.forms import FORMS, attend
from transformer_book.attention.fused import fused_attention
from transformer_book.attention.masks import causal_mask, combine_masks, padding_mask, sliding_window_mask
from transformer_book.attention.multihead import MultiHeadAttention
from transformer_book.attention.tiled import tiled_attention
from transformer_book.attention.written_out import written_out_attention

__all__ = [
    "FORMS",
    "AttentionResult",
    "DecoderCache",
    "KeyValueCache",
    "MultiHeadAttention",
    "attend",
    "causal_mask",
    "combine_masks",
    "fused_attention",
    "padding_mask",
    "sliding_window_mask",
    "tiled_attention",
    "written_out_attention",
]
