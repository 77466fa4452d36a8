"""What an experiment is made of: how a training starts, and what is measured afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from transformer_book.training import TrainingSettings
from transformer_book.training.loop import Batch, BatchSource, LossFunction


@dataclass(frozen=True)
class Training:
    """What goes into `train`, ready to start."""

    model: nn.Module
    batches: BatchSource
    loss: LossFunction
    settings: TrainingSettings


@dataclass(frozen=True)
class Outcome:
    """What was measured: numbers and lists by name."""

    values: dict[str, Any]
    curves: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """One model, trained and measured.

    start: a seed to the training. measure: the trained model to its outcome. at_start: curves of the
    untrained model. points: of the loss curve. seeds: the weights of the first are kept, the others leave a
    row of values each. packages: those whose versions matter beside torch and NumPy.
    """

    start: Callable[[int], Training]
    measure: Callable[[Any], Outcome]
    at_start: Callable[[Any], dict[str, Any]] | None = None
    points: int = 100
    seeds: tuple[int, ...] = (0,)
    packages: tuple[str, ...] = ()

    @property
    def seed(self) -> int:
        """The first seed."""
        return self.seeds[0]


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """What leaves numbers and no weights: a seed to the outcome. settings: a dataclass, written down."""

    measure: Callable[[int], Outcome]
    settings: Any
    seed: int = 0
    packages: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Grid:
    """The same experiment under several conditions, each with several seeds: one row of values for each pair.

    The weights of each condition's first seed are kept; a condition that is a `Measurement` leaves none.
    """

    conditions: Mapping[str, Experiment | Measurement]
    seeds: tuple[int, ...]
    packages: tuple[str, ...] = ()

    @property
    def seed(self) -> int:
        """The first seed."""
        return self.seeds[0]


def random_rows(rows: Batch, batch_size: int = 64) -> BatchSource:
    """Return a source of batches for `train`: the same rows, drawn at random, of tensors of one length."""
    number = len(next(iter(rows.values())))

    def draw(generator: torch.Generator) -> Batch:
        chosen = torch.randint(number, (batch_size,), generator=generator)
        return {name: tensor[chosen] for name, tensor in rows.items()}

    return draw
