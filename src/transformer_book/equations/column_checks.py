"""What the functions of this room ask of their arguments, so that the mathematics can trust its arrays.

NumPy arrays and torch tensors pass as they are (float32 or float64, any device); Python numbers and lists
become NumPy arrays; integers become float64; of two precisions the wider one is kept.
"""

import array_api_compat
import numpy as np

from transformer_book.checks.messages import must_be


def as_floats(**arguments):
    """Array namespace and arrays of one library, one device and one floating-point precision.

    arguments: each array under its name, for the error messages; None stays None.
    Raises TypeError for a value that is not a real array and for mixed libraries, ValueError for mixed
    devices, NaN or infinity.
    """
    arrays = {name: as_array(name, value) for name, value in arguments.items() if value is not None}
    if not arrays:
        raise TypeError(must_be(next(iter(arguments)), "an array", None))
    xp = _one_namespace(arrays)
    _one_device(arrays)
    arrays = {name: as_float(name, array) for name, array in arrays.items()}
    dtype = xp.result_type(*arrays.values())
    arrays = {name: xp.astype(array, dtype, copy=False) for name, array in arrays.items()}
    for name, array in arrays.items():
        finite(name, array)
    return xp, *(arrays.get(name) for name in arguments)


def as_array(name: str, value):
    """The value as an array; a number or a list becomes a NumPy array.

    Raises TypeError for anything else, also for masked arrays, whose mask would be forgotten, and np.matrix,
    whose * is a product of matrices.
    """
    _check_plain(name, value)
    if array_api_compat.is_array_api_obj(value):
        return value
    if isinstance(value, list | tuple | range | int | float | np.generic):
        try:
            return np.asarray(value)
        except ValueError as error:
            raise ValueError(must_be(name, "a list with rows of one length", "rows that differ")) from error
    raise TypeError(must_be(name, "a NumPy array, a torch tensor or a list", type(value).__name__))


def _check_plain(name: str, value) -> None:
    """Look into lists too, where NumPy would forget a mask or a gradient."""
    if isinstance(value, list | tuple):
        for part in value:
            _check_plain(name, part)
            if getattr(part, "requires_grad", False):
                raise TypeError(
                    must_be(name, "a tensor, or a list of plain numbers", "a list with gradients")
                )
    elif isinstance(value, np.ma.MaskedArray | np.matrix):
        raise TypeError(must_be(name, "a plain array", f"a {type(value).__name__}"))


def as_float(name: str, array):
    """The array in floating point: integers become float64. Raises TypeError for other types of entries."""
    xp = array_api_compat.array_namespace(array)
    if array.dtype in (xp.float32, xp.float64):
        return array
    if xp.isdtype(array.dtype, ("bool", "integral")):
        return xp.astype(array, xp.float64)
    raise TypeError(must_be(name, "of integers, float32 or float64", f"dtype {array.dtype}"))


def without_warning(function):
    """Decorate a function that finds an overflow by `finite`: NumPy then need not warn of it as well."""
    return np.errstate(over="ignore", invalid="ignore")(function)


def finite(name: str, array):
    """Return the array; ValueError for NaN or infinity, in an argument or after an overflow."""
    xp = array_api_compat.array_namespace(array)
    if not bool(xp.all(xp.isfinite(array))):
        raise ValueError(must_be(name, "made of finite numbers", "NaN or infinity"))
    return array


def check_matrix(name: str, array, rows: int | None = None, columns: int | None = None) -> None:
    """Raise ValueError unless the array is a matrix that is not empty and has the given sizes."""
    if array is None:
        raise TypeError(must_be(name, "a matrix", None))
    wanted = f"({'any' if rows is None else rows}, {'any' if columns is None else columns})"
    right = (
        array.ndim == 2
        and min(array.shape) > 0
        and (rows is None or array.shape[0] == rows)
        and (columns is None or array.shape[1] == columns)
    )
    if not right:
        wanted = f"a matrix of shape {wanted}, not empty"
        raise ValueError(must_be(name, wanted, f"shape {tuple(array.shape)}"))


def check_vector(name: str, array, size: int | None = None, optional: bool = True) -> None:
    """Raise ValueError unless the array is a vector of the given size, or None where that is a choice."""
    if array is None and not optional:
        raise TypeError(must_be(name, "a vector", None))
    if array is not None and (array.ndim != 1 or (size is not None and array.shape[0] != size)):
        wanted = f"a vector of size {'any' if size is None else size}"
        raise ValueError(must_be(name, wanted, f"shape {tuple(array.shape)}"))


def check_mask(mask, scores):
    """The boolean mask as an array beside the scores; True means that the query may attend to the key.

    Raises TypeError unless the mask is boolean and of the scores' library, ValueError for another shape or
    device.
    """
    mask = as_array("mask", mask)
    xp = _one_namespace({"the scores": scores, "mask": mask})
    _one_device({"the scores": scores, "mask": mask})
    if not xp.isdtype(mask.dtype, "bool"):
        raise TypeError(must_be("mask", "boolean, True where a query may attend", f"dtype {mask.dtype}"))
    check_matrix("mask", mask, *scores.shape)
    return mask


def _one_namespace(arrays: dict):
    spaces = {name: array_api_compat.array_namespace(array) for name, array in arrays.items()}
    first, *others = spaces
    for other in others:
        if spaces[other] is not spaces[first]:
            found = f"{_library(spaces[first])} and {_library(spaces[other])}"
            raise TypeError(must_be(f"{first} and {other}", "arrays of one library", found))
    return spaces[first]


def _library(xp) -> str:
    return xp.__name__.removeprefix("array_api_compat.")


def _one_device(arrays: dict) -> None:
    devices = {name: array_api_compat.device(array) for name, array in arrays.items()}
    first, *others = devices
    for other in others:
        if devices[other] != devices[first]:
            found = f"{devices[first]} and {devices[other]}"
            raise ValueError(must_be(f"{first} and {other}", "on one device", found))
