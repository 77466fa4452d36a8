"""What the tests of recorded runs share."""

import pytest

from transformer_book.training import train


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
