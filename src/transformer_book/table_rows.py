"""Rows of a table by their number: how tokens, token types and learned positions become vectors."""

import torch
import torch.nn.functional as F

from transformer_book.checks.messages import must_be


def table_rows(name: str, numbers: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
    """Return the rows of table (V, D) that numbers (...) of the argument `name` ask for, (..., D).

    Raises ValueError for a number without a row.
    """
    try:
        return F.embedding(numbers, table)
    except IndexError:  # asked for afterwards, since looking first would make a GPU wait
        wrong = int(numbers.min() if numbers.min() < 0 else numbers.max())
        raise ValueError(must_be(name, f"numbers from 0 to {len(table) - 1}", wrong)) from None
