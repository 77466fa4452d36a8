"""What a run is: everything that decides what it computes, as names and plain values that can be compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from functools import partial
from typing import Any

from torch import nn

from transformer_book.training.settings import TrainingSettings

# Settings that may differ when a run resumes: they do not change what is learnt.
_FREE = ("checkpoint", "checkpoint_every", "progress")
_PLAIN = (bool, int, float, str, type(None))


def describe_run(model: nn.Module, loss: Callable, settings: TrainingSettings) -> dict[str, Any]:
    """Return the settings, the loss function's name, and of each module its class and its own plain values.

    Among these are a config's fields, heads, window, dropout and epsilons. Of parameters and saved buffers it
    tells type and whether they are trained; shapes are compared with the tensors themselves. All values are
    as JSON gives them back.
    """
    run = {f"settings.{name}": value for name, value in asdict(settings).items() if name not in _FREE}
    run["loss"] = _name_of(loss)
    for place, module in model.named_modules():
        at = f"model.{place}" if place else "model"
        run[at] = f"{type(module).__module__}.{type(module).__qualname__}"
        for name, value in vars(module).items():
            if not name.startswith("_") and name != "training":
                run |= _plain(f"{at}.{name}", value)
    for name, parameter in model.named_parameters():
        run[f"model.{name}"] = f"{parameter.dtype}, {'trained' if parameter.requires_grad else 'frozen'}"
    return {name: list(value) if isinstance(value, tuple) else value for name, value in run.items()}


def first_difference(started: dict[str, Any], now: dict[str, Any]) -> str | None:
    """Return the first name whose value differs, or that one of the two descriptions lacks."""
    names = [*now, *(name for name in started if name not in now)]
    return next((name for name in names if started.get(name) != now.get(name)), None)


def _plain(name: str, value: Any) -> dict[str, Any]:
    """A number, text, tuple of such or function under its name; a dataclass field by field; else nothing."""
    if is_dataclass(value) and not isinstance(value, type):
        fields = asdict(value).items()
        return {
            key: entry for field, part in fields for key, entry in _plain(f"{name}.{field}", part).items()
        }
    if isinstance(value, tuple | list) and all(isinstance(part, _PLAIN) for part in value):
        return {name: tuple(value)}
    if isinstance(value, _PLAIN):
        return {name: value}
    if callable(value) and not isinstance(value, nn.Module):
        return {name: _name_of(value)}
    return {}


def _name_of(function: Callable) -> str:
    if isinstance(function, partial):
        given = ", ".join([*map(repr, function.args), *(f"{k}={v!r}" for k, v in function.keywords.items())])
        return f"{_name_of(function.func)}({given})"
    return getattr(function, "__qualname__", None) or type(function).__qualname__
