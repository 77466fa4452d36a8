"""The three forms of attention under their names."""

from transformer_book.attention.attention_result import AttentionResult
from transformer_book.attention.fused import fused_attention
from transformer_book.attention.tiled import tiled_attention
from transformer_book.attention.written_out import written_out_attention
from transformer_book.checks.numbers import check_choice

FORMS = {"written_out": written_out_attention, "fused": fused_attention, "tiled": tiled_attention}


def attend(query, key, value, *, form="fused", **options) -> AttentionResult:
    """Compute attention in the named form: "written_out", "fused" or "tiled"; they agree up to rounding.

    Options are those of the form itself: mask, causal, scale, dropout. Raises ValueError for an unknown form.
    """
    check_choice("form", form, FORMS)
    return FORMS[form](query, key, value, **options)
