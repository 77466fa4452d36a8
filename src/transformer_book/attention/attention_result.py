"""What attention returns: the output, and on request the scores and weights that led to it."""

from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class AttentionResult:
    """The three quantities of (12.1), one token per row.

    output: (B, H, N, D_v) from the functions, (B, N, D) from `MultiHeadAttention`.
    scores: (B, H, N, M) scaled scores, -inf where masked; None unless asked for.
    weights: (B, H, N, M) attention weights, each row sums to 1 (to 0 when every key is masked); None unless
    asked for.
    """

    output: torch.Tensor
    scores: torch.Tensor | None = None
    weights: torch.Tensor | None = None
