"""Equation 12.4 and the numbers of figure 12.2."""

import numpy as np
import pytest
import torch

from transformer_book.equations import largest_weight, sample_scores, sample_scores_by_law, variance_of_scores

# Expectation of the largest of 16 weights without scaling, by integrating the exact law.
EXPECTED = {1: 0.2075, 16: 0.6854, 256: 0.9227, 1024: 0.9615}
SAMPLERS = [sample_scores, sample_scores_by_law]


@pytest.mark.parametrize("sample", SAMPLERS)
@pytest.mark.parametrize("D_q", [3, 64])
def test_variance_of_a_score_is_the_query_size(sample, D_q):
    variance = variance_of_scores(sample(D_q, draws=20_000, seed=5))
    assert abs(variance.mean - D_q) < 4 * variance.standard_error, f"{variance} for D_q = {D_q}"
    assert variance.standard_error < D_q / 40


@pytest.mark.parametrize("sample", SAMPLERS)
@pytest.mark.parametrize("D_q", EXPECTED)
def test_largest_weight_without_scaling(sample, D_q):
    estimate = largest_weight(sample(D_q, draws=2_000, seed=12, keys=16))
    assert estimate.standard_error < 0.0055
    assert abs(estimate.mean - EXPECTED[D_q]) < 3 * estimate.standard_error + 5e-5, estimate


@pytest.mark.parametrize("D_q", [1, 4, 16, 64, 256, 1024])
def test_largest_weight_with_scaling_stays_spread_out(D_q):
    estimate = largest_weight(sample_scores_by_law(D_q, draws=200_000, seed=3, keys=16), D_q)
    assert 0.2075 - 0.0015 < estimate.mean < 0.2466 + 0.0015, "divide the scores by √D_q, not by D_q"


def test_keys_of_one_query_share_its_length():
    scores = sample_scores_by_law(2, draws=50_000, seed=1, keys=2)
    shared = np.corrcoef(scores**2)[0, 1]
    direct = np.corrcoef(sample_scores(2, draws=50_000, seed=1, keys=2) ** 2)[0, 1]
    assert shared > 0.1, "each key got a query of its own"
    assert abs(shared - direct) < 0.06


@pytest.mark.parametrize("sample", SAMPLERS)
def test_seed_decides_and_shape_is_keys_by_draws(sample):
    first = sample(5, draws=7, seed=2, keys=3)
    assert first.shape == (3, 7)
    np.testing.assert_array_equal(first, sample(5, draws=7, seed=2, keys=3))
    assert not np.array_equal(first, sample(5, draws=7, seed=4, keys=3))


@pytest.mark.parametrize("sample", SAMPLERS)
@pytest.mark.parametrize("seed", [-1, 1.5, None])
def test_a_seed_is_a_whole_number(sample, seed):
    with pytest.raises(ValueError, match="seed must be a whole number of at least 0; got"):
        sample(5, draws=7, seed=seed)


@pytest.mark.parametrize("sample", SAMPLERS)
@pytest.mark.parametrize("name", ["D_q", "draws", "keys"])
def test_sizes_must_be_whole(sample, name):
    with pytest.raises(ValueError, match=f"{name} must be a whole number of at least 1; got 0"):
        sample(**({"D_q": 4, "draws": 5, "keys": 3, "seed": 1} | {name: 0}))


def test_estimates_take_tensors_too():
    scores = sample_scores(4, draws=50, seed=0, keys=3)
    assert largest_weight(torch.tensor(scores), 4).mean == pytest.approx(largest_weight(scores, 4).mean)
    assert variance_of_scores(torch.tensor(scores)).standard_error == pytest.approx(
        variance_of_scores(scores).standard_error
    )


def test_one_draw_has_no_standard_error():
    with pytest.raises(ValueError, match="at least 2 draws"):
        largest_weight(sample_scores(4, draws=1, seed=0, keys=3))
