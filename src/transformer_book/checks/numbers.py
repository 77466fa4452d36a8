"""Checks of numbers and names. Each raises ValueError unless its value is right; none needs torch."""

import math
import numbers
from collections.abc import Iterable

from transformer_book.checks.messages import must_be


def is_number(value) -> bool:
    """Say whether the value is one finite real number that a float can hold."""
    try:
        return isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # a whole number such as 10**400
        return False


def is_whole(value) -> bool:
    """Say whether the value is a whole number."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def check_whole(name: str, value, least: int = 1) -> None:
    """Raise ValueError unless the value is a whole number of at least `least`."""
    if not is_whole(value) or value < least:
        raise ValueError(must_be(name, f"a whole number of at least {least}", repr(value)))


def check_even(name: str, value) -> None:
    """Raise ValueError unless the value is whole, positive and even."""
    if not is_whole(value) or value < 2 or value % 2:
        raise ValueError(must_be(name, "an even number of at least 2", repr(value)))


def check_positive(name: str, value) -> None:
    """Raise ValueError unless the value is a finite number above 0."""
    if not (is_number(value) and value > 0):
        raise ValueError(must_be(name, "a positive number", repr(value)))


def check_not_negative(name: str, value) -> None:
    """Raise ValueError unless the value is a finite number of at least 0."""
    if not (is_number(value) and value >= 0):
        raise ValueError(must_be(name, "a number of at least 0", repr(value)))


def check_dropout(value, name: str = "dropout") -> None:
    """Raise ValueError unless the value is a share of units that leaves some."""
    if not (is_number(value) and 0 <= value < 1):
        raise ValueError(must_be(name, "a number of at least 0 and below 1", repr(value)))


def check_boolean(name: str, value) -> None:
    """Raise ValueError unless the value is True or False."""
    if not isinstance(value, bool):
        raise ValueError(must_be(name, "True or False", repr(value)))


def check_choice(name: str, value, choices: Iterable[str]) -> None:
    """Raise ValueError unless the value is one of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(must_be(name, f"one of {', '.join(choices)}", repr(value)))
