"""The state of a training run in one safetensors file: weights, Adam's two moments, and JSON for the rest.

Random numbers need no saving: every step draws its own from the seed and its number.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import torch
from torch import nn

from transformer_book.checks.messages import must_be
from transformer_book.storage.files import CorruptFileError
from transformer_book.storage.weights import assign_tensors, check_tensors, is_finite, model_tensors
from transformer_book.training.identity import first_difference
from transformer_book.training.sealed import read_sealed, write_sealed

HISTORY = ("losses", "gradient_norms")  # lists with one entry a finished step
_MOMENTS = {"exp_avg": "adam.first.", "exp_avg_sq": "adam.second."}
_PREFIXES = ("model.", *_MOMENTS.values())


def checkpoint_place(path: str | Path) -> Path:
    """Return the path with ~ expanded and its folders made, when a file can be written there.

    Raises OSError, in one sentence, for a folder or a place that cannot be written.
    """
    place = Path(path).expanduser()
    if place.is_dir():
        raise IsADirectoryError(must_be("checkpoint", "the path of a file", f"the folder {place}"))
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=place.parent):
            pass
    except OSError as error:
        wanted = "the path of a file that can be written"
        raise type(error)(must_be("checkpoint", wanted, f"{place} ({error.strerror})")) from None
    return place


def write_checkpoint(
    path: str | Path,
    model: nn.Module,
    optimizer: torch.optim.AdamW,
    run: dict[str, Any],
    history: dict[str, list[float]],
) -> None:
    """Write all that the next step needs, at once, so that a killed run leaves the previous file whole.

    run: from `describe_run`. history: the lists of HISTORY by name.
    """
    tensors = {f"model.{name}": tensor for name, tensor in model_tensors(model).items()}
    updates = {}  # a parameter that no loss has reached has no moments, and its own number of updates
    for name, parameter in _trained(model):
        if state := optimizer.state.get(parameter):
            updates[name] = int(state["step"])
            tensors |= {prefix + name: state[moment] for moment, prefix in _MOMENTS.items()}
    notes = {"run": run, "updates": updates, "history": history}
    write_sealed(Path(path).expanduser(), tensors, notes)


def read_checkpoint(
    path: str | Path, model: nn.Module, optimizer: torch.optim.AdamW, run: dict[str, Any]
) -> dict[str, list[float]]:
    """Fill model and optimizer from a checkpoint and return its history.

    run: from `describe_run`. Raises ValueError, naming the difference, when another model, loss or settings
    began the run, CorruptFileError for a file that is damaged, before anything is changed; FileNotFoundError.
    """
    path = Path(path).expanduser()
    tensors, notes = read_sealed(path)
    name = path.name
    if not all(isinstance(notes.get(part), dict) for part in ("run", "updates", "history")):
        raise CorruptFileError(f"{name} is not a checkpoint of a training run.")
    if differs := first_difference(notes["run"], run):
        started = notes["run"].get(differs)
        raise ValueError(
            f"{name} must be of the same run; got one with {differs} = {started}, where this run has "
            f"{run.get(differs)}. Give another checkpoint file, or the same model, loss and settings."
        )
    history = _checked_history(notes["history"], run["settings.steps"], name)
    weights = _with_prefix(tensors, "model.")
    check_tensors(model, weights, name)
    fused = optimizer.defaults["fused"]  # then the number of updates lives beside the parameter
    states = {
        parameter: _moments(tensors, of, parameter, name)
        | {"step": torch.tensor(float(notes["updates"][of]), device=parameter.device if fused else "cpu")}
        for of, parameter in _trained(model)
        if of in notes["updates"]
    }
    if unknown := tensors.keys() - {p + of for p in _PREFIXES for of in model_tensors(model)}:
        raise CorruptFileError(f"{name} holds a tensor {min(unknown)} that the run lacks.")
    assign_tensors(model, weights, name)
    optimizer.state.update(states)
    return history


def _checked_history(history: dict, steps: int, name: str) -> dict[str, list[float]]:
    """The history as it was written: the lists of HISTORY, equally long and within the steps of the run."""
    lengths = {len(values) if isinstance(values, list) else -1 for values in history.values()}
    if history.keys() != set(HISTORY) or len(lengths) != 1 or not 0 < min(lengths) <= steps:
        wanted = f"of 1 to {steps} steps, equally many"
        raise CorruptFileError(must_be(f"{' and '.join(HISTORY)} in {name}", wanted, sorted(lengths)))
    return history


def _moments(tensors: dict, of: str, parameter: nn.Parameter, name: str) -> dict:
    """Adam's two moments of one parameter, on its device; no mean of squares is negative."""
    moments = {}
    for moment, prefix in _MOMENTS.items():
        found = tensors.get(prefix + of)
        fits = found is not None and found.shape == parameter.shape and is_finite(found)
        if not fits or (moment == "exp_avg_sq" and bool((found < 0).any())):
            raise CorruptFileError(
                f"{name} must hold {prefix}{of} as finite numbers in the parameter's shape, "
                f"squares' means not below 0; got others."
            )
        moments[moment] = found.to(parameter.device, copy=True)
    return moments


def _trained(model: nn.Module) -> list[tuple[str, nn.Parameter]]:
    return [(name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad]


def _with_prefix(tensors: dict[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
