"""Training with the causal mask and without it: the losses, and what the models write (section 8)."""

from __future__ import annotations

from dataclasses import asdict

from book_tools.record.outcome import Outcome, means, store
from transformer_book.data import load_quatrains
from transformer_book.experiments import forgotten_mask, quatrains
from transformer_book.models import Decoder
from transformer_book.training import TrainingSettings, next_token_loss, train

SETTINGS = TrainingSettings(steps=800, learning_rate=3e-3)


def kept(seed: int) -> Outcome:
    """Train with the causal mask."""
    return _measure("mask_kept", seed, causal=True)


def forgotten(seed: int) -> Outcome:
    """Train without it."""
    return _measure("mask_forgotten", seed, causal=False)


def _measure(name: str, seed: int, causal: bool) -> Outcome:
    model = forgotten_mask.decoder(causal, seed)
    batches = quatrains.poem_batches(load_quatrains().train, batch_size=32)
    result = train(model, batches, next_token_loss, SETTINGS)
    checkpoint = store(name, model)
    return Outcome(values(model), means(result.losses, parts=80), asdict(SETTINGS), checkpoint)


def values(model: Decoder) -> dict:
    """Validation loss, and how many of 100 sampled poems have a quatrain's form."""
    poems = quatrains.sample_poems(model, 100, seed=0)
    return {
        "loss_validation": quatrains.gpt_loss(model, load_quatrains().validation),
        "samples": len(poems),
        "formed": sum(map(quatrains.has_form, poems)),
    }
