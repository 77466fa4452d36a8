"""Labelled, rounded output that the book's prose binds to: one line `key = text` for each value.

Printed text holds symbols, tokens and numbers, never prose, so that an edition in another language shares it.
"""

import json
import math
import numbers
import re

_KEY = re.compile(r"[^\W\d]\w*(\.\w+)*")


def show(key: str, value, digits: int | None = None, unit: str | None = None) -> None:
    """Print `key = value`, rounded; a matrix takes one row per line under `key =`.

    key: an identifier, with dots where it helps (`params.total`, `a_1`).
    value: a number, a string (a formula such as `3D² + 3D`), a sequence or array with at most two axes
        (NumPy or torch). A list of strings prints quoted, so that spaces in tokens show.
    digits: decimals, rounded half to even. Without it, only whole numbers print. Thousands are separated,
        except within a vector.
    unit: written behind a number or a vector.
    Raises TypeError or ValueError when the key is not an identifier, the value has more than two axes, or a
    number that is not whole comes without digits.
    """
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise ValueError(f"key must be an identifier, with dots if need be (like params.total); got {key!r}.")
    text = format_value(value, digits)
    if text.startswith("\n"):
        if unit is not None:
            raise ValueError(f"unit must be in the key for a matrix; got {unit!r}.")
        print(f"{key} ={text}")
    else:
        print(f"{key} = {text}" + (f" {unit}" if unit is not None else ""))


def format_value(value, digits: int | None = None) -> str:
    """Text of a number `1,234`, a vector `(0.090, 0.245)` or a matrix, each row on a new line; see `show`."""
    if isinstance(value, str):
        return value
    value = _plain(value)
    if not isinstance(value, list):
        return str(value) if isinstance(value, bool) else format_number(value, digits)
    if not any(isinstance(entry, list) for entry in value):
        # Within a vector commas separate the entries, so they cannot group thousands as well.
        return "(" + ", ".join(_entry(entry, digits, thousands=False) for entry in value) + ")"
    if not all(isinstance(row, list) and len(row) == len(value[0]) for row in value):
        raise ValueError("value must be a matrix with rows of one length; got rows that differ.")
    if any(isinstance(entry, list) for row in value for entry in row):
        raise ValueError("value must be of at most two axes; got more.")
    rows = [[_entry(entry, digits) for entry in row] for row in value]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join(
        "\n  " + "  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True)) for row in rows
    )


def format_number(number, digits: int | None = None, thousands: bool = True) -> str:
    """Text of one number, rounded half to even to `digits` decimals; thousands are separated if asked for.

    Without digits the number must be whole. The rule is Python's: it rounds the exact binary value, so that
    1/16 to three decimals is 0.062, and it never prints a negative zero.
    """
    if isinstance(number, bool) or not isinstance(number, numbers.Real):
        raise TypeError(f"number must be a real number; got {type(number).__name__}.")
    if not math.isfinite(number):
        return str(float(number))
    grouping = "," if thousands else ""
    if digits is None:
        if number != int(number):
            raise ValueError(
                f"digits must be the number of decimals to print of {number!r}, which is not whole; got None."
            )
        return f"{int(number):{grouping}}"
    if isinstance(digits, bool) or not isinstance(digits, numbers.Integral) or digits < 0:
        raise ValueError(f"digits must be a whole number of decimals, 0 or more; got {digits!r}.")
    text = f"{number:{grouping}.{digits}f}"
    return text[1:] if text.startswith("-") and not any(c in text for c in "123456789") else text


def _entry(entry, digits: int | None, thousands: bool = True) -> str:
    if isinstance(entry, str):
        return json.dumps(entry, ensure_ascii=False)
    if isinstance(entry, bool):
        return str(int(entry))
    return format_number(entry, digits, thousands)


def _plain(value):
    """Python numbers, strings and nested lists out of arrays, tensors and sequences."""
    if hasattr(value, "detach"):  # a torch tensor, recognised without importing torch
        value = value.detach().cpu()
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, str | bool | numbers.Real):
        return value
    raise TypeError(f"value must be a number, a string, a sequence or an array; got {type(value).__name__}.")
