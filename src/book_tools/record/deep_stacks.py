"""Pre-norm, post-norm and post-norm with a warm-up, 24 layers deep (section 7)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

import torch

from book_tools.record.outcome import Outcome, means, store
from transformer_book.accounting import gradient_norms
from transformer_book.experiments import deep_stacks
from transformer_book.experiments.text_stream import window_batches
from transformer_book.models import Decoder
from transformer_book.training import next_token_loss, train


def of_run(run: str) -> Callable[[int], Outcome]:
    """Return the run of one placement of the norms, with or without a warm-up."""

    def measure(seed: int) -> Outcome:
        settings = deep_stacks.settings_of(run, seed=seed)
        model = deep_stacks.deep_decoder(run, seed)
        at_start = gradients(model)
        batches = window_batches(deep_stacks.number_stream("train"), deep_stacks.LENGTH, batch_size=16)
        losses = train(model, batches, next_token_loss, settings).losses
        checkpoint = store(f"stack_{run}", model)
        curves = means(losses, parts=30) | {"gradients_at_start": at_start}
        return Outcome(values(model), curves, asdict(settings), checkpoint)

    return measure


def values(model: Decoder) -> dict:
    """Validation loss, beside that of a guess by frequency alone."""
    return {
        "loss_validation": deep_stacks.validation_loss(model),
        "loss_unigram": deep_stacks.unigram_loss(),
    }


def gradients(model: Decoder) -> list[float]:
    """Norm of the loss's gradient in each layer, for the first windows of the text."""
    model.train()
    rows = deep_stacks.number_stream("train").unfold(0, deep_stacks.LENGTH + 1, deep_stacks.LENGTH)[:16]
    total, count = next_token_loss(model, {"tokens": rows})
    (total / count).backward()
    norms = gradient_norms(model)
    model.zero_grad(set_to_none=True)
    torch.manual_seed(0)
    return [norms[f"layers.{k}"] for k in range(deep_stacks.DEPTH)]
