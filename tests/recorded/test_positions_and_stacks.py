"""The recorded runs of sections 5 and 7 against their checkpoints, and a short stretch trained again."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from book_tools.record import deep_stacks as record_stacks
from book_tools.record import longer_texts as record_texts
from transformer_book.experiments import deep_stacks, longer_texts
from transformer_book.experiments.text_stream import text_stream, window_batches
from transformer_book.models import Decoder
from transformer_book.recorded import recorded, trained
from transformer_book.tokenizers import CharacterVocabulary
from transformer_book.training import next_token_loss, train


@pytest.mark.parametrize("kind", longer_texts.KINDS)
def test_losses_by_position_are_those_of_the_checkpoint(kind):
    model = trained(f"positions_{kind}", Decoder(longer_texts.config_of(kind)))
    fresh, stored = record_texts.values(model), recorded(f"positions_{kind}").values
    assert fresh["ends"] == stored["ends"]
    np.testing.assert_allclose(
        fresh["losses"], stored["losses"], rtol=1e-4, err_msg="edited results, or other data"
    )


@pytest.mark.parametrize("run", deep_stacks.RUNS)
def test_validation_loss_is_that_of_the_checkpoint(run):
    model = trained(f"stack_{run}", deep_stacks.deep_decoder(run))
    fresh, stored = record_stacks.values(model), recorded(f"stack_{run}").values
    assert fresh == pytest.approx(stored, rel=1e-4), "edited results, or other data"


@pytest.mark.parametrize("run", ["pre", "post"])  # a warm-up would have to be trained to its end
def test_first_steps_and_gradients_repeat(run):
    stored = recorded(f"stack_{run}").curves
    model = deep_stacks.deep_decoder(run)
    gradients = record_stacks.gradients(model)
    np.testing.assert_allclose(gradients, stored["gradients_at_start"], rtol=1e-3)
    steps = 2 * stored["step"][0]  # the first point of the curve is a mean over as many steps
    settings = dataclasses.replace(deep_stacks.settings_of(run, steps), progress=False)
    batches = window_batches(deep_stacks.number_stream("train"), deep_stacks.LENGTH, batch_size=16)
    losses = train(model, batches, next_token_loss, settings).losses
    assert np.mean(losses) == pytest.approx(stored["loss"][0], rel=1e-3), "the run does not repeat"


def test_windows_are_stretches_of_the_stream():
    vocabulary = CharacterVocabulary("ab=1", special=["<start>"])
    stream = text_stream(["a=1", "b"], vocabulary)
    assert stream.tolist() == [0, *vocabulary.encode("a=1"), 0, *vocabulary.encode("b")], (
        "a <start> before each text"
    )
    batch = window_batches(stream, length=2, batch_size=7)(torch.Generator().manual_seed(0))["tokens"]
    stretches = {tuple(stream[k : k + 3].tolist()) for k in range(4)}
    assert batch.shape == (7, 3)
    assert {tuple(row) for row in batch.tolist()} <= stretches, "a window jumps over a token"


def test_ranges_cover_every_position_once():
    losses = torch.arange(longer_texts.READ_LENGTH, dtype=torch.float32)
    means = longer_texts.losses_by_range(losses)
    widths = np.diff([0, *longer_texts.ENDS])
    assert np.dot(means, widths) == pytest.approx(losses.sum().item()), (
        "a position is missing or counted twice"
    )


def test_similarity_counts_each_pair_of_positions_once():
    class Alternating(torch.nn.Module):
        def forward(self, rows):
            directions = 3 * torch.eye(2)[torch.arange(rows.shape[1]) % 2]  # (32, 2): two directions by turns
            return SimpleNamespace(final=directions.expand(len(rows), -1, -1))

    number = 32 * 32
    same = 2 * (number // 2) ** 2 - number  # pairs of positions with one direction, none with itself
    found = deep_stacks.mean_similarity(Alternating())
    assert found == pytest.approx(same / (number**2 - number)), "pairs, lengths or the positions' own 1s"
