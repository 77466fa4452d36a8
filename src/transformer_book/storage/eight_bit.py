"""Weights in 8 bits: a row of a matrix as whole numbers from -127 to 127 and one scale, symmetric about 0.

A weight w of a row is stored as the whole number next to w / scale, scale = max |w| / 127, and read as
code · scale: off by at most scale / 2, that is 1/254 of the row's largest weight. Vectors, norms and biases,
stay float32. A file takes a quarter of the room that float32 takes.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch

from transformer_book.checks.messages import must_be
from transformer_book.checks.tensors import check_kind, shapes
from transformer_book.storage.files import CorruptFileError

LARGEST = 127  # the code of a row's largest weight; -128 is not used, so that w and -w are alike
SCALES = ".scales"  # the name of a matrix's scales: its own and this


def quantise_rows(matrix: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return codes int8 (R, C) and scales float32 (R,) of a matrix (R, C); a row of zeros has the scale 0.

    |matrix - code · scale| is at most scale / 2 = max |row| / 254, beside the rounding of float32, 2⁻²³ of
    the row's largest weight. Raises ValueError unless the matrix is of floating point and finite as float32.
    """
    shapes(matrix=(matrix, "R C"))
    check_kind("matrix", matrix, "floating point")
    whole = matrix.to(torch.float32)
    if not whole.isfinite().all():
        raise ValueError(must_be("matrix", "finite as float32", "NaN or infinity"))
    scales = whole.abs().amax(dim=1) / LARGEST  # (R,)
    divisors = torch.where(scales > 0, scales, 1)
    return (whole / divisors[:, None]).round().clamp(-LARGEST, LARGEST).to(torch.int8), scales


def dequantise_rows(codes: torch.Tensor, scales: torch.Tensor) -> torch.Tensor:
    """Return the matrix float32 (R, C) of codes int8 (R, C) and scales (R,): code · scale, rounded once."""
    shapes(codes=(codes, "R C"), scales=(scales, "R"))
    return codes.to(torch.float32) * scales.to(torch.float32)[:, None]


def eight_bit_tensors(tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return each matrix as codes under its name and scales under NAME.scales, the rest as float32."""
    found: dict[str, torch.Tensor] = {}
    for name, tensor in tensors.items():
        if tensor.ndim == 2:
            found[name], found[name + SCALES] = quantise_rows(tensor.detach())
        else:
            found[name] = tensor.detach().to(torch.float32)
    return found


def whole_tensors(tensors: Mapping[str, torch.Tensor], source: str) -> dict[str, torch.Tensor]:
    """Return the float32 tensors of what `eight_bit_tensors` made; those without codes stay as they are.

    source: where they come from, for messages. Raises CorruptFileError for codes without a scale for each
    row, scales without codes, and a scale that is negative or not finite.
    """
    found: dict[str, torch.Tensor] = {}
    for name, tensor in tensors.items():
        if name.endswith(SCALES):
            if getattr(tensors.get(name.removesuffix(SCALES)), "dtype", None) != torch.int8:
                raise CorruptFileError(
                    f"{source} holds scales {name} but no 8-bit tensor that they belong to."
                )
            continue
        if tensor.dtype == torch.int8:
            scales = tensors.get(name + SCALES)
            if scales is None:
                raise CorruptFileError(f"{source} lacks the scales {name + SCALES}.")
            if tensor.ndim != 2 or scales.shape != tensor.shape[:1]:
                wanted = f"of shape (R, C) with {SCALES} of shape (R,)"
                shapes_found = f"{tuple(tensor.shape)} and {tuple(scales.shape)}"
                raise CorruptFileError(must_be(f"{source}: tensor {name}", wanted, shapes_found))
            for scale in scales[~(scales.isfinite() & (scales >= 0))].tolist():
                raise CorruptFileError(
                    must_be(f"{source}: tensor {name + SCALES}", "finite and not negative", scale)
                )
            tensor = dequantise_rows(tensor, scales)
        found[name] = tensor
    return found
