"""The three forms of attention under their names."""

import torch

from transformer_book.attention.attention_result import AttentionResult
from transformer_book.attention.fused import fused, fused_attention
from transformer_book.attention.tiled import tiled, tiled_attention
from transformer_book.attention.written_out import written_out, written_out_attention
from transformer_book.checks.numbers import check_choice

FORMS = {"written_out": written_out_attention, "fused": fused_attention, "tiled": tiled_attention}
# The same for arguments that were checked: (query, key, value, mask, causal, factor, dropout).
UNCHECKED_FORMS = {"written_out": written_out, "fused": fused, "tiled": tiled}


def attend(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, *, form: str = "fused", **options
) -> AttentionResult:
    """Compute attention in the named form: "written_out", "fused" or "tiled"; they agree up to rounding.

    Options are those of the form itself: mask, causal, scale, dropout. Raises ValueError for an unknown form.
    """
    check_choice("form", form, FORMS)
    return FORMS[form](query, key, value, **options)
