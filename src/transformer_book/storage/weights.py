"""Named tensors into a model and out of it, as safetensors: a format that holds numbers and cannot run code.

Whatever does not fit is an error that names the tensor; nothing is loaded in part, reshaped or skipped in
silence.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import nn

from transformer_book.checks.messages import must_be
from transformer_book.checks.tensors import check_dtype
from transformer_book.storage.files import CorruptFileError, existing_file, write_atomically


def model_tensors(model: nn.Module) -> dict[str, torch.Tensor]:
    """Return the model's parameters and saved buffers by name; a tied parameter appears once."""
    tensors = dict(model.named_parameters())
    saved = model.state_dict()
    return tensors | {name: buffer for name, buffer in model.named_buffers() if name in saved}


def assign_tensors(model: nn.Module, tensors: Mapping[str, torch.Tensor], source: str) -> None:
    """Copy `tensors` into the model, each into the parameter of its name, converted to that parameter's type.

    A model on the meta device, which has no memory to copy into, takes the tensors themselves. Raises
    CorruptFileError, before anything is copied, as `check_tensors` does; ValueError for a model that is on
    the meta device in part, or has a buffer there that no file holds.
    """
    check_tensors(model, tensors, source)
    wanted = model_tensors(model)
    devices = {name: tensor.device.type for name, tensor in [*wanted.items(), *model.named_buffers()]}
    if "meta" not in devices.values():
        with torch.no_grad():
            for name, tensor in tensors.items():
                wanted[name].copy_(tensor)
        return
    for name, device in devices.items():
        if device != "meta" or name not in wanted:
            found = f"{name} on {device}{'' if name in wanted else ', which no file holds'}"
            raise ValueError(must_be("model", "on the meta device as a whole, or not at all", found))
    # The model owns what it takes: the caller's tensors stay the caller's.
    adopt_tensors(model, {name: tensor.to(wanted[name].dtype, copy=True) for name, tensor in tensors.items()})


def check_tensors(model: nn.Module, tensors: Mapping[str, torch.Tensor], source: str) -> None:
    """Raise CorruptFileError unless `tensors` are those of the model.

    source: where they come from, for messages. It names a tensor that is missing, unexpected, of another
    shape, not finite, or of whole numbers where the model has real ones.
    """
    wanted = model_tensors(model)
    if missing := sorted(wanted.keys() - tensors.keys()):
        raise CorruptFileError(f"{source} lacks the tensor {missing[0]}{_and_others(missing)}.")
    if surplus := sorted(tensors.keys() - wanted.keys()):
        raise CorruptFileError(
            f"{source} holds a tensor {surplus[0]} that the model lacks{_and_others(surplus)}."
        )
    for name, tensor in tensors.items():
        expected, found = tuple(wanted[name].shape), tuple(tensor.shape)
        if found != expected:
            raise CorruptFileError(must_be(f"{source}: tensor {name}", f"of shape {expected}", found))
        if tensor.is_floating_point() != wanted[name].is_floating_point():
            raise CorruptFileError(
                must_be(f"{source}: tensor {name}", f"of type {wanted[name].dtype}", tensor.dtype)
            )
        if not is_finite(tensor):
            raise CorruptFileError(must_be(f"{source}: tensor {name}", "finite", "NaN or infinity"))


def adopt_tensors(model: nn.Module, tensors: Mapping[str, torch.Tensor]) -> None:
    """Make `tensors`, checked already, the parameters of a model that was built on the meta device."""
    model.load_state_dict(dict(tensors), assign=True)


def is_finite(tensor: torch.Tensor) -> bool:
    """Say whether no entry is NaN or infinite, without a second tensor of that size."""
    if tensor.numel() == 0 or not tensor.is_floating_point():
        return True
    return all(torch.isfinite(extreme) for extreme in tensor.aminmax())


def _and_others(names: list[str]) -> str:
    return f" and {len(names) - 1} more" if len(names) > 1 else ""


def write_safetensors(
    path: str | Path, tensors: Mapping[str, torch.Tensor], notes: Mapping[str, Any]
) -> None:
    """Write tensors and JSON-able `notes` into one safetensors file, in one step."""
    ready = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    header = {key: json.dumps(value) for key, value in notes.items()}
    write_atomically(path, save(ready, metadata=header))


def read_safetensors(path: str | Path) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    """Return the tensors and notes of a safetensors file.

    Raises FileNotFoundError, or CorruptFileError for a file that is truncated or of another format.
    """
    path = existing_file(path)
    try:
        with safe_open(path, framework="pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no mapping)
            header = file.metadata() or {}
    except SafetensorError as error:
        raise CorruptFileError(must_be(path.name, "a complete safetensors file", error)) from error
    return tensors, {key: _parsed(value) for key, value in header.items()}


def _parsed(value: str) -> Any:
    """Notes of ours are JSON; other writers put plain words such as pt."""
    try:
        return json.loads(value)
    except json.JSONDecodeError:
        return value


def save_model(
    path: str | Path, model: nn.Module, notes: Mapping[str, Any], dtype: torch.dtype | None = None
) -> None:
    """Write a model's tensors, floating-point ones as `dtype` if given, for `load_model`.

    Raises ValueError, and writes nothing, for a dtype of whole numbers or a tensor that is not finite in it.
    """
    tensors = model_tensors(model)
    if dtype is not None:
        check_dtype("dtype", dtype)
        tensors = {name: t.to(dtype) if t.is_floating_point() else t for name, t in tensors.items()}
    for name, tensor in tensors.items():
        if not is_finite(tensor):
            raise ValueError(must_be(f"tensor {name}", f"finite as {tensor.dtype}", "NaN or infinity"))
    write_safetensors(path, tensors, notes)


def load_model(path: str | Path, model: nn.Module) -> dict[str, Any]:
    """Fill `model` from a file of `save_model` and return its notes.

    A model on the meta device comes to the CPU. Raises FileNotFoundError, and as `assign_tensors` does.
    """
    tensors, notes = read_safetensors(path)
    assign_tensors(model, tensors, Path(path).name)
    return notes
