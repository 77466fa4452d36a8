"""The same small decoder trained with and without its causal mask, on the quatrains (section 8).

Without the mask each position sees the token that it has to predict. The loss falls, and nothing is learnt
that generation could use.
"""

from __future__ import annotations

from dataclasses import replace

import torch

from transformer_book.data import load_quatrains
from transformer_book.experiments import quatrains
from transformer_book.experiments.experiment import Experiment, Outcome, Training
from transformer_book.models import Decoder
from transformer_book.training import TrainingSettings, next_token_loss

CONFIG = replace(quatrains.QUATRAIN_GPT, dim=64, num_layers=2, dropout=0.0)
SETTINGS = TrainingSettings(steps=800, learning_rate=3e-3)


def decoder(causal: bool, seed: int = 0) -> Decoder:
    """Return the untrained decoder; causal=False forgets the mask in every layer."""
    torch.manual_seed(seed)
    model = Decoder(CONFIG)
    for layer in model.layers:
        layer.attention.causal = causal
    return model


def measure(model: Decoder) -> Outcome:
    """Return the validation loss, and how many of 100 sampled poems have a quatrain's form."""
    poems = quatrains.sample_poems(model, 100, seed=0)
    values = {
        "loss_validation": quatrains.gpt_loss(model, load_quatrains().validation),
        "samples": len(poems),
        "formed": sum(map(quatrains.has_form, poems)),
    }
    return Outcome(values)


def experiment(*, causal: bool) -> Experiment:
    """Return the small decoder on the quatrains, with its mask or without."""

    def start(seed: int) -> Training:
        batches = quatrains.poem_batches(load_quatrains().train, batch_size=32)
        return Training(decoder(causal, seed), batches, next_token_loss, replace(SETTINGS, seed=seed))

    return Experiment(start=start, measure=measure, points=80, seeds=(0, 1, 2, 3, 4))
