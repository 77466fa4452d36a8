"""Positions: sinusoidal (12.6), learned, and rotary (12.7)."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from transformer_book.positions import (
    PAIRINGS,
    LearnedPositions,
    apply_rotary,
    rotary_angles,
    sinusoidal_positions,
)

pairings = pytest.mark.parametrize("pairing", PAIRINGS)


def turned(x, positions, pairing):
    angles = rotary_angles(positions, x.shape[-1], pairing=pairing, dtype=torch.float64)
    return apply_rotary(x, angles)


def test_sinusoidal_far_away_is_exact():
    got = sinusoidal_positions(torch.tensor([100_003]), 2)[0]
    assert abs(float(got[0]) - math.sin(100_003)) < 1e-6, "likely: angles in float32"


def test_learned_positions_are_looked_up():
    learned = LearnedPositions(5, 3)
    assert torch.equal(learned(torch.tensor([[4, 0]])), learned.weight[[4, 0]][None])


def test_sinusoidal_takes_positions_of_any_type():
    for dtype in (torch.float32, torch.int32, torch.float64):
        got = sinusoidal_positions(torch.tensor([100_000], dtype=dtype), 4, dtype=torch.float64)[0]
        assert abs(float(got[0]) - math.sin(100_000)) < 1e-10, f"likely: angles of {dtype} positions"


@pairings
@settings(max_examples=30)
@given(n=st.integers(0, 300), m=st.integers(0, 300), shift=st.integers(0, 300))
def test_rotary_scores_depend_on_the_offset_alone(pairing, n, m, shift):
    query, key = torch.randn(2, 1, 1, 1, 8, dtype=torch.float64)

    def score(n, m):
        q, k = turned(query, torch.tensor([n]), pairing), turned(key, torch.tensor([m]), pairing)
        return float((q * k).sum())

    assert abs(score(n, m) - score(n + shift, m + shift)) < 1e-9


@pairings
def test_rotation_keeps_lengths(pairing):
    x = torch.randn(2, 3, 5, 8, dtype=torch.float64)
    found = turned(x, torch.arange(5), pairing)
    torch.testing.assert_close(found.norm(dim=-1), x.norm(dim=-1))
    torch.testing.assert_close(found[:, :, 0], x[:, :, 0], msg="position 0 must not turn")


def test_the_pairings_differ_by_a_reordering_of_features():
    order = torch.tensor([0, 2, 4, 6, 1, 3, 5, 7])  # neighbours 2i, 2i + 1 to halves i, i + 4
    x, positions = torch.randn(1, 2, 5, 8, dtype=torch.float64), torch.arange(5)
    neighbours = turned(x, positions, "neighbours")
    torch.testing.assert_close(neighbours[..., order], turned(x[..., order], positions, "halves"))
    assert not torch.allclose(neighbours, turned(x, positions, "halves")), "the two pairings are the same"


@pairings
def test_positions_of_each_text(pairing):
    x = torch.randn(2, 3, 4, 6, dtype=torch.float64)
    positions = torch.tensor([[0, 1, 2, 3], [5, 6, 7, 8]])
    together = turned(x, positions, pairing)
    for text in range(2):
        alone = turned(x[text : text + 1], positions[text], pairing)
        torch.testing.assert_close(together[text : text + 1], alone)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda: LearnedPositions(-1, 3), "max_length must be"),
        (lambda: LearnedPositions(5, 0), "dim must be"),
        (lambda: LearnedPositions(5, 3)(torch.tensor([0, 5])), "positions must be numbers from 0 to 4"),
        (lambda: LearnedPositions(5, 3)(torch.tensor([0.0])), "positions must be of type int64"),
        (lambda: sinusoidal_positions(torch.arange(2), 3), "dim must be an even number of at least 2; got 3"),
        (lambda: sinusoidal_positions(torch.arange(3), 4, 0), "base must be a positive number"),
        (lambda: sinusoidal_positions(torch.arange(3), 4, dtype=torch.int64), "dtype must be floating point"),
        (lambda: rotary_angles(torch.tensor(3), 4), r"positions must be of shape \(N,\) or \(B, N\)"),
        (lambda: rotary_angles(torch.arange(3), 4, dtype=torch.int64), "dtype must be floating point"),
        (
            lambda: apply_rotary(torch.ones(1, 1, 3, 4).long(), rotary_angles(torch.arange(3), 4)),
            "x must be of type floating point",
        ),
        (lambda: rotary_angles(torch.arange(3), 5), "head_dim must be an even number"),
        (lambda: rotary_angles(torch.arange(3), 4, base=math.nan), "base must be a positive number"),
        (lambda: rotary_angles(torch.arange(3), 4, pairing="llama"), "pairing must be one of"),
        (lambda: apply_rotary(torch.ones(1, 1, 3, 4), rotary_angles(torch.arange(5), 4)), r"N = 3, "),
        (lambda: apply_rotary(torch.ones(1, 1, 3, 6), rotary_angles(torch.arange(3), 4)), r"D_h/2 = 3\.0\)"),
    ],
)
def test_arguments_out_of_range_are_named(wrong, sentence):
    with pytest.raises(ValueError, match=sentence):
        wrong()


@pytest.mark.parametrize("encode", [sinusoidal_positions, rotary_angles])
def test_values_of_another_kind_are_named(encode):
    with pytest.raises(TypeError, match="positions must be a torch tensor"):
        encode([0, 1], 4)
    with pytest.raises(TypeError, match="dtype must be a torch dtype; got 'float32'"):
        encode(torch.arange(2), 4, dtype="float32")
