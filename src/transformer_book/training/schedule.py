"""The learning rate over time: a short linear rise, then half a cosine."""

from __future__ import annotations

import math

from transformer_book.checks.numbers import check_not_negative
from transformer_book.training.settings import TrainingSettings


def learning_rate_at(step: float, settings: TrainingSettings) -> float:
    """Return the learning rate of update number `step`, counted from 0.

    The first updates are taken carefully because Adam does not know the gradients' sizes yet; the peak
    follows after `warmup` updates, and the last update has `final_fraction` of it (Loshchilov and Hutter,
    2017). Raises ValueError for a step below 0.
    """
    check_not_negative("step", step)
    if step < settings.warmup:
        return settings.learning_rate * (step + 1) / settings.warmup
    done = (step - settings.warmup) / max(1, settings.steps - 1 - settings.warmup)
    cosine = (1 + math.cos(math.pi * min(1.0, done))) / 2
    return settings.learning_rate * (settings.final_fraction + (1 - settings.final_fraction) * cosine)
