"""Training with the causal mask and without it: the losses, and what the models write (section 8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from book_tools.record.outcome import Outcome, Training, train_and_measure
from transformer_book.data import load_quatrains
from transformer_book.experiments import forgotten_mask, quatrains
from transformer_book.models import Decoder
from transformer_book.training import TrainingSettings, next_token_loss

SETTINGS = TrainingSettings(steps=800, learning_rate=3e-3)


def training(seed: int, causal: bool) -> Training:
    """The small decoder on the quatrains, with its mask or without."""
    batches = quatrains.poem_batches(load_quatrains().train, batch_size=32)
    model = forgotten_mask.decoder(causal, seed)
    return Training(model, batches, next_token_loss, replace(SETTINGS, seed=seed))


def run(name: str, causal: bool) -> Callable[[int], Outcome]:
    """The run of this name: train and measure."""
    return lambda seed: train_and_measure(name, training(seed, causal), values, parts=80)


def values(model: Decoder) -> dict:
    """Validation loss, and how many of 100 sampled poems have a quatrain's form."""
    poems = quatrains.sample_poems(model, 100, seed=0)
    return {
        "loss_validation": quatrains.gpt_loss(model, load_quatrains().validation),
        "samples": len(poems),
        "formed": sum(map(quatrains.has_form, poems)),
    }
