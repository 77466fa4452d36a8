"""What the three forms of attention share: checks, the scale, and keys repeated for grouped queries."""

import math

import torch


def check_inputs(query, key, value, mask):
    """Raise ValueError with one sentence when shapes cannot belong to one attention."""
    if query.ndim < 2 or not query.ndim == key.ndim == value.ndim:
        raise ValueError(
            f"query, key and value have {query.ndim}, {key.ndim} and {value.ndim} dimensions, "
            "expected the same number, at least 2 (..., tokens, features)"
        )
    # Their precisions may differ: autocast brings them together later.
    if not all(part.is_floating_point() for part in (query, key, value)):
        raise ValueError(
            f"query, key and value have types {query.dtype}, {key.dtype} and {value.dtype}, "
            "expected floating point"
        )
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            f"key has {key.shape[-1]} features, but query has {query.shape[-1]}; they must agree"
        )
    if key.shape[:-1] != value.shape[:-1]:
        raise ValueError(
            f"value has shape {tuple(value.shape)}, expected one value for each key of {tuple(key.shape)}"
        )
    if query.shape[:-3] != key.shape[:-3]:
        raise ValueError(f"key has batch {tuple(key.shape[:-3])}, but query has {tuple(query.shape[:-3])}")
    if query.ndim > 2 and query.shape[-3] % key.shape[-3]:
        raise ValueError(
            f"query has {query.shape[-3]} heads, which is no multiple of the {key.shape[-3]} key heads"
        )
    if mask is None:
        return
    if mask.dtype != torch.bool:
        raise ValueError(f"mask has type {mask.dtype}, expected bool (True where a query may attend)")
    full = (*query.shape[:-1], key.shape[-2])
    try:
        fits = torch.broadcast_shapes(mask.shape, full) == full
    except RuntimeError:
        fits = False
    if not fits:
        raise ValueError(f"mask has shape {tuple(mask.shape)}, which does not broadcast to {tuple(full)}")


def check_features(name, features, layer):
    """Raise ValueError unless features are (B, N, D) as the layer that reads them needs."""
    if features.ndim != 3 or features.shape[-1] != layer.in_features:
        raise ValueError(
            f"{name} has shape {tuple(features.shape)}, expected (batch, tokens, {layer.in_features})"
        )
    if not features.is_floating_point():
        raise ValueError(f"{name} has type {features.dtype}, expected floating point")


def scale_factor(scale: bool | float, query_dim: int) -> float:
    """1/sqrt(D_q) of (12.5) for True, 1 for False (12.3), or the number given."""
    if scale is True:
        return 1 / math.sqrt(query_dim)
    return 1.0 if scale is False else float(scale)


def repeat_heads(key, value, num_heads):
    """Give every query head its keys and values: grouped heads (B, H_kv, M, D_h) become (B, H, M, D_h)."""
    if key.ndim == 2 or key.shape[-3] == num_heads:
        return key, value
    group = num_heads // key.shape[-3]
    return key.repeat_interleave(group, dim=-3), value.repeat_interleave(group, dim=-3)
