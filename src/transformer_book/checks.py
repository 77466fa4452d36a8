"""What the doors of all rooms ask, so that one mistake meets one sentence everywhere.

Each check raises unless its value is right; the sentence names the argument, what came and what was expected.
Nothing here needs torch.
"""

import math
import numbers
from collections.abc import Iterable


def is_number(value) -> bool:
    """Say whether the value is one finite real number."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value)


def check_whole(name: str, value, least: int = 1) -> None:
    """Raise ValueError unless the value is a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise ValueError(f"{name} is {value!r}, expected a whole number of at least {least}")


def check_positive(name: str, value) -> None:
    """Raise ValueError unless the value is a finite number above 0."""
    if not (is_number(value) and value > 0):
        raise ValueError(f"{name} is {value!r}, expected a positive number")


def check_not_negative(name: str, value) -> None:
    """Raise ValueError unless the value is a finite number, 0 or more."""
    if not (is_number(value) and value >= 0):
        raise ValueError(f"{name} is {value!r}, expected 0 or a positive number")


def check_dropout(value) -> None:
    """Raise ValueError unless the value is a share of units that leaves some."""
    if not (is_number(value) and 0 <= value < 1):
        raise ValueError(f"dropout is {value!r}, expected a probability below 1")


def check_choice(name: str, value, choices: Iterable[str]) -> None:
    """Raise ValueError unless the value is one of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} is {value!r}, expected one of {', '.join(choices)}")


def check_tensor(name: str, value, shape: str) -> None:
    """Raise TypeError unless the value is a torch tensor; shape: the axes it should have, for the message."""
    if not hasattr(value, "detach"):  # a list or a NumPy array, told apart without importing torch
        raise TypeError(f"{name} is a {type(value).__name__}, expected a torch tensor {shape}")
