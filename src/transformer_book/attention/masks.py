"""Boolean masks: True where a query (row) may attend to a key (column)."""

import torch

from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_whole
from transformer_book.checks.tensors import check_kind, check_tensor, shapes


def causal_mask(num_queries: int, num_keys: int | None = None, *, device=None) -> torch.Tensor:
    """Let each position attend to itself and to earlier positions (section 8).

    With more keys than queries the queries are the last positions, as they are when earlier keys come from a
    cache.
    Returns a boolean mask (N, M). Raises ValueError for numbers that are not whole, or fewer keys than
    queries.
    """
    return _causal(*_checked_sizes(num_queries, num_keys), device)


def sliding_window_mask(
    num_queries: int, window: int, num_keys: int | None = None, *, causal: bool = True, device=None
) -> torch.Tensor:
    """Let each position attend to the nearest `window` positions, itself among them (Beltagy et al., 2020).

    Causal: positions n - window + 1 … n. Otherwise every position less than `window` away on either side.
    Returns a boolean mask (N, M). Raises ValueError as `causal_mask` does, and for a window smaller than 1.
    """
    check_whole("window", window)  # 1: each position sees itself alone
    query_position, key_position = _positions(*_checked_sizes(num_queries, num_keys), device)
    distance = query_position - key_position
    return (distance < window) & (distance >= 0) if causal else distance.abs() < window


def padding_mask(padding: torch.Tensor) -> torch.Tensor:
    """Hide padding from every query: turn padding (B, M), True at real tokens, into a mask (B, 1, 1, M).

    Raises TypeError for padding that is not a tensor, ValueError for another shape or type.
    """
    shapes(padding=(padding, "B M"))
    check_kind("padding", padding, "bool")
    return for_every_query(padding)


def combine_masks(*masks: torch.Tensor | None) -> torch.Tensor | None:
    """Allow what every mask allows; None stands for a mask that allows everything. Shapes broadcast.

    Raises TypeError for a mask that is not a tensor, ValueError for another type or shapes that do not go
    together.
    """
    combined = None
    for mask in masks:
        if mask is None:
            continue
        check_tensor("mask", mask, "of booleans (..., N, M)")
        check_kind("mask", mask, "bool")
        combined = mask if combined is None else _both(combined, mask)
    return combined


def for_every_query(padding: torch.Tensor | None) -> torch.Tensor | None:
    """The mask (B, 1, 1, M) of padding (B, M) that was checked, or None."""
    return None if padding is None else padding[:, None, None, :]


def with_causal_mask(mask: torch.Tensor | None, num_queries: int, num_keys: int, device) -> torch.Tensor:
    """A mask, if any, and the causal one, for sizes that were checked."""
    causal = _causal(num_queries, num_keys, device)
    return causal if mask is None else mask & causal


def _causal(num_queries, num_keys, device):
    query_position, key_position = _positions(num_queries, num_keys, device)
    return key_position <= query_position


def _both(first, second):
    try:
        return first & second
    except RuntimeError:
        found = f"{tuple(first.shape)} on {first.device} and {tuple(second.shape)} on {second.device}"
        raise ValueError(must_be("masks", "of shapes that broadcast, on one device", found)) from None


def _positions(num_queries, num_keys, device):
    """Positions of the queries (N, 1) and of the keys (1, M); the queries are the last ones."""
    key_position = torch.arange(num_keys, device=device)
    return key_position[num_keys - num_queries :, None], key_position[None, :]


def _checked_sizes(num_queries, num_keys):
    check_whole("num_queries", num_queries, least=0)
    num_keys = num_queries if num_keys is None else num_keys
    check_whole("num_keys", num_keys, least=num_queries)
    return num_queries, num_keys
