"""The three forms of attention under their names."""

from transformer_book.attention.fused import fused_attention
from transformer_book.attention.result import AttentionResult
from transformer_book.attention.tiled import tiled_attention
from transformer_book.attention.written_out import written_out_attention

FORMS = {"written_out": written_out_attention, "fused": fused_attention, "tiled": tiled_attention}


def attend(query, key, value, *, form="fused", **options) -> AttentionResult:
    """Compute attention in the named form: "written_out", "fused" or "tiled"; they agree up to rounding.

    Options are those of the form itself: mask, causal, scale, dropout. Raises ValueError for an unknown form.
    """
    if form not in FORMS:
        raise ValueError(f"form is {form!r}, expected one of {', '.join(FORMS)}")
    return FORMS[form](query, key, value, **options)
