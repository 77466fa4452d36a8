"""What a run hands over, and how it is written down."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from typing import Any

import torch
from torch import nn

from transformer_book.recorded import Recorded
from transformer_book.storage.data_folder import data_folder
from transformer_book.storage.files import write_atomically
from transformer_book.storage.weights import load_model, save_model
from transformer_book.training import TrainingSettings, train
from transformer_book.training.loop import BatchSource, LossFunction

_DIGITS = 6


@dataclass(frozen=True)
class Outcome:
    """values and curves that a run measured; settings that made them."""

    values: dict[str, Any]
    curves: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    checkpoint: str | None = None


@dataclass(frozen=True)
class Training:
    """What goes into `train`, ready to start."""

    model: nn.Module
    batches: BatchSource
    loss: LossFunction
    settings: TrainingSettings


@dataclass(frozen=True)
class Run:
    """A named run: a function of its seed, and the packages whose versions matter beside torch and NumPy."""

    measure: Callable[[int], Outcome]
    seed: int = 0
    packages: tuple[str, ...] = ()


def train_and_measure(
    name: str, training: Training, measure: Callable[[nn.Module], dict[str, Any]], parts: int = 100
) -> Outcome:
    """Train, store the weights, and measure the stored ones; the loss curve has `parts` points."""
    result = train(training.model, training.batches, training.loss, training.settings)
    checkpoint = store(name, training.model)
    return Outcome(
        measure(training.model), means(result.losses, parts), asdict(training.settings), checkpoint
    )


def store(name: str, model: nn.Module) -> str:
    """Write the weights as float16, read them back into the model, and return the file's name."""
    place = f"checkpoints/{name}.safetensors"
    save_model(data_folder() / place, model, {"run": name}, dtype=torch.float16)
    load_model(data_folder() / place, model)
    return place


def write_down(name: str, run: Run, outcome: Outcome, seconds: float) -> None:
    """Write the results file of a run."""
    versions = {package: version(package) for package in ("torch", "numpy", *run.packages)}
    result = Recorded(
        name=name,
        command=f"python -m book_tools.record {name}",
        seed=run.seed,
        settings=outcome.settings,
        versions={"python": platform.python_version(), **versions},
        threads=torch.get_num_threads(),
        seconds=round(seconds, 1),
        values=_rounded(outcome.values),
        curves=_rounded(outcome.curves),
        checkpoint=outcome.checkpoint,
    )
    text = json.dumps(asdict(result), ensure_ascii=False, indent=1) + "\n"
    write_atomically(data_folder() / "results" / f"{name}.json", text.encode("utf-8"))


def _rounded(value: Any) -> Any:
    """Six significant digits are more than a run on another machine would repeat."""
    if isinstance(value, dict):
        return {key: _rounded(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(entry) for entry in value]
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value


def means(losses: list[float], parts: int = 100) -> dict[str, list]:
    """Return a loss curve in `parts` points: the step in the middle of each part, and the mean loss in it."""
    size = max(1, len(losses) // parts)
    starts = range(0, len(losses) - size + 1, size)
    return {
        "step": [k + size // 2 for k in starts],
        "loss": [sum(losses[k : k + size]) / size for k in starts],
    }
