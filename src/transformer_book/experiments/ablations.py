"""A decoder with one part of every layer taken out: what attention alone is worth (section 10)."""

from __future__ import annotations

import torch

from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_choice
from transformer_book.models import Decoder
from transformer_book.models.output import vocabulary_logits
from transformer_book.training import cross_entropy_sum

PARTS = ("nothing", "attention", "mlp", "residual")


@torch.no_grad()
def logits_without(model: Decoder, tokens: torch.Tensor, part: str) -> torch.Tensor:
    """Return a pre-norm decoder's logits (B, N, V) for tokens (B, N), with `part` left out of every layer.

    part: "attention" or "mlp" leaves out that branch, "residual" keeps only the branches, "nothing" is the
    model. Raises ValueError for another part or a post-norm model.
    """
    check_choice("part", part, PARTS)
    if model.config.norm_placement != "pre":
        raise ValueError(must_be("model", "pre-norm", f"norm_placement = {model.config.norm_placement!r}"))
    tokens = tokens.to(model.output_weight.device)
    positions = torch.arange(tokens.shape[1], device=tokens.device)
    x = model.embedding(tokens, positions)  # (B, N, D)
    rotary = model.embedding.rotary(positions, x.dtype)
    kept = 0.0 if part == "residual" else 1.0
    for layer in model.layers:
        if part != "attention":
            x = kept * x + layer.attention(layer.attention_norm(x), rotary=rotary).output
        if part != "mlp":
            x = kept * x + layer.mlp(layer.mlp_norm(x))
    return vocabulary_logits(model.final_norm(x), model.output_weight)


def loss_without(model: Decoder, tokens: torch.Tensor, real: torch.Tensor, part: str) -> float:
    """Return the next-token loss in nats over tokens (B, N + 1); real (B, N + 1) is False at padding."""
    labels = tokens[:, 1:].where(real[:, 1:], -100)
    logits = logits_without(model, tokens[:, :-1], part)
    total, count = cross_entropy_sum(logits, labels.to(logits.device))
    return total.item() / int(count)
