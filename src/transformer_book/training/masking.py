"""BERT's masking: hide some tokens and let the model guess them (Devlin et al., 2019, section 3.1)."""

from __future__ import annotations

import torch

from transformer_book.checks.numbers import check_whole, is_number
from transformer_book.checks.tensors import check_tensor

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
    original token where chosen and -100 elsewhere. Raises ValueError for a fraction that is no probability
    and for shapes or types that do not fit, TypeError for what is no tensor.
    """
    if not is_number(fraction) or not 0 < fraction <= 1:
        raise ValueError(f"fraction is {fraction!r}, expected more than 0 and at most 1")
    check_whole("mask_id", mask_id, least=0)
    for name, ids, shape in (("tokens", tokens, "(batch, tokens)"), ("random_ids", random_ids, "of ids")):
        check_tensor(name, ids, shape)
        if ids.dtype != torch.int64:
            raise ValueError(f"{name} has type {ids.dtype}, expected torch.int64")
    if random_ids.ndim != 1 or len(random_ids) == 0:
        raise ValueError(f"random_ids has shape {tuple(random_ids.shape)}, expected (at least 1 id,)")
    check_tensor("maskable", maskable, "of booleans (batch, tokens)")
    if maskable.dtype != torch.bool or maskable.shape[-1:] != tokens.shape[-1:]:
        raise ValueError(
            f"maskable has shape {tuple(maskable.shape)} and type {maskable.dtype}, "
            f"expected bool {tuple(tokens.shape)}"
        )
    chosen = maskable & (torch.rand(tokens.shape, generator=generator) < fraction)
    labels = tokens.where(chosen, IGNORED)
    kind = torch.rand(tokens.shape, generator=generator)
    drawn = random_ids[torch.randint(len(random_ids), tokens.shape, generator=generator)]
    read = tokens.masked_fill(chosen & (kind < 0.8), mask_id)
    read = drawn.where(chosen & (kind >= 0.8) & (kind < 0.9), read)
    return read, labels
