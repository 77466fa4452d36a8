"""What the tests of recorded runs share."""

import pytest
import torch

from transformer_book.recorded import recorded
from transformer_book.training import train


@pytest.fixture(autouse=True)
def _one_thread():
    """Recorded runs use one thread."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def row_of():
    """``row_of(name, condition, seed)``: that row of a recorded run."""

    def find(name: str, condition: str, seed: int) -> dict:
        rows = recorded(name).values["rows"]
        return next(row for row in rows if (row["condition"], row["seed"]) == (condition, seed))

    return find


class EnoughError(Exception):
    """Raised to end a training after its first steps."""


@pytest.fixture
def first_losses():
    """A function that returns the mean losses of a training's first `steps` batches, and stops there."""

    def run(start, steps: int) -> list[float]:
        losses = []

        def loss(model, batch):
            if len(losses) == steps:
                raise EnoughError
            total, tokens = start.loss(model, batch)
            losses.append(total.item() / int(tokens))
            return total, tokens

        with pytest.raises(EnoughError):
            train(start.model, start.batches, loss, start.settings)
        return losses

    return run
