"""The state of a training run in one safetensors file: weights, Adam's two moments, and JSON for the rest.

Random numbers need no saving: every step draws its own from the seed and its number.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import torch
from torch import nn

from transformer_book.storage.files import CorruptFileError
from transformer_book.storage.weights import (
    assign_tensors,
    check_tensors,
    is_finite,
    model_tensors,
    read_safetensors,
    write_safetensors,
)
from transformer_book.training.settings import TrainingSettings

HISTORY = ("losses", "gradient_norms")  # lists with one entry a finished step
_MOMENTS = {"exp_avg": "adam.first.", "exp_avg_sq": "adam.second."}
_PREFIXES = ("model.", *_MOMENTS.values())
# Settings that may differ when a run resumes: they do not change what is learnt.
_FREE = ("checkpoint", "checkpoint_every", "progress")


def write_checkpoint(
    path: str | Path,
    model: nn.Module,
    optimizer: torch.optim.AdamW,
    settings: TrainingSettings,
    history: dict[str, list[float]],
) -> None:
    """Write all that the next step needs, at once, so that a killed run leaves the previous file whole.

    history: the lists of HISTORY by name.
    """
    tensors = {f"model.{name}": tensor for name, tensor in model_tensors(model).items()}
    for name, parameter in _trained(model):
        for moment, prefix in _MOMENTS.items():
            tensors[prefix + name] = optimizer.state[parameter][moment]
    write_safetensors(path, tensors, {"settings": _binding(settings), "history": history})


def read_checkpoint(
    path: str | Path, model: nn.Module, optimizer: torch.optim.AdamW, settings: TrainingSettings
) -> dict[str, list[float]]:
    """Fill model and optimizer from a checkpoint and return its history.

    Raises ValueError when the run was started with other settings, CorruptFileError naming what does not fit,
    before anything is changed; FileNotFoundError.
    """
    tensors, notes = read_safetensors(path)
    name = Path(path).name
    started = notes.get("settings")
    if not isinstance(started, dict):
        raise CorruptFileError(f"{name} is no checkpoint of a training run: it lacks settings.")
    for key, value in _binding(settings).items():
        if started.get(key) != value:
            raise ValueError(
                f"{name} belongs to a run with {key} = {started.get(key)}, not {value}; "
                "give another checkpoint file or the same settings."
            )
    history = _checked_history(notes.get("history"), settings.steps, name)
    weights = _with_prefix(tensors, "model.")
    check_tensors(model, weights, name)
    step = float(len(history["losses"]))
    states = {
        parameter: {"step": torch.tensor(step), **_moments(tensors, of, parameter, name)}
        for of, parameter in _trained(model)
    }
    if unknown := tensors.keys() - {p + of for p in _PREFIXES for of in model_tensors(model)}:
        raise CorruptFileError(f"{name} holds a tensor {min(unknown)} that the run lacks.")
    assign_tensors(model, weights, name)
    optimizer.state.update(states)
    return history


def _checked_history(history, steps: int, name: str) -> dict[str, list[float]]:
    """The history as it was written: the lists of HISTORY, equally long and within the steps of the run."""
    if not isinstance(history, dict) or history.keys() != set(HISTORY):
        raise CorruptFileError(f"{name} is no checkpoint of a training run: it lacks {' or '.join(HISTORY)}.")
    lengths = [len(values) if isinstance(values, list) else -1 for values in history.values()]
    if len(set(lengths)) != 1 or not 0 < lengths[0] <= steps:
        raise CorruptFileError(f"{name} holds no {' and '.join(HISTORY)} of 1 to {steps} steps.")
    return history


def _moments(tensors: dict, of: str, parameter: nn.Parameter, name: str) -> dict[str, torch.Tensor]:
    """Adam's two moments of one parameter, on its device."""
    moments = {}
    for moment, prefix in _MOMENTS.items():
        found = tensors.get(prefix + of)
        if found is None or found.shape != parameter.shape or not is_finite(found):
            raise CorruptFileError(f"{name} lacks finite numbers {prefix}{of} in the parameter's shape.")
        moments[moment] = found.to(parameter.device, copy=True)
    return moments


def _trained(model: nn.Module) -> list[tuple[str, nn.Parameter]]:
    return [(name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad]


def _binding(settings: TrainingSettings) -> dict:
    return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(settings).items() if k not in _FREE}


def _with_prefix(tensors: dict[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
