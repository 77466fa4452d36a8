"""BERT's masking: hide some tokens and let the model guess them (Devlin et al., 2019, section 3.1)."""

from __future__ import annotations

import torch

from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_whole, is_number
from transformer_book.checks.tensors import check_kind, shapes

IGNORED = -100  # the label of a token that is not to be guessed; cross_entropy skips it


def mask_tokens(
    tokens: torch.Tensor,
    maskable: torch.Tensor,
    *,
    mask_id: int,
    random_ids: torch.Tensor,
    generator: torch.Generator,
    fraction: float = 0.15,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Choose a fraction of the maskable tokens (B, N): 80 % become mask_id, 10 % a random id, 10 % stay.

    maskable: boolean (B, N), False at padding and special tokens. random_ids: the ids (K,) to draw
    replacements from. generator: on the CPU. Returns the tokens to read (B, N) and labels (B, N), the
    original token where chosen and -100 elsewhere. Raises ValueError for a fraction that is not a probability
    and for shapes or types that do not fit, TypeError for a value that is not a tensor.
    """
    if not is_number(fraction) or not 0 < fraction <= 1:
        raise ValueError(must_be("fraction", "above 0 and at most 1", repr(fraction)))
    check_whole("mask_id", mask_id, least=0)
    sizes = shapes(tokens=(tokens, "B N"), maskable=(maskable, "B N"), random_ids=(random_ids, "K"))
    for name, tensor, kind in (
        ("tokens", tokens, "int64"),
        ("maskable", maskable, "bool"),
        ("random_ids", random_ids, "int64"),
    ):
        check_kind(name, tensor, kind)
    if sizes["K"] == 0:
        raise ValueError(must_be("random_ids", "at least one id", "none"))
    chosen = maskable & (torch.rand(tokens.shape, generator=generator) < fraction)
    labels = tokens.where(chosen, IGNORED)
    kind = torch.rand(tokens.shape, generator=generator)
    drawn = random_ids[torch.randint(len(random_ids), tokens.shape, generator=generator)]
    read = tokens.masked_fill(chosen & (kind < 0.8), mask_id)
    read = drawn.where(chosen & (kind >= 0.8) & (kind < 0.9), read)
    return read, labels
