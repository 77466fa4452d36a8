"""What there is to choose in a training run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import (
    check_choice,
    check_not_negative,
    check_positive,
    check_whole,
    is_number,
)

PRECISIONS = ("float32", "bfloat16")
LARGEST_SEED = 2**40


@dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    """The choices of `train`.

    steps: updates in all. learning_rate: its peak, reached after `warmup` steps, then a cosine down to
    `final_fraction` of it. weight_decay: for matrices alone, not for biases and norms. clip: longest
    gradient. seed: of batches and dropout. precision: float32, or bfloat16 for the matrix products (CUDA;
    weights stay float32). checkpoint: a file, written every `checkpoint_every` steps and at the end; if it
    exists, training resumes from it. progress: show a bar (the environment variable TQDM_DISABLE=1 hides it
    everywhere). Raises ValueError, naming the setting, for one that makes no sense.
    """

    steps: int
    learning_rate: float = 1e-3
    warmup: int = 50
    final_fraction: float = 0.1
    weight_decay: float = 0.1
    betas: tuple[float, float] = (0.9, 0.95)
    clip: float = 1.0
    seed: int = 0
    precision: str = "float32"
    checkpoint: str | Path | None = None
    checkpoint_every: int = 500
    progress: bool = True

    def __post_init__(self):
        check_whole("steps", self.steps)
        check_whole("warmup", self.warmup, least=0)
        check_whole("checkpoint_every", self.checkpoint_every)
        check_whole("seed", self.seed, least=0)
        check_positive("learning_rate", self.learning_rate)
        check_not_negative("weight_decay", self.weight_decay)
        check_choice("precision", self.precision, PRECISIONS)
        if self.clip != math.inf:  # which clips nothing
            check_positive("clip", self.clip)
        if self.warmup > self.steps:
            raise ValueError(must_be("warmup", f"0 to steps = {self.steps}", self.warmup))
        if self.seed > LARGEST_SEED:  # each step's own seed is made of it, and has 64 bits
            raise ValueError(must_be("seed", f"0 to {LARGEST_SEED}", self.seed))
        if not is_number(self.final_fraction) or not 0 <= self.final_fraction <= 1:
            raise ValueError(must_be("final_fraction", "a number from 0 to 1", repr(self.final_fraction)))
        pair = isinstance(self.betas, tuple | list) and len(self.betas) == 2
        if not pair or not all(is_number(beta) and 0 <= beta < 1 for beta in self.betas):
            raise ValueError(must_be("betas", "two numbers of at least 0 and below 1", repr(self.betas)))
        if self.checkpoint is not None and not (
            isinstance(self.checkpoint, str | Path) and str(self.checkpoint)
        ):
            raise ValueError(must_be("checkpoint", "the path of a file, or None", repr(self.checkpoint)))
