"""Boolean masks: True where a query (row) may attend to a key (column)."""

import torch

from transformer_book.checks.numbers import check_whole
from transformer_book.checks.tensors import check_tensor


def causal_mask(num_queries: int, num_keys: int | None = None, *, device=None) -> torch.Tensor:
    """Let each position attend to itself and to earlier positions (section 8).

    With more keys than queries the queries are the last positions, as they are when earlier keys come from a
    cache.
    Returns a boolean mask (N, M). Raises ValueError for numbers that cannot be, or fewer keys than queries.
    """
    query_position, key_position = _positions(num_queries, num_keys, device)
    return key_position <= query_position


def sliding_window_mask(
    num_queries: int, window: int, num_keys: int | None = None, *, causal: bool = True, device=None
) -> torch.Tensor:
    """Let each position attend to the nearest `window` positions, itself among them (Beltagy et al., 2020).

    Causal: positions n - window + 1 … n. Otherwise every position less than `window` away on either side.
    Returns a boolean mask (N, M). Raises ValueError as `causal_mask` does, and for a window smaller than 1.
    """
    check_whole("window", window)  # 1: each position sees itself alone
    query_position, key_position = _positions(num_queries, num_keys, device)
    near = (query_position - key_position).abs() < window
    return near & (key_position <= query_position) if causal else near


def padding_mask(padding: torch.Tensor) -> torch.Tensor:
    """Hide padding from every query: turn `padding` (B, M), True at real tokens, into a mask (B, 1, 1, M).

    Raises TypeError for what is no tensor, ValueError for another shape or type.
    """
    check_tensor("padding", padding, "of booleans (B, M)")
    if padding.ndim != 2 or padding.dtype != torch.bool:
        raise ValueError(
            f"padding has shape {tuple(padding.shape)} and type {padding.dtype}, expected booleans (B, M)"
        )
    return padding[:, None, None, :]


def combine_masks(*masks: torch.Tensor | None) -> torch.Tensor | None:
    """Allow what every mask allows; None stands for a mask that allows everything. Shapes broadcast.

    Raises TypeError for what is no tensor, ValueError for another type or shapes that do not go together.
    """
    combined = None
    for mask in masks:
        if mask is None:
            continue
        check_tensor("mask", mask, "of booleans (..., queries, keys)")
        if mask.dtype != torch.bool:
            raise ValueError(f"mask has type {mask.dtype}, expected bool (True where a query may attend)")
        combined = mask if combined is None else _both(combined, mask)
    return combined


def _both(first, second):
    try:
        return first & second
    except RuntimeError:
        raise ValueError(
            f"masks have shapes {tuple(first.shape)} on {first.device} and {tuple(second.shape)} on "
            f"{second.device}, expected shapes that broadcast, on one device"
        ) from None


def _positions(num_queries, num_keys, device):
    """Positions of the queries (N, 1) and of the keys (1, M); the queries are the last ones."""
    num_keys = num_queries if num_keys is None else num_keys
    check_whole("num_queries", num_queries, least=0)
    check_whole("num_keys", num_keys, least=0)
    if num_keys < num_queries:
        raise ValueError(
            f"num_keys is {num_keys}, but {num_queries} queries at the end need at least as many keys"
        )
    key_position = torch.arange(num_keys, device=device)
    query_position = torch.arange(num_keys - num_queries, num_keys, device=device)
    return query_position[:, None], key_position[None, :]
