"""Four kinds of positions, trained on 64 characters and read on 512 (section 5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

import torch

from book_tools.record.outcome import Outcome, means, store
from transformer_book.data import load_quatrains
from transformer_book.experiments import longer_texts
from transformer_book.experiments.text_stream import text_stream, window_batches
from transformer_book.models import Decoder
from transformer_book.training import TrainingSettings, next_token_loss, train

SETTINGS = TrainingSettings(steps=1000, learning_rate=3e-3)


def of_kind(kind: str) -> Callable[[int], Outcome]:
    """Return the run of one kind of position."""

    def measure(seed: int) -> Outcome:
        torch.manual_seed(seed)
        model = Decoder(longer_texts.config_of(kind))
        stream = text_stream(load_quatrains().train, longer_texts.VOCABULARY)
        batches = window_batches(stream, longer_texts.TRAINED_LENGTH, batch_size=16)
        losses = train(model, batches, next_token_loss, SETTINGS).losses
        checkpoint = store(f"positions_{kind}", model)
        return Outcome(values(model), means(losses, parts=50), asdict(SETTINGS), checkpoint)

    return measure


def values(model: Decoder) -> dict:
    """Mean losses over ranges of positions, `ends` the last position of each."""
    losses = longer_texts.losses_by_position(model)
    return {"ends": list(longer_texts.ENDS), "losses": longer_texts.losses_by_range(losses)}
