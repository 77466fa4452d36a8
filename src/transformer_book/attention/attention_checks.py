"""What attention asks of its arguments: at the three forms, at `MultiHeadAttention`, and at their options."""

import torch

from transformer_book.attention.autocast import autocast_type
from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_dropout, check_whole, is_number
from transformer_book.checks.tensors import check_device, check_kind, check_tensor, check_type, shapes


def check_attention(query, key, value, mask, causal, scale, dropout) -> torch.Tensor | None:
    """Check the arguments that the three forms share; return the mask with axes (..., N, M), or None.

    Raises TypeError for an argument that is not a tensor, ValueError for tensors or numbers that do not go
    together.
    """
    check_tensor("query", query, "(..., N, D)")
    heads, groups = ("... H ", "... K ") if query.ndim > 2 else ("", "")
    sizes = shapes(query=(query, f"{heads}N D"), key=(key, f"{groups}M D"), value=(value, f"{groups}M E"))
    num_heads, num_kv_heads = sizes.get("H", 1), sizes.get("K", 1)
    if 0 in (sizes["D"], num_heads, num_kv_heads):
        wanted = "of at least 1 head and 1 feature"
        raise ValueError(must_be("query and key", wanted, f"{tuple(query.shape)} and {tuple(key.shape)}"))
    if num_heads % num_kv_heads:
        raise ValueError(must_be("the heads of query", f"a multiple of key's {num_kv_heads}", num_heads))
    check_kind("query", query, "floating point")
    for name, tensor in (("key", key), ("value", value)):
        _check_type(name, tensor, query.dtype, "query")
        check_device(name, tensor, query.device, "query")
    check_scale(scale)
    check_dropout(dropout)
    if causal:
        check_whole("the number of keys in causal attention", sizes["M"], least=sizes["N"])
    return check_mask(mask, (*query.shape[:-1], sizes["M"]), query.device)


def check_mask(mask, scores_shape, device) -> torch.Tensor | None:
    """Check that a mask, if any, is boolean and broadcasts to the scores; return it as (..., N, M).

    Only its last two axes are expanded: torch 2.4's own attention misreads a mask (N, 1). Raises TypeError
    for a mask that is not a tensor, ValueError for another type, device or shape.
    """
    if mask is None:
        return None
    check_tensor("mask", mask, "of booleans (..., N, M)")
    check_kind("mask", mask, "bool")
    check_device("mask", mask, device, "query")
    try:
        fits = torch.broadcast_shapes(mask.shape, scores_shape) == scores_shape
    except RuntimeError:
        fits = False
    if not fits:
        wanted = f"of a shape that broadcasts to {tuple(scores_shape)}"
        raise ValueError(must_be("mask", wanted, tuple(mask.shape)))
    return mask.expand(*mask.shape[:-2], *scores_shape[-2:])


def check_beside_weights(name, tensor, weight):
    """Raise ValueError unless a tensor has the type and the device of the weights that it meets."""
    check_kind(name, tensor, "floating point")
    _check_type(name, tensor, weight.dtype, "the weights")
    check_device(name, tensor, weight.device, "the weights")


def check_heads(dim, num_heads, num_kv_heads=None, head_dim=None):
    """Raise ValueError unless D features can be shared by H heads, and these by the key-value heads.

    num_kv_heads, head_dim: H and D / H where they are None.
    """
    check_whole("dim", dim)
    check_whole("num_heads", num_heads)
    if num_kv_heads is not None:
        check_whole("num_kv_heads", num_kv_heads)
        if num_heads % num_kv_heads:
            raise ValueError(must_be("num_heads", f"a multiple of num_kv_heads = {num_kv_heads}", num_heads))
    if head_dim is not None:
        check_whole("head_dim", head_dim)
    elif dim % num_heads:
        wanted = f"a multiple of num_heads = {num_heads} unless head_dim is given"
        raise ValueError(must_be("dim", wanted, dim))


def check_scale(scale):
    """Raise ValueError unless scale is True, False or a finite number."""
    if not isinstance(scale, bool) and not is_number(scale):
        raise ValueError(must_be("scale", "True, False or a number that multiplies the scores", repr(scale)))


def _check_type(name, tensor, dtype, owner):
    """Under autocast types may differ: torch brings them together at each product."""
    check_kind(name, tensor, "floating point")
    if autocast_type(tensor.device) is None:
        check_type(name, tensor, dtype, owner)
