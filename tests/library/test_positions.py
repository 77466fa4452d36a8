"""Positions: sinusoidal (12.6), learned, and rotary (12.7)."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from transformer_book.positions import (
    PAIRINGS,
    LearnedPositions,
    RotaryAngles,
    apply_rotary,
    position_frequencies,
    rotary_angles,
    sinusoidal_positions,
)

pairings = pytest.mark.parametrize("pairing", PAIRINGS)


def test_sinusoidal_at_position_one():
    expected = [math.sin(1), math.cos(1), math.sin(0.01), math.cos(0.01)]
    got = sinusoidal_positions(torch.tensor([1]), 4, dtype=torch.float64)[0]
    torch.testing.assert_close(got, torch.tensor(expected, dtype=torch.float64))


def test_sinusoidal_far_away_is_exact():
    got = sinusoidal_positions(torch.tensor([100_003]), 2)[0]
    assert abs(float(got[0]) - math.sin(100_003)) < 1e-6, "likely: angles in float32"


def test_frequencies_fall_from_one():
    torch.testing.assert_close(position_frequencies(6, 1000.0), torch.tensor([1.0, 0.1, 0.01]))


@pytest.mark.parametrize("dim", [3, 0])
def test_odd_size_is_an_error(dim):
    with pytest.raises(ValueError, match=f"dim is {dim}, expected an even number"):
        sinusoidal_positions(torch.arange(2), dim)


def test_learned_positions_are_looked_up():
    learned = LearnedPositions(5, 3)
    assert torch.equal(learned(torch.tensor([[4, 0]])), learned.weight[[4, 0]][None])


def test_learned_positions_end():
    with pytest.raises(ValueError, match="6 tokens, but positions were learned up to 5"):
        LearnedPositions(5, 3).check_length(6)


@pairings
@settings(max_examples=30)
@given(n=st.integers(0, 300), m=st.integers(0, 300), shift=st.integers(0, 300))
def test_rotary_scores_depend_on_the_offset_alone(pairing, n, m, shift):
    query, key = torch.randn(2, 1, 1, 1, 8, dtype=torch.float64)

    def score(n, m):
        q = apply_rotary(query, rotary_angles(torch.tensor([n]), 8, pairing=pairing, dtype=torch.float64))
        k = apply_rotary(key, rotary_angles(torch.tensor([m]), 8, pairing=pairing, dtype=torch.float64))
        return float((q * k).sum())

    assert abs(score(n, m) - score(n + shift, m + shift)) < 1e-9


@pairings
def test_rotation_keeps_lengths(pairing):
    x = torch.randn(2, 3, 5, 8, dtype=torch.float64)
    turned = apply_rotary(x, rotary_angles(torch.arange(5), 8, pairing=pairing, dtype=torch.float64))
    torch.testing.assert_close(turned.norm(dim=-1), x.norm(dim=-1))
    torch.testing.assert_close(turned[:, :, 0], x[:, :, 0], msg="position 0 must not turn")


def test_one_pair_turns_as_a_plane_does():
    x = torch.tensor([[[[1.0, 0.0]]]], dtype=torch.float64)
    for pairing in PAIRINGS:
        turned = apply_rotary(x, rotary_angles(torch.tensor([3]), 2, pairing=pairing, dtype=torch.float64))
        expected = torch.tensor([math.cos(3), math.sin(3)], dtype=torch.float64)
        torch.testing.assert_close(turned.flatten(), expected, msg="likely: turned the other way")


def test_the_pairings_differ_by_a_reordering_of_features():
    order = torch.tensor([0, 2, 4, 6, 1, 3, 5, 7])  # neighbours 2i, 2i + 1 to halves i, i + 4
    x, positions = torch.randn(1, 2, 5, 8, dtype=torch.float64), torch.arange(5)
    neighbours = apply_rotary(x, rotary_angles(positions, 8, pairing="neighbours", dtype=torch.float64))
    halves = apply_rotary(x[..., order], rotary_angles(positions, 8, pairing="halves", dtype=torch.float64))
    torch.testing.assert_close(neighbours[..., order], halves)
    same = apply_rotary(x, rotary_angles(positions, 8, pairing="halves", dtype=torch.float64))
    assert not torch.allclose(neighbours, same), "the two pairings are one and the same"


@pairings
def test_positions_of_each_text(pairing):
    x = torch.randn(2, 3, 4, 6, dtype=torch.float64)
    positions = torch.tensor([[0, 1, 2, 3], [5, 6, 7, 8]])
    together = apply_rotary(x, rotary_angles(positions, 6, pairing=pairing, dtype=torch.float64))
    for text in range(2):
        alone = apply_rotary(
            x[text : text + 1], rotary_angles(positions[text], 6, pairing=pairing, dtype=torch.float64)
        )
        torch.testing.assert_close(together[text : text + 1], alone)


def test_a_position_without_a_vector_is_named():
    with pytest.raises(ValueError, match="holds 5, expected numbers of the learned positions, 0 to 4"):
        LearnedPositions(5, 3)(torch.tensor([0, 5]))
    with pytest.raises(ValueError, match=r"positions has type .*, expected integers"):
        LearnedPositions(5, 3)(torch.tensor([0.0]))


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda: LearnedPositions(-1, 3), "max_length is -1"),
        (lambda: LearnedPositions(5, 0), "dim is 0"),
        (lambda: sinusoidal_positions(torch.arange(3), 4, dtype=torch.int64), "expected floating point"),
        (lambda: sinusoidal_positions(torch.arange(3), 4.0), "dim is 4.0"),
        (lambda: rotary_angles(torch.tensor(3), 4), r"positions has shape \(\), expected \(N,\) or \(B, N\)"),
        (lambda: rotary_angles(torch.arange(3), 5), "head_dim is 5, expected an even number"),
        (
            lambda: apply_rotary(torch.ones(1, 1, 3, 4), rotary_angles(torch.arange(5), 4)),
            "x has 3 tokens, but the",
        ),
        (lambda: RotaryAngles(torch.ones(3, 2), torch.ones(3, 2), "llama"), "pairing is 'llama'"),
    ],
)
def test_what_cannot_be_is_named(wrong, sentence):
    with pytest.raises(ValueError, match=sentence):
        wrong()


@pytest.mark.parametrize("encode", [sinusoidal_positions, rotary_angles])
def test_positions_in_a_list_are_told(encode):
    with pytest.raises(TypeError, match="positions is a list, expected a torch tensor"):
        encode([0, 1], 4)


def test_wrong_input_is_named():
    with pytest.raises(ValueError, match="pairing is 'llama'"):
        rotary_angles(torch.arange(3), 4, pairing="llama")
    with pytest.raises(ValueError, match="x has 6 features a head, but the angles were made for 4"):
        apply_rotary(torch.ones(1, 1, 3, 6), rotary_angles(torch.arange(3), 4))
