"""Where a token stands: sinusoidal (12.6), learned, and rotary (12.7) positions."""

from dataclasses import dataclass

import torch
from torch import nn

from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_choice, check_even, check_positive, check_whole
from transformer_book.checks.tensors import check_dtype, check_kind, check_tensor, shapes
from transformer_book.table_rows import table_rows

PAIRINGS = ("neighbours", "halves")


def sinusoidal_positions(
    positions: torch.Tensor, dim: int, base: float = 10_000.0, *, dtype=torch.float32
) -> torch.Tensor:
    """Encode positions by sines and cosines (12.6): sin in features 2i, cos in 2i + 1 (Vaswani et al., 2017).

    positions (..., N) of any size, no length is too long. Returns (..., N, dim). Raises ValueError for an odd
    dim, a base that is not positive or a dtype of whole numbers, TypeError for positions that are not a
    tensor.
    """
    check_tensor("positions", positions, "(..., N)")
    check_even("dim", dim)
    check_positive("base", base)
    check_dtype("dtype", dtype)
    angle = _angles(positions, dim, base)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2).to(dtype)


class LearnedPositions(nn.Module):
    """One learned vector for each position up to a maximum, as in GPT-2 and BERT (section 5)."""

    def __init__(self, max_length: int, dim: int):
        super().__init__()
        check_whole("max_length", max_length)
        check_whole("dim", dim)
        self.max_length = max_length
        self.weight = nn.Parameter(torch.empty(max_length, dim))
        nn.init.normal_(self.weight, std=0.02)

    def forward(self, positions: torch.Tensor) -> torch.Tensor:
        """Look positions (..., N) up, giving (..., N, D). Raises ValueError for one without a vector."""
        check_tensor("positions", positions, "(..., N)")
        check_kind("positions", positions, "int64 or int32")
        return table_rows("positions", positions, self.weight)


@dataclass(frozen=True)
class RotaryAngles:
    """Cosines and sines (..., N, D_h/2) that turn each pair of features, and which features make a pair.

    Raises ValueError for a pairing that is not one of PAIRINGS.
    """

    cos: torch.Tensor
    sin: torch.Tensor
    pairing: str

    def __post_init__(self):
        check_choice("pairing", self.pairing, PAIRINGS)

    def turn(self, x: torch.Tensor) -> torch.Tensor:
        """Turn x (..., N, D_h) that fits; under autocast x may be of lower precision, and stays so."""
        if self.pairing == "neighbours":
            first, second = x[..., 0::2], x[..., 1::2]
        else:
            first, second = x.chunk(2, dim=-1)
        turned = first * self.cos - second * self.sin, second * self.cos + first * self.sin
        if self.pairing == "neighbours":
            return torch.stack(turned, dim=-1).flatten(-2).to(x.dtype)
        return torch.cat(turned, dim=-1).to(x.dtype)


def rotary_angles(
    positions: torch.Tensor,
    head_dim: int,
    *,
    base: float = 10_000.0,
    pairing: str = "neighbours",
    dtype=torch.float32,
) -> RotaryAngles:
    """Rotary angles of positions (N,) or (B, N): position times frequency (12.7) (Su et al., 2024).

    pairing: "neighbours" pairs features 2i and 2i + 1 (the RoFormer paper, GGUF files); "halves" pairs i and
    i + D_h/2 (GPT-NeoX, Llama in `transformers`). The two differ by a fixed reordering of features. Raises
    ValueError for another name, an odd head_dim, another shape or a dtype of whole numbers, TypeError for
    positions that are not a tensor.
    """
    check_tensor("positions", positions, "(N,) or (B, N)")
    if positions.ndim not in (1, 2):
        raise ValueError(must_be("positions", "of shape (N,) or (B, N)", tuple(positions.shape)))
    check_even("head_dim", head_dim)
    check_positive("base", base)
    check_dtype("dtype", dtype)
    angle = _angles(positions, head_dim, base)
    if positions.ndim == 2:
        angle = angle[:, None]  # (B, 1, N, D_h/2): the same for every head
    return RotaryAngles(angle.cos().to(dtype), angle.sin().to(dtype), pairing)


def apply_rotary(x: torch.Tensor, angles: RotaryAngles) -> torch.Tensor:
    """Turn queries or keys x (B, H, N, D_h) by their positions' angles; lengths do not change.

    Raises ValueError for angles made for another number of features or tokens and for an x of whole numbers,
    TypeError for other things than a tensor and its angles.
    """
    check_tensor("x", x, "(B, H, N, D_h)")
    check_kind("x", x, "floating point")
    check_angles(angles, *x.shape[-2:])
    return angles.turn(x)


def check_angles(angles: RotaryAngles, num_tokens: int, head_dim: int):
    """Raise unless these are `RotaryAngles`, made for this many tokens and features of a head."""
    if not isinstance(angles, RotaryAngles):
        raise TypeError(must_be("the angles", "RotaryAngles", f"a {type(angles).__name__}"))
    shapes({"N": num_tokens, "D_h/2": head_dim / 2}, **{"the angles": (angles.cos, "... N D_h/2")})


def _angles(positions, dim, base):
    """Position times frequency base^(-2i/dim), i = 0 … dim/2 - 1, in radians: (..., N, dim/2).

    In float64: at position 10,000 a float32 angle is wrong in the third decimal of its sine.
    """
    pairs = torch.arange(0, dim, 2, device=positions.device, dtype=torch.float64)
    return positions[..., None].double() * base ** (-pairs / dim)
