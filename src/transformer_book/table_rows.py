"""Rows of a table by their number: how tokens, token types and learned positions become vectors."""

import torch
import torch.nn.functional as F

from transformer_book.checks.tensors import check_tensor


def table_rows(name: str, numbers: torch.Tensor, table: torch.Tensor, kind: str) -> torch.Tensor:
    """Return the rows of table (V, D) that numbers (...) ask for, (..., D).

    Raises ValueError for a number without a row, TypeError for what is no tensor; `name` and `kind` name the
    argument and what it numbers.
    """
    check_tensor(name, numbers, "of integers")
    if numbers.dtype not in (torch.int64, torch.int32):
        raise ValueError(f"{name} has type {numbers.dtype}, expected integers (int64 or int32)")
    try:
        return F.embedding(numbers, table)
    except IndexError:  # asked for afterwards, since looking first would make a GPU wait
        wrong = int(numbers.min() if numbers.min() < 0 else numbers.max())
        raise ValueError(
            f"{name} holds {wrong}, expected numbers of the {kind}, 0 to {len(table) - 1}"
        ) from None
