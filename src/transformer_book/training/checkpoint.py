"""The state of a training run in one safetensors file: weights, Adam's two moments, and JSON for the rest.

Random numbers need no saving: every step draws its own from the seed and its number.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import torch
from torch import nn

from transformer_book.files import CorruptFileError
from transformer_book.training.settings import TrainingSettings
from transformer_book.weights import assign_tensors, model_tensors, read_safetensors, write_safetensors

_MOMENTS = {"exp_avg": "adam.first.", "exp_avg_sq": "adam.second."}
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

    history: lists with one entry a finished step, such as the losses.
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

    Raises ValueError when the run was started with other settings, CorruptFileError naming what does not fit.
    """
    tensors, notes = read_safetensors(path)
    name = Path(path).name
    if not {"settings", "history"} <= notes.keys():
        raise CorruptFileError(f"{name} is no checkpoint of a training run: it lacks settings or history.")
    for key, value in _binding(settings).items():
        if notes["settings"].get(key) != value:
            raise ValueError(
                f"{name} belongs to a run with {key} = {notes['settings'].get(key)}, not {value}; "
                "give another checkpoint file or the same settings."
            )
    assign_tensors(model, _with_prefix(tensors, "model."), name)
    step = float(len(next(iter(notes["history"].values()))))
    moments = {moment: _with_prefix(tensors, prefix) for moment, prefix in _MOMENTS.items()}
    for parameter_name, parameter in _trained(model):
        state = {"step": torch.tensor(step)}
        for moment, found in moments.items():
            if parameter_name not in found or found[parameter_name].shape != parameter.shape:
                raise CorruptFileError(
                    f"{name} lacks {_MOMENTS[moment]}{parameter_name} in the parameter's shape."
                )
            state[moment] = found[parameter_name].to(parameter.device, copy=True)
        optimizer.state[parameter] = state
    return notes["history"]


def _trained(model: nn.Module) -> list[tuple[str, nn.Parameter]]:
    return [(name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad]


def _binding(settings: TrainingSettings) -> dict:
    return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(settings).items() if k not in _FREE}


def _with_prefix(tensors: dict[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
