"""A decoder with one part of every layer taken out: what attention alone is worth (section 10)."""

from __future__ import annotations

import torch
from torch.nn.functional import cross_entropy

from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_choice
from transformer_book.models import Decoder
from transformer_book.models.output import vocabulary_logits
from transformer_book.training.masking import IGNORED

PARTS = ("nothing", "attention", "mlp", "residual")


@torch.no_grad()
def logits_without(
    model: Decoder, tokens: torch.Tensor, part: str, *, mean_over: torch.Tensor | None = None
) -> torch.Tensor:
    """Return a pre-norm decoder's logits (B, N, V) for tokens (B, N), with `part` left out of every layer.

    part: "attention" or "mlp" leaves out that branch, "residual" keeps only the branches, "nothing" is the
    model. mean_over: boolean (B, N); the branch's mean over these tokens then takes the place of its output.
    Raises ValueError for another part or a post-norm model.
    """
    check_choice("part", part, PARTS)
    if model.config.norm_placement != "pre":
        raise ValueError(must_be("model", "pre-norm", f"norm_placement = {model.config.norm_placement!r}"))
    tokens = tokens.to(model.output_weight.device)
    positions = torch.arange(tokens.shape[1], device=tokens.device)
    x = model.embedding(tokens, positions)  # (B, N, D)
    rotary = model.embedding.rotary(positions, x.dtype)

    def left_of(branch, output):
        if branch != part:
            return output
        return 0.0 if mean_over is None else output[mean_over].mean(dim=0)

    kept = 0.0 if part == "residual" else 1.0
    for layer in model.layers:
        attended = layer.attention(layer.attention_norm(x), rotary=rotary).output
        x = kept * x + left_of("attention", attended)
        if layer.mlp is not None:
            x = kept * x + left_of("mlp", layer.mlp(layer.mlp_norm(x)))
    return vocabulary_logits(model.final_norm(x), model.output_weight)


def losses_without(
    model: Decoder, tokens: torch.Tensor, real: torch.Tensor, part: str, *, mean: bool = False
) -> torch.Tensor:
    """Return each text's mean next-token loss in nats (B,) over tokens (B, N + 1), with `part` left out.

    real (B, N + 1): False at padding. mean: put the branch's mean over all real tokens in its place.
    """
    labels = tokens[:, 1:].where(real[:, 1:], IGNORED)
    logits = logits_without(model, tokens[:, :-1], part, mean_over=real[:, :-1] if mean else None)
    losses = cross_entropy(logits.transpose(1, 2).cpu(), labels.cpu(), ignore_index=IGNORED, reduction="none")
    return losses.sum(dim=1) / real[:, 1:].sum(dim=1).cpu()
