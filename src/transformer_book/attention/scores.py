"""What scores are made of in every form: the scale, and keys and values repeated for grouped queries."""

import math

import torch


def scale_factor(scale: bool | float, query_dim: int) -> float:
    """1/sqrt(D_q) of (12.5) for True, 1 for False (12.3), or the number given."""
    if scale is True:
        return 1 / math.sqrt(query_dim)
    return 1.0 if scale is False else float(scale)


def repeat_heads(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Give every query head its keys and values: grouped heads (B, H_kv, M, D_h) become (B, H, M, D_h)."""
    if query.ndim == 2 or key.shape[-3] == query.shape[-3]:
        return key, value
    group = query.shape[-3] // key.shape[-3]
    return key.repeat_interleave(group, dim=-3), value.repeat_interleave(group, dim=-3)
