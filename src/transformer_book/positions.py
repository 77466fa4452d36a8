"""Where a token stands: sinusoidal (12.6), learned, and rotary (12.7) positions."""

from dataclasses import dataclass

import torch
from torch import nn

PAIRINGS = ("neighbours", "halves")


def frequencies(dim: int, base: float = 10_000.0, *, device=None, dtype=torch.float32) -> torch.Tensor:
    """Radians a position for each pair of features: base^(-2i/dim), i = 0 … dim/2 - 1, as in (12.6)."""
    if dim < 2 or dim % 2:
        raise ValueError(f"dim is {dim}, expected an even number: each frequency turns a pair of features")
    if not base > 0:
        raise ValueError(f"base is {base}, expected a positive number")
    return base ** (-torch.arange(0, dim, 2, device=device, dtype=dtype) / dim)


def sinusoidal(
    positions: torch.Tensor, dim: int, base: float = 10_000.0, *, dtype=torch.float32
) -> torch.Tensor:
    """Encode positions by sines and cosines (12.6): sin in features 2i, cos in 2i + 1 (Vaswani et al., 2017).

    positions (..., N) of any size, no length is too long. Returns (..., N, dim). Raises ValueError for an odd
    dim.
    """
    # Angles in float64: at position 10,000 a float32 angle is wrong in the third decimal of its sine.
    angle = positions[..., None].double() * frequencies(
        dim, base, device=positions.device, dtype=torch.float64
    )
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2).to(dtype)


class LearnedPositions(nn.Module):
    """One learned vector for each position up to a maximum, as in GPT-2 and BERT (section 5)."""

    def __init__(self, max_length: int, dim: int):
        super().__init__()
        self.max_length = max_length
        self.weight = nn.Parameter(torch.empty(max_length, dim))
        nn.init.normal_(self.weight, std=0.02)

    def forward(self, positions: torch.Tensor) -> torch.Tensor:
        """Look positions (..., N) up, giving (..., N, D); checked against max_length by `check_length`."""
        return nn.functional.embedding(positions, self.weight)

    def check_length(self, length: int):
        """Raise ValueError when a text of this many tokens passes the last learned position."""
        if length > self.max_length:
            raise ValueError(
                f"the text has {length} tokens, but positions were learned up to {self.max_length} only"
            )


@dataclass(frozen=True)
class Rotation:
    """Cosines and sines (..., N, D_h/2) that turn each pair of features, and which features make a pair."""

    cos: torch.Tensor
    sin: torch.Tensor
    pairing: str


def rotation(
    positions: torch.Tensor,
    head_dim: int,
    *,
    base: float = 10_000.0,
    pairing: str = "neighbours",
    dtype=torch.float32,
) -> Rotation:
    """Rotary angles of positions (N,) or (B, N): position times frequency (12.7) (Su et al., 2024).

    pairing: "neighbours" pairs features 2i and 2i + 1 (the RoFormer paper, GGUF files); "halves" pairs i and
    i + D_h/2 (GPT-NeoX, Llama in `transformers`). The two differ by a fixed reordering of features. Raises
    ValueError for another name.
    """
    if pairing not in PAIRINGS:
        raise ValueError(f"pairing is {pairing!r}, expected one of {', '.join(PAIRINGS)}")
    angle = positions[..., None].double() * frequencies(
        head_dim, base, device=positions.device, dtype=torch.float64
    )
    if positions.ndim == 2:
        angle = angle[:, None]  # (B, 1, N, D_h/2): the same for every head
    return Rotation(angle.cos().to(dtype), angle.sin().to(dtype), pairing)


def rotate(x: torch.Tensor, rotation: Rotation) -> torch.Tensor:
    """Turn queries or keys x (B, H, N, D_h) by their positions' angles; lengths do not change."""
    cos, sin = rotation.cos, rotation.sin
    if x.shape[-1] != 2 * cos.shape[-1]:
        raise ValueError(
            f"x has {x.shape[-1]} features a head, but the rotation was made for {2 * cos.shape[-1]}"
        )
    if rotation.pairing == "neighbours":
        first, second = x[..., 0::2], x[..., 1::2]
        return torch.stack([first * cos - second * sin, second * cos + first * sin], dim=-1).flatten(-2)
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)
