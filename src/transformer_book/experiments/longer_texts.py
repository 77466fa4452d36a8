"""Positions beyond the training length: one small decoder for each kind of position (section 5).

The kinds differ in their positions alone. The text is that of `number_text`. All are trained on windows of
64 characters and read windows of 512; the loss is taken at each position.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import torch
import torch.nn.functional as F

from transformer_book.experiments.experiment import Experiment, Grid, Outcome, Training
from transformer_book.experiments.number_text import VOCABULARY, number_stream
from transformer_book.experiments.text_stream import pair_chances, window_batches
from transformer_book.models import Decoder, DecoderConfig
from transformer_book.training import TrainingSettings, next_token_loss

KINDS = ("sinusoidal", "learned", "rotary", "none")
SEEDS = (0, 1, 2, 3, 4)
SETTINGS = TrainingSettings(steps=300, learning_rate=3e-3, warmup=30)
BATCH_SIZE = 8
TRAINED_LENGTH = 64
READ_LENGTH = 512
ENDS = (32, 64, 96, 128, 192, 256, 384, 512)  # of the ranges of positions whose losses are averaged


def config_of(kind: str) -> DecoderConfig:
    """Return the small decoder's config; embeddings are scaled by √D, as in 2017, whatever the positions."""
    return DecoderConfig(
        vocabulary_size=len(VOCABULARY),
        context_length=READ_LENGTH,
        dim=64,
        num_layers=2,
        num_heads=4,
        positions=kind,
        embedding_scale=True,
    )


def changed(model: Decoder, **choices) -> Decoder:
    """Return a decoder with the weights of `model` and other choices of its config, ready to read."""
    other = Decoder(replace(model.config, **choices))
    other.load_state_dict(model.state_dict())
    return other.eval()


def validation_windows(length: int) -> torch.Tensor:
    """Return the validation numbers cut into windows of length + 1 ids (W, length + 1)."""
    return number_stream("validation").unfold(0, length + 1, length)


@torch.no_grad()
def validation_losses(model: Decoder, length: int = READ_LENGTH) -> torch.Tensor:
    """Return the loss in nats at each position of each window of the validation numbers (W, length)."""
    losses = [
        F.cross_entropy(model(part[:, :-1]).logits.transpose(1, 2), part[:, 1:], reduction="none")
        for part in validation_windows(length).split(8)
    ]
    return torch.cat(losses)


def losses_by_range(losses: torch.Tensor) -> list[float]:
    """Average losses (W, 512) over positions 1 to 32, 33 to 64, and so on up to each of ENDS."""
    starts = (0, *ENDS[:-1])
    return [losses[:, start:end].mean().item() for start, end in zip(starts, ENDS, strict=True)]


def counting_losses() -> dict[str, float]:
    """Return the validation losses in nats of two guesses by counting: "unigram" and "bigram".

    The unigram knows how frequent each token is. The bigram knows how often each token followed the one
    before; pairs that never occurred get the unigram's chance by Witten and Bell's (1991) rule.
    """
    _, single = _chances()
    after = number_stream("validation")[1:]
    return {
        "unigram": -single[after].log().mean().item(),
        "bigram": bigram_losses(len(after)).mean().item(),
    }


def bigram_losses(length: int = READ_LENGTH) -> torch.Tensor:
    """Return the bigram's loss in nats at each position of each validation window (W, length)."""
    follow, _ = _chances()
    windows = validation_windows(length)
    return -follow[windows[:, :-1], windows[:, 1:]].log()


@cache
def _chances() -> tuple[torch.Tensor, torch.Tensor]:
    """Return what was counted in the training numbers: the chances of pairs (V, V), and of tokens (V,)."""
    text = number_stream("train")
    return pair_chances(text[:-1], text[1:], len(VOCABULARY))


def measure(model: Decoder) -> Outcome:
    """Return mean losses over the ranges that end at ENDS.

    "windowed" are those of the same weights when each position sees only the last 64, itself among them: no
    two tokens are then farther apart, nor more keys seen, than in training. "pairings", of the rotary kind
    alone: the mean loss within the training length, first as trained and then with the halves paired.
    """
    near = changed(model, window=TRAINED_LENGTH)
    readers = {"losses": model.eval(), "windowed": near}
    values = {name: losses_by_range(validation_losses(one)) for name, one in readers.items()}
    if model.config.positions == "rotary":
        pairings = model, changed(model, rope_pairing="halves")
        values["pairings"] = [validation_losses(one, TRAINED_LENGTH).mean().item() for one in pairings]
    return Outcome(values)


def experiment(kind: str) -> Experiment:
    """Return the experiment of one of KINDS."""

    def start(seed: int) -> Training:
        torch.manual_seed(seed)
        model = Decoder(config_of(kind))
        batches = window_batches(number_stream("train"), TRAINED_LENGTH, BATCH_SIZE)
        return Training(model, batches, next_token_loss, replace(SETTINGS, seed=seed))

    return Experiment(start=start, measure=measure, points=30)


GRID = Grid(conditions={kind: experiment(kind) for kind in KINDS}, seeds=SEEDS)
