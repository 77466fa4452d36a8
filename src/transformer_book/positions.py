"""Where a token stands: sinusoidal (12.6), learned, and rotary (12.7) positions."""

from dataclasses import dataclass

import torch
from torch import nn

from transformer_book.checks.numbers import check_choice, check_positive, check_whole
from transformer_book.checks.tensors import check_tensor
from transformer_book.table_rows import table_rows

PAIRINGS = ("neighbours", "halves")


def position_frequencies(
    dim: int, base: float = 10_000.0, *, device=None, dtype=torch.float32
) -> torch.Tensor:
    """Radians a position for each pair of features (dim/2,): base^(-2i/dim), i = 0 … dim/2 - 1, as in (12.6).

    Raises ValueError for an odd dim or a base that is not positive.
    """
    check_pairs("dim", dim)
    check_positive("base", base)
    return base ** (-torch.arange(0, dim, 2, device=device, dtype=dtype) / dim)


def check_pairs(name: str, size) -> None:
    """Raise ValueError unless the size is whole and even: each frequency turns a pair of features."""
    check_whole(name, size, least=0)
    if size == 0 or size % 2:
        raise ValueError(
            f"{name} is {size}, expected an even number: each frequency turns a pair of features"
        )


def sinusoidal_positions(
    positions: torch.Tensor, dim: int, base: float = 10_000.0, *, dtype=torch.float32
) -> torch.Tensor:
    """Encode positions by sines and cosines (12.6): sin in features 2i, cos in 2i + 1 (Vaswani et al., 2017).

    positions (..., N) of any size, no length is too long. Returns (..., N, dim). Raises ValueError for an odd
    dim or a dtype of whole numbers, TypeError for positions that are no tensor.
    """
    check_tensor("positions", positions, "(..., tokens)")
    if not dtype.is_floating_point:
        raise ValueError(f"dtype is {dtype}, expected floating point: sines lie between the whole numbers")
    # Angles in float64: at position 10,000 a float32 angle is wrong in the third decimal of its sine.
    angle = positions[..., None].double() * position_frequencies(
        dim, base, device=positions.device, dtype=torch.float64
    )
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
        return table_rows("positions", positions, self.weight, "learned positions")

    def check_length(self, length: int):
        """Raise ValueError when a text of this many tokens passes the last learned position."""
        if length > self.max_length:
            raise ValueError(
                f"the text has {length} tokens, but positions were learned up to {self.max_length} only"
            )


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
    ValueError for another name, an odd head_dim or another shape, TypeError for positions that are no tensor.
    """
    check_tensor("positions", positions, "(N,) or (B, N)")
    if positions.ndim not in (1, 2):
        raise ValueError(f"positions has shape {tuple(positions.shape)}, expected (N,) or (B, N)")
    check_pairs("head_dim", head_dim)
    angle = positions[..., None].double() * position_frequencies(
        head_dim, base, device=positions.device, dtype=torch.float64
    )
    if positions.ndim == 2:
        angle = angle[:, None]  # (B, 1, N, D_h/2): the same for every head
    return RotaryAngles(angle.cos().to(dtype), angle.sin().to(dtype), pairing)


def apply_rotary(x: torch.Tensor, angles: RotaryAngles) -> torch.Tensor:
    """Turn queries or keys x (B, H, N, D_h) by their positions' angles; lengths do not change.

    Raises ValueError for angles made for another number of features or tokens.
    """
    cos, sin = angles.cos, angles.sin
    if x.shape[-1] != 2 * cos.shape[-1]:
        raise ValueError(
            f"x has {x.shape[-1]} features a head, but the angles were made for {2 * cos.shape[-1]}"
        )
    if cos.ndim > 1 and cos.shape[-2] != x.shape[-2]:
        raise ValueError(f"x has {x.shape[-2]} tokens, but the angles were made for {cos.shape[-2]}")
    if angles.pairing == "neighbours":
        first, second = x[..., 0::2], x[..., 1::2]
        return torch.stack([first * cos - second * sin, second * cos + first * sin], dim=-1).flatten(-2)
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)
