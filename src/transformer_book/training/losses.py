"""Loss functions for `train`: each calls the model and returns (sum of the losses, number of tokens).

Sum and number stay apart so that several processes, with unequal amounts of padding, can divide by the number
of tokens that all of them have together.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from transformer_book.checks.tensors import check_tensor
from transformer_book.training.masking import IGNORED

Batch = dict[str, torch.Tensor]


def cross_entropy_sum(logits: torch.Tensor, labels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Sum and count the cross-entropies of logits (..., V) at labels (...) in nats; -100 is skipped.

    Raises TypeError for what is no tensor, ValueError for shapes or types that do not fit, or for a label
    outside the classes.
    """
    check_tensor("logits", logits, "(..., classes)")
    check_tensor("labels", labels, "of integers (...)")
    if logits.shape[:-1] != labels.shape:
        raise ValueError(
            f"labels has shape {tuple(labels.shape)}, expected that of logits, {tuple(logits.shape[:-1])}"
        )
    if labels.dtype != torch.int64:
        raise ValueError(f"labels has type {labels.dtype}, expected torch.int64")
    try:
        total = F.cross_entropy(
            logits.flatten(0, -2).float(), labels.flatten(), ignore_index=IGNORED, reduction="sum"
        )
    except IndexError:
        wrong = labels[(labels != IGNORED) & ((labels < 0) | (labels >= logits.shape[-1]))]
        raise ValueError(
            f"labels holds {int(wrong[0])}, expected 0 to {logits.shape[-1] - 1}, or {IGNORED} to skip"
        ) from None
    return total, (labels != IGNORED).sum()


def _next_tokens(name: str, tokens: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
    """The labels (B, N) of tokens (B, N + 1): each position's next token, skipped where it is padding."""
    if real.shape != tokens.shape or real.dtype != torch.bool:
        raise ValueError(
            f"{name} has shape {tuple(real.shape)} and type {real.dtype}, expected bool {tuple(tokens.shape)}"
        )
    return tokens[:, 1:].where(real[:, 1:], IGNORED)


def next_token_loss(model: nn.Module, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """For a decoder: batch["tokens"] (B, N + 1) give the inputs and, one place on, the labels.

    batch["real"] (B, N + 1), if there, is False at padding, which stands on the right and is not learnt.
    """
    tokens = batch["tokens"]
    labels = _next_tokens("real", tokens, batch["real"]) if "real" in batch else tokens[:, 1:]
    return cross_entropy_sum(model(tokens[:, :-1]).logits, labels)


def masked_token_loss(model: nn.Module, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """For an encoder: "tokens" to read and "labels", both (B, N) from `mask_tokens`, and "real" (B, N)."""
    return cross_entropy_sum(model(batch["tokens"], padding=batch["real"]).logits, batch["labels"])


def translation_loss(model: nn.Module, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """For an encoder-decoder: "source" (B, M), "target" (B, N + 1), and "source_real", "target_real"."""
    target = batch["target"]
    labels = _next_tokens("target_real", target, batch["target_real"])
    output = model(batch["source"], target[:, :-1], source_padding=batch["source_real"])
    return cross_entropy_sum(output.logits, labels)


def class_loss(model: nn.Module, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """For a classifier: batch["inputs"] (B, ...), batch["labels"] (B,)."""
    return cross_entropy_sum(model(batch["inputs"]).logits, batch["labels"])
