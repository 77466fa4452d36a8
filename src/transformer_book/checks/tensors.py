"""Checks of torch tensors: kind, type of entries, device, and shapes by the names of their axes.

    sizes = shapes(query=(query, "... N D"), key=(key, "... M D"))

says that query and key agree in all leading axes and in D, and returns the sizes. Nothing here imports torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from transformer_book.checks.messages import must_be

if TYPE_CHECKING:
    import torch

KINDS = {
    "floating point": lambda dtype: dtype.is_floating_point,
    "bool": lambda dtype: str(dtype) == "torch.bool",
    "int64 or int32": lambda dtype: str(dtype) in ("torch.int64", "torch.int32"),
    "int64": lambda dtype: str(dtype) == "torch.int64",
}


def check_tensor(name: str, value, axes: str = "") -> None:
    """Raise TypeError unless the value is a torch tensor; axes: those it should have, such as "(B, N)"."""
    if not hasattr(value, "detach"):  # a list or a NumPy array, recognised without importing torch
        raise TypeError(must_be(name, f"a torch tensor {axes}".rstrip(), f"a {type(value).__name__}"))


def check_kind(name: str, tensor: torch.Tensor, kind: str) -> None:
    """Raise ValueError unless the tensor's entries are of a kind, one of KINDS."""
    if not KINDS[kind](tensor.dtype):
        raise ValueError(must_be(name, f"of type {kind}", tensor.dtype))


def check_dtype(name: str, value) -> None:
    """Raise TypeError unless the value is a torch dtype, ValueError unless it is of floating point."""
    if not hasattr(value, "is_floating_point") or hasattr(value, "detach"):
        raise TypeError(must_be(name, "a torch dtype", repr(value)))
    if not value.is_floating_point:
        raise ValueError(must_be(name, "floating point", value))


def check_type(name: str, tensor: torch.Tensor, dtype: torch.dtype, owner: str) -> None:
    """Raise ValueError unless the tensor's entries have the type of its owner's, such as "query"."""
    if tensor.dtype != dtype:
        raise ValueError(must_be(name, f"of type {dtype} like {owner}", tensor.dtype))


def check_device(name: str, tensor: torch.Tensor, device: torch.device, owner: str) -> None:
    """Raise ValueError unless the tensor is on the device of its owner, such as "the model"."""
    if tensor.device != device:
        raise ValueError(must_be(name, f"on {device} like {owner}", tensor.device))


def shapes(
    known: Mapping[str, int] | None = None, /, **arguments: tuple[Any, str]
) -> dict[str, int | tuple[int, ...]]:
    """Check tensors against the names of their axes, and return the size of each name.

    arguments: (tensor, axes) under the argument's name; axes such as "B H N D": one name has one size in all
    tensors, a number stands for itself, a leading "..." for any axes, the same in all; None is skipped.
    known: sizes given beforehand. Raises TypeError for a value that is not a tensor, ValueError for a shape
    that does not fit.
    """
    sizes: dict[str, int | tuple[int, ...]] = dict(known or {})
    for argument, (tensor, axes) in arguments.items():
        if tensor is None:
            continue
        names = axes.split()
        if not hasattr(tensor, "detach"):
            check_tensor(argument, tensor, f"({', '.join(names)})")
        before, found = dict(sizes), tensor.shape
        if names[0] == "...":
            leading = max(len(found) - len(names) + 1, 0)
            entries = (tuple(found[:leading]), *found[leading:])
        else:
            entries = found
        fits = len(entries) == len(names)
        for name, size in zip(names, entries, strict=False):
            expected = sizes.setdefault(name, int(name) if name.isdecimal() else size)
            fits = fits and size == expected
        if not fits:
            raise ValueError(must_be(argument, f"of shape {_with_sizes(names, before)}", tuple(found)))
    return sizes


def _with_sizes(names, sizes):
    """The axes as a reader expects them, a size behind each name that has one: (B = 2, N, D = 64)."""
    parts = []
    for name in names:
        size = None if name.isdecimal() else sizes.get(name)
        if isinstance(size, tuple):
            parts.extend(map(str, size))
        else:
            parts.append(name if size is None else f"{name} = {size}")
    return f"({', '.join(parts)})"
