"""Loss functions for `train`: each calls the model and returns (sum of the losses, number of tokens).

Sum and number stay apart so that several processes, with unequal amounts of padding, can divide by the number
of tokens that all of them have together.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from transformer_book.training.masking import IGNORED

Batch = dict[str, torch.Tensor]


def cross_entropy_sum(logits: torch.Tensor, labels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Sum and count the cross-entropies of logits (..., V) at labels (...); labels of -100 are skipped."""
    total = F.cross_entropy(
        logits.flatten(0, -2).float(), labels.flatten(), ignore_index=IGNORED, reduction="sum"
    )
    return total, (labels != IGNORED).sum()


def next_token_loss(model: nn.Module, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """For a decoder: batch["tokens"] (B, N + 1) give the inputs and, one place on, the labels.

    batch["real"] (B, N + 1), if there, is False at padding, which stands on the right and is not learnt.
    """
    tokens = batch["tokens"]
    labels = tokens[:, 1:]
    if "real" in batch:
        labels = labels.where(batch["real"][:, 1:], IGNORED)
    return cross_entropy_sum(model(tokens[:, :-1]).logits, labels)


def masked_token_loss(model: nn.Module, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """For an encoder: "tokens" to read and "labels", both (B, N) from `mask_tokens`, and "real" (B, N)."""
    return cross_entropy_sum(model(batch["tokens"], mask=batch["real"]).logits, batch["labels"])


def translation_loss(model: nn.Module, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """For an encoder-decoder: "source" (B, M), "target" (B, N + 1), and "source_real", "target_real"."""
    target = batch["target"]
    labels = target[:, 1:].where(batch["target_real"][:, 1:], IGNORED)
    output = model(batch["source"], target[:, :-1], source_mask=batch["source_real"])
    return cross_entropy_sum(output.logits, labels)


def class_loss(model: nn.Module, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """For a classifier: batch["inputs"] (B, ...), batch["labels"] (B,)."""
    return cross_entropy_sum(model(batch["inputs"]).logits, batch["labels"])
