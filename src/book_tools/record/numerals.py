"""The encoder-decoder between Chinese numerals and digits (section 8)."""

from __future__ import annotations

from dataclasses import replace

import torch

from book_tools.record.outcome import Outcome, Training, train_and_measure
from transformer_book.data import load_numerals
from transformer_book.experiments import numerals as task
from transformer_book.models import EncoderDecoder
from transformer_book.training import TrainingSettings, translation_loss

SETTINGS = TrainingSettings(steps=2000, learning_rate=3e-3, warmup=200)


def training(seed: int) -> Training:
    """Both directions in one model."""
    torch.manual_seed(seed)
    batches = task.pair_batches(task.both_ways(load_numerals().train))
    model = EncoderDecoder(task.NUMERAL_TRANSLATOR)
    return Training(model, batches, translation_loss, replace(SETTINGS, seed=seed))


def translator(seed: int) -> Outcome:
    """Train; count exact matches on 500 numbers that the model never saw."""
    return train_and_measure("numerals", training(seed), values)


def values(model: EncoderDecoder) -> dict:
    """Measure a trained translator."""
    pairs = load_numerals().validation
    return {
        "parameters": sum(p.numel() for p in model.parameters()),
        "train_numbers": len(load_numerals().train),
        "tested": len(pairs),
        "exact_to_digits": task.exact_matches(model, pairs),
        "exact_to_numerals": task.exact_matches(model, [(digits, chinese) for chinese, digits in pairs]),
    }
