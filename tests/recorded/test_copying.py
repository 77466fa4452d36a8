"""The two-layer decoder that copies: its texts, its recorded scores, and a run that repeats."""

import numpy as np
import pytest
import torch

from transformer_book.experiments import copying
from transformer_book.experiments.copying import CHANGES, LENGTH, SEEDS, SIGNS, repeated_rows
from transformer_book.recorded import recorded, trained


def rows_of(condition):
    return [row for row in recorded("copying").values["rows"] if row["condition"] == condition]


def highest(condition, score):
    """The highest score of any head, a number a seed."""
    return np.array([np.max(row[score]) for row in rows_of(condition)])


def test_rows_repeat_themselves_and_count_from_the_second_round_on():
    batch = repeated_rows(torch.Generator().manual_seed(3), 40, (5, 9), length=30)
    periods = set()
    for tokens, real in zip(batch["tokens"].tolist(), batch["real"].tolist(), strict=True):
        period = tokens.index(tokens[0], 1)
        assert tokens == (tokens[:period] * 6)[:30]
        assert len(set(tokens[:period])) == period, "a token stands twice in a round"
        assert max(tokens) < len(SIGNS)
        assert real == [place > period for place in range(30)], (
            "nothing tells the first round, nor when it ends"
        )
        periods.add(period)
    assert periods == {5, 6, 7, 8, 9}, "a period is never drawn"


@pytest.mark.parametrize("condition", CHANGES)
def test_scores_are_those_of_the_checkpoint(condition, row_of):
    model = trained("copying", copying.make_decoder(condition), condition)
    row = row_of("copying", condition, SEEDS[0])
    for name, value in copying.measure(model).values.items():
        np.testing.assert_allclose(value, row[name], rtol=2e-4, atol=2e-5, err_msg=f"{name}: edited?")


def test_the_first_steps_again(first_losses):
    start = copying.experiment("whole").start(SEEDS[0])
    stored = recorded("copying").curves["whole"]
    steps = stored["step"][1] - stored["step"][0]
    assert np.mean(first_losses(start, steps)) == pytest.approx(stored["loss"][0], rel=2e-3)


def test_what_each_part_is_needed_for():
    assert (highest("whole", "induction") > 0.5).all()
    assert (highest("whole", "previous") > 0.5).all(), "no head looks at the token before"
    for condition in ("no_positions", "one_layer"):
        assert (highest(condition, "induction") < 0.5).all()
    assert LENGTH == 24, "two rounds of 12"
