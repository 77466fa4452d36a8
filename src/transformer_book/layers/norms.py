"""Normalisation of each token's vector by itself: LayerNorm, and RMSNorm without its mean and bias."""

from torch import nn

NORMS = {"layer": nn.LayerNorm, "rms": nn.RMSNorm}


def make_norm(kind: str, dim: int, epsilon: float = 1e-5) -> nn.Module:
    """Make a "layer" (Ba et al., 2016) or "rms" norm (Zhang and Sennrich, 2019) of D features.

    Raises ValueError for another kind.
    """
    if kind not in NORMS:
        raise ValueError(f"norm is {kind!r}, expected one of {', '.join(NORMS)}")
    return NORMS[kind](dim, eps=epsilon)
