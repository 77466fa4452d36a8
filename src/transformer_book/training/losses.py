"""Loss functions for `train`: each calls the model and returns (sum of the losses, number of tokens).

Sum and number stay apart so that several processes, with unequal amounts of padding, can divide by the number
of tokens that all of them have together.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from transformer_book.checks.messages import must_be
from transformer_book.checks.tensors import check_kind, check_tensor, shapes
from transformer_book.models import chunked_cross_entropy
from transformer_book.training.masking import IGNORED

Batch = dict[str, torch.Tensor]


def cross_entropy_sum(logits: torch.Tensor, labels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Sum and count the cross-entropies of logits (..., V) at labels (...) in nats; -100 is skipped.

    Raises TypeError for a value that is not a tensor, ValueError for shapes or types that do not fit, or for
    a label outside the classes.
    """
    check_tensor("logits", logits, "(..., classes)")  # a model without a head returns None
    check_tensor("labels", labels, "(...)")
    shapes(logits=(logits, "... classes"), labels=(labels, "..."))
    check_kind("labels", labels, "int64")
    rows = logits.reshape(labels.numel(), logits.shape[-1])
    rows = rows if rows.dtype == torch.float64 else rows.float()
    try:
        total = F.cross_entropy(rows, labels.flatten(), ignore_index=IGNORED, reduction="sum")
    except IndexError:
        wrong = labels[(labels != IGNORED) & ((labels < 0) | (labels >= logits.shape[-1]))]
        wanted = f"0 to {logits.shape[-1] - 1}, or {IGNORED} to skip"
        raise ValueError(must_be("labels", wanted, int(wrong[0]))) from None
    return total, (labels != IGNORED).sum()


def next_token_loss(model: nn.Module, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """For a decoder: batch["tokens"] (B, N + 1) give the inputs and, one place on, the labels.

    batch["real"] (B, N + 1), if there, is False at padding, which stands on the right and is not learnt.
    """
    labels = _next_tokens("real", batch["tokens"], batch.get("real"))
    return cross_entropy_sum(model(batch["tokens"][:, :-1]).logits, labels)


def chunked_next_token_loss(model: nn.Module, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """The same loss, faster and in less memory: the scores of a few hundred tokens exist at a time.

    For a `Decoder`, and batches as in `next_token_loss`. The sum runs in another order, so a loss curve
    differs in its seventh digit; runs that were recorded with `next_token_loss` keep it.
    """
    labels = _next_tokens("real", batch["tokens"], batch.get("real"))
    final = model(batch["tokens"][:, :-1], logits_at="none").final  # (B, N, D)
    total = chunked_cross_entropy(final, model.output_weight, labels, ignore_index=IGNORED)
    return total, (labels != IGNORED).sum()


def _next_tokens(name: str, tokens: torch.Tensor, real: torch.Tensor | None) -> torch.Tensor:
    """The labels (B, N) of tokens (B, N + 1): each position's next token, skipped where it is padding."""
    if real is None:
        return tokens[:, 1:]
    shapes(tokens=(tokens, "B N"), **{name: (real, "B N")})
    check_kind(name, real, "bool")
    return tokens[:, 1:].where(real[:, 1:], IGNORED)


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
