"""Positions beyond the training length: one small decoder for each kind of position (section 5).

All are trained on windows of 64 characters and read windows of 512; the loss is taken at each position.
"""

from __future__ import annotations

from dataclasses import replace

import torch
import torch.nn.functional as F

from transformer_book.data import load_quatrains, quatrain_vocabulary
from transformer_book.experiments.experiment import Experiment, Outcome, Training
from transformer_book.experiments.text_stream import text_stream, window_batches
from transformer_book.models import Decoder, DecoderConfig
from transformer_book.training import TrainingSettings, next_token_loss

VOCABULARY = quatrain_vocabulary()
KINDS = ("sinusoidal", "learned", "rotary", "none")
SETTINGS = TrainingSettings(steps=1000, learning_rate=3e-3)
TRAINED_LENGTH = 64
READ_LENGTH = 512
ENDS = (32, 64, 96, 128, 192, 256, 384, 512)  # of the ranges of positions whose losses are averaged


def config_of(kind: str) -> DecoderConfig:
    """Return the small decoder's config; with sinusoidal codes the embedding is scaled by √D, as in 2017."""
    return DecoderConfig(
        vocabulary_size=len(VOCABULARY),
        context_length=READ_LENGTH,
        dim=64,
        num_layers=2,
        num_heads=4,
        positions=kind,
        embedding_scale=kind == "sinusoidal",
    )


@torch.no_grad()
def losses_by_position(model: Decoder) -> torch.Tensor:
    """Return the mean loss in nats at each of the 512 positions (512,), over the validation poems."""
    stream = text_stream(load_quatrains().validation, VOCABULARY)
    rows = stream.unfold(0, READ_LENGTH + 1, READ_LENGTH)  # (W, 513)
    losses = [
        F.cross_entropy(model(part[:, :-1]).logits.transpose(1, 2), part[:, 1:], reduction="none")
        for part in rows.split(4)
    ]
    return torch.cat(losses).mean(dim=0)


def losses_by_range(losses: torch.Tensor) -> list[float]:
    """Average losses (512,) over positions 1 to 32, 33 to 64, and so on up to each of ENDS."""
    starts = (0, *ENDS[:-1])
    return [losses[start:end].mean().item() for start, end in zip(starts, ENDS, strict=True)]


def measure(model: Decoder) -> Outcome:
    """Return mean losses over ranges of positions, `ends` the last position of each."""
    return Outcome({"ends": list(ENDS), "losses": losses_by_range(losses_by_position(model))})


def experiment(kind: str) -> Experiment:
    """Return the experiment of one of KINDS."""

    def start(seed: int) -> Training:
        torch.manual_seed(seed)
        model = Decoder(config_of(kind))
        stream = text_stream(load_quatrains().train, VOCABULARY)
        batches = window_batches(stream, TRAINED_LENGTH, batch_size=16)
        return Training(model, batches, next_token_loss, replace(SETTINGS, seed=seed))

    return Experiment(start=start, measure=measure, points=50)
