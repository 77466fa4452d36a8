"""Normalisation of each token's vector by itself: LayerNorm, and RMSNorm without its mean and bias."""

from torch import nn

from transformer_book.checks.numbers import check_choice, check_not_negative, check_whole

NORMS = {"layer": nn.LayerNorm, "rms": nn.RMSNorm}


def make_norm(kind: str, dim: int, epsilon: float = 1e-5) -> nn.Module:
    """Make a "layer" (Ba et al., 2016) or "rms" norm (Zhang and Sennrich, 2019) of D features.

    epsilon: added to the variance, or to the mean square, so that nothing is divided by 0. Raises ValueError
    for another kind, and for numbers out of range.
    """
    check_choice("norm", kind, NORMS)
    check_whole("dim", dim)
    check_not_negative("norm_epsilon", epsilon)
    return NORMS[kind](dim, eps=epsilon)
