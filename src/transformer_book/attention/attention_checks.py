"""What the three forms of attention share: checks, the scale, and keys repeated for grouped queries."""

import math

import torch

from transformer_book.checks.numbers import check_dropout, check_whole, is_number
from transformer_book.checks.tensors import check_tensor


def check_inputs(query, key, value, mask, dropout=0.0):
    """Raise TypeError for what is no tensor, ValueError for tensors that cannot belong to one attention."""
    for name, part in (("query", query), ("key", key), ("value", value)):
        check_tensor(name, part, "(..., tokens, features)")
    _check_types_and_devices(query, key, value)
    q, k, v = query.shape, key.shape, value.shape
    if len(q) < 2 or not len(q) == len(k) == len(v):
        raise ValueError(
            f"query, key and value have {len(q)}, {len(k)} and {len(v)} dimensions, "
            "expected the same number, at least 2 (..., tokens, features)"
        )
    if q[-1] != k[-1]:
        raise ValueError(f"key has {k[-1]} features, but query has {q[-1]}; they must agree")
    if k[:-1] != v[:-1]:
        raise ValueError(f"value has shape {tuple(v)}, expected one value for each key of {tuple(k)}")
    if q[:-3] != k[:-3]:
        raise ValueError(f"key has batch {tuple(k[:-3])}, but query has {tuple(q[:-3])}")
    heads, kv_heads = (q[-3], k[-3]) if len(q) > 2 else (1, 1)
    if 0 in (q[-1], heads, kv_heads):
        raise ValueError(
            f"query has shape {tuple(q)} and key {tuple(k)}, expected at least 1 head and feature"
        )
    if heads % kv_heads:
        raise ValueError(f"query has {heads} heads, which is no multiple of the {kv_heads} key heads")
    if dropout:
        check_dropout(dropout)
    if mask is not None:
        _check_mask(mask, (*q[:-1], k[-2]), query.device)


def _check_types_and_devices(query, key, value):
    types = (query.dtype, key.dtype, value.dtype)
    if not all(kind.is_floating_point for kind in types):
        raise ValueError(f"query, key and value have types {_listed(types)}, expected floating point")
    if not types[0] == types[1] == types[2] and not _autocast(query.device):
        raise ValueError(f"query, key and value have types {_listed(types)}, expected the same type")
    devices = (query.device, key.device, value.device)
    if not devices[0] == devices[1] == devices[2]:
        raise ValueError(f"query, key and value are on {_listed(devices)}, expected one device")


def _check_mask(mask, full, device):
    """The mask's last axes are those of scores of the shape `full`, or 1."""
    check_tensor("mask", mask, "of booleans (..., queries, keys)")
    if mask.dtype != torch.bool:
        raise ValueError(f"mask has type {mask.dtype}, expected bool (True where a query may attend)")
    if mask.device != device:
        raise ValueError(f"mask is on {mask.device}, but query is on {device}")
    try:
        fits = torch.broadcast_shapes(mask.shape, full) == full
    except RuntimeError:
        fits = False
    if not fits:
        raise ValueError(f"mask has shape {tuple(mask.shape)}, which does not broadcast to {tuple(full)}")


def _listed(three):
    return f"{three[0]}, {three[1]} and {three[2]}"


def _autocast(device):
    """Under autocast precisions may differ: torch brings them together at each product."""
    return device.type != "meta" and torch.is_autocast_enabled(device.type)


def check_features(name, features, layer):
    """Raise unless features are a tensor (TypeError) that fits the linear layer that reads it (ValueError).

    Its shape is (B, N, D) with D of the layer, its type and device are those of the layer's weights.
    """
    check_tensor(name, features, "(batch, tokens, features)")
    if features.ndim != 3 or features.shape[-1] != layer.in_features:
        raise ValueError(
            f"{name} has shape {tuple(features.shape)}, expected (batch, tokens, {layer.in_features})"
        )
    weight = layer.weight
    if not features.is_floating_point():
        raise ValueError(f"{name} has type {features.dtype}, expected floating point")
    if features.dtype != weight.dtype and not _autocast(features.device):
        raise ValueError(f"{name} has type {features.dtype}, but the weights have {weight.dtype}")
    if features.device != weight.device:
        raise ValueError(f"{name} is on {features.device}, but the weights are on {weight.device}")


def check_heads(dim, num_heads, num_kv_heads=None, head_dim=None):
    """Raise ValueError unless D features can be shared by H heads, and these by the key-value heads.

    num_kv_heads, head_dim: H and D / H where they are None.
    """
    check_whole("dim", dim)
    check_whole("num_heads", num_heads)
    if num_kv_heads is not None:
        check_whole("num_kv_heads", num_kv_heads)
        if num_heads % num_kv_heads:
            raise ValueError(
                f"num_heads is {num_heads}, expected a positive multiple of num_kv_heads = {num_kv_heads}"
            )
    if head_dim is not None:
        check_whole("head_dim", head_dim)
    elif dim % num_heads:
        raise ValueError(f"dim is {dim}, which num_heads = {num_heads} does not divide; give head_dim")


def check_scale(scale):
    """Raise ValueError unless scale is True, False or a finite number."""
    if not isinstance(scale, bool) and not is_number(scale):
        raise ValueError(f"scale is {scale!r}, expected True, False or a number that multiplies the scores")


def scale_factor(scale: bool | float, query_dim: int) -> float:
    """1/sqrt(D_q) of (12.5) for True, 1 for False (12.3), or the number given."""
    if scale is True:
        return 1 / math.sqrt(query_dim)
    check_scale(scale)
    return 1.0 if scale is False else float(scale)


def repeat_heads(key, value, num_heads):
    """Give every query head its keys and values: grouped heads (B, H_kv, M, D_h) become (B, H, M, D_h)."""
    if key.ndim == 2 or key.shape[-3] == num_heads:
        return key, value
    group = num_heads // key.shape[-3]
    return key.repeat_interleave(group, dim=-3), value.repeat_interleave(group, dim=-3)
