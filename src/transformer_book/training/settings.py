"""What there is to choose in a training run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

PRECISIONS = ("float32", "bfloat16")


@dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    """The choices of `train`.

    steps: updates in all. learning_rate: its peak, reached after `warmup` steps, then a cosine down to
    `final_fraction` of it. weight_decay: for matrices alone, not for biases and norms. clip: longest
    gradient. seed: of batches and dropout. precision: float32, or bfloat16 for the matrix products (CUDA;
    weights stay float32). checkpoint: a file, written every `checkpoint_every` steps and at the end; if it
    exists, training resumes from it. progress: show a bar (the environment variable TQDM_DISABLE=1 hides it
    everywhere).
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
        for name in ("steps", "learning_rate", "clip", "checkpoint_every"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} is {getattr(self, name)}, expected more than 0.")
        if not 0 <= self.warmup <= self.steps:
            raise ValueError(f"warmup is {self.warmup}, expected 0 to steps = {self.steps}.")
        if not 0 <= self.final_fraction <= 1:
            raise ValueError(f"final_fraction is {self.final_fraction}, expected 0 to 1.")
        if self.precision not in PRECISIONS:
            raise ValueError(f"precision is {self.precision!r}, expected one of {', '.join(PRECISIONS)}.")
