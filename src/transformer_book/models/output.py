"""The output layer: a score for every token of the vocabulary."""

import torch
import torch.nn.functional as F


def vocabulary_logits(hidden: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Score every token: hidden (B, N, D) times weight (V, D) transposed gives logits (B, N, V)."""
    return F.linear(hidden, weight)
