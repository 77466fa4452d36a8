"""Equations 12.1, 12.2, 12.3 and 12.5."""

import dataclasses
import subprocess
import sys

import numpy as np
import pytest
import torch

from transformer_book.equations import (
    Head,
    LayerParameters,
    attention,
    causal_mask,
    frequencies,
    layer,
    layer_norm,
    mlp,
    multi_head,
    queries_keys_values,
    rope_scores,
    rotate,
    rows_from_columns,
    scaled_self_attention,
    self_attention,
    sinusoidal,
    variance_of_scores,
    worked_example,
)


def test_worked_example_step_by_step():
    step = self_attention(*worked_example())
    assert step.queries.tolist() == [[1, 0, 1], [1, 2, 3]]
    assert step.keys.tolist() == [[1, 1, 2], [0, 1, 1]]
    assert step.values.tolist() == [[1, 0, 1], [0, 1, 1]]
    assert step.scores.tolist() == [[1, 0, 1], [2, 2, 4], [3, 2, 5]], "keys are rows and queries are columns"
    weights = [[0.0900, 0.0634, 0.0132], [0.2447, 0.4683, 0.2654], [0.6652, 0.4683, 0.7214]]
    np.testing.assert_allclose(step.weights, weights, atol=5e-5)
    np.testing.assert_allclose(step.output, [[0.7553, 0.5317, 0.7346], [0.9100, 0.9366, 0.9868]], atol=5e-5)


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("causal", [False, True])
def test_agrees_with_torch_in_rows(library, parameters, scaled, causal):
    X, *maps = map(library, parameters)
    mask = causal_mask(X.shape[1], like=X) if causal else None
    step = self_attention(X, *maps, mask=mask, scaled=scaled)
    q, k, v = (torch.as_tensor(rows_from_columns(a))[None] for a in (step.queries, step.keys, step.values))
    rows = None if mask is None else torch.as_tensor(rows_from_columns(mask))
    expected = torch.nn.functional.scaled_dot_product_attention(
        q, k, v, attn_mask=rows, scale=None if scaled else 1.0
    )
    torch.testing.assert_close(
        torch.as_tensor(rows_from_columns(step.output)), expected[0], rtol=1e-5, atol=1e-5,
        msg=lambda text: f"scaled by D instead of √D_q, or mask transposed? {text}",
    )  # fmt: skip


def test_projection_adds_the_bias_to_every_column(parameters):
    X, Omega_q, Omega_k, Omega_v, beta_q, beta_k, beta_v = parameters
    Q, K, V = queries_keys_values(*parameters)
    ones = np.ones((1, X.shape[1]))
    np.testing.assert_allclose(Q, beta_q[:, None] @ ones + Omega_q @ X)
    np.testing.assert_allclose(K, beta_k[:, None] @ ones + Omega_k @ X)
    np.testing.assert_allclose(V, beta_v[:, None] @ ones + Omega_v @ X)


def test_matrix_form_is_the_sum_over_keys(parameters):
    step = self_attention(*parameters)
    Q, K, V = step.queries, step.keys, step.values
    for n in range(Q.shape[1]):
        e = np.exp([K[:, m] @ Q[:, n] for m in range(K.shape[1])])
        np.testing.assert_allclose(step.output[:, n], sum(e[m] / e.sum() * V[:, m] for m in range(len(e))))


def test_permuting_tokens_permutes_outputs(parameters, random):
    X, *maps = parameters
    order = random.permutation(X.shape[1])
    np.testing.assert_allclose(
        self_attention(X[:, order], *maps).output,
        self_attention(X, *maps).output[:, order],
        err_msg="attention must treat its input as a set",
    )


def test_later_tokens_never_change_earlier_outputs(parameters):
    X, *maps = parameters
    changed = X.copy()
    changed[:, 3:] += 1
    mask = causal_mask(X.shape[1])
    before, after = (self_attention(x, *maps, mask=mask).output for x in (X, changed))
    np.testing.assert_array_equal(before[:, :3], after[:, :3], err_msg="a query sees a later token")
    assert not np.allclose(before[:, 3:], after[:, 3:])


def test_scaling_divides_by_the_root_of_the_query_size(parameters):
    X, *maps = parameters
    plain, scaled = self_attention(X, *maps), scaled_self_attention(X, *maps)
    np.testing.assert_allclose(
        scaled.scores, plain.scores / 2, err_msg="D_q is 4 here: divide by √4, not by D"
    )


def test_cross_attention_takes_another_number_of_keys(random):
    step = attention(
        random.standard_normal((4, 5)), random.standard_normal((4, 3)), random.standard_normal((6, 3))
    )
    assert step.scores.shape == step.weights.shape == (3, 5)
    assert step.output.shape == (6, 5)


def test_float32_stays_float32_and_integers_become_float64(parameters):
    single = self_attention(*(p.astype(np.float32) for p in parameters))
    assert {getattr(single, f.name).dtype for f in dataclasses.fields(single)} == {np.dtype(np.float32)}
    whole = self_attention(*(torch.tensor(a) for a in worked_example()))
    assert whole.output.dtype == torch.float64
    X, *maps = parameters
    mixed = self_attention(X.astype(np.float32), *maps)
    assert mixed.output.dtype == np.float64, "of two precisions the wider one is kept"


def test_lists_become_numpy_arrays():
    X, Omega_q, Omega_k, Omega_v = (a.tolist() for a in worked_example())
    np.testing.assert_array_equal(
        self_attention(X, Omega_q, Omega_k, Omega_v).output, self_attention(*worked_example()).output
    )


@pytest.mark.parametrize(
    ("position", "shape", "message"),
    [
        (0, (6,), r"X must be a matrix.*got shape \(6,\)"),
        (0, (6, 0), r"X must be a matrix.*not empty; got shape \(6, 0\)"),
        (1, (4, 5), r"Omega_q must be a matrix of shape \(any, 6\).*got shape \(4, 5\)"),
        (2, (3, 6), r"Omega_k must be a matrix of shape \(4, 6\).*got shape \(3, 6\)"),
        (3, (7, 5), r"Omega_v must be a matrix of shape \(any, 6\).*got shape \(7, 5\)"),
        (4, (4, 1), r"beta_q must be a vector of size 4; got shape \(4, 1\)"),
        (6, (6,), r"beta_v must be a vector of size 7; got shape \(6,\)"),
    ],
)
def test_wrong_shapes_are_named(library, parameters, position, shape, message):
    parameters[position] = np.ones(shape)
    with pytest.raises(ValueError, match=message):
        self_attention(*map(library, parameters))


def test_mixed_libraries_are_named(parameters):
    parameters[2] = torch.tensor(parameters[2])
    with pytest.raises(TypeError, match="X and Omega_k must be arrays of one library; got numpy and torch"):
        self_attention(*parameters)


def test_mixed_devices_are_named(parameters):
    tensors = [torch.tensor(p) for p in parameters]
    tensors[1] = tensors[1].to("meta")  # a second device that every machine has
    with pytest.raises(ValueError, match="X and Omega_q must be on one device; got cpu and meta"):
        self_attention(*tensors)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_and_infinity_are_named(library, parameters, bad):
    parameters[1][0, 0] = bad
    with pytest.raises(ValueError, match="Omega_q must be made of finite numbers"):
        self_attention(*map(library, parameters))


def test_overflowing_scores_are_an_error_not_nan():
    big = np.full((2, 3), 1e30, dtype=np.float32)
    with pytest.raises(ValueError, match="the score matrix must be made of finite"):
        attention(big, big, big)


MASKED = np.ma.masked_greater(np.arange(6.0).reshape(2, 3), 2)


@pytest.mark.parametrize(
    "bad",
    [
        "text",
        None,
        {1: 2},
        [[1, 2], [3]],
        np.zeros((1, 3)).view(np.matrix),
        MASKED,
        [*MASKED],
        [[1.0, np.ma.masked, 2.0]],
        [torch.ones(3, requires_grad=True)],
    ],
)
def test_values_that_are_not_plain_arrays_are_named(bad):
    with pytest.raises((TypeError, ValueError), match="K must"):
        attention(np.ones((2, 3)), bad, np.ones((2, 3)))


BIG = np.full((2, 2), 1e200)
HUGE = np.full((2, 2), 1.5e308)
ONES = np.ones((2, 2))


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: queries_keys_values(BIG, BIG, ONES, ONES), "Q"),
        (lambda: queries_keys_values(BIG, ONES, BIG, ONES), "K"),
        (lambda: queries_keys_values(BIG, ONES, ONES, BIG), "V"),
        (lambda: multi_head(ONES, [Head(ONES, ONES, BIG)], BIG), "the output of Omega_c"),
        (lambda: mlp(BIG, BIG, ONES), "the hidden units"),
        (lambda: mlp(BIG, ONES, BIG), "the output of the MLP"),
        (
            lambda: layer_norm([[1.0], [3.0]], gamma=[1.7e308, 1.7e308], delta=[-1.7e308, 1.7e308]),
            "the output of",
        ),
        (lambda: rope_scores(BIG, BIG, [0, 1], [0, 1]), "the score matrix"),
        (lambda: rotate(HUGE, [0, 2]), "the rotated X"),
        (lambda: sinusoidal([1e308], 4, base=1e-9), "positions · thetas"),
        (lambda: frequencies(400, base=5e-324), r"base\^\(-2i/D\)"),
        (lambda: variance_of_scores(BIG), "the squares of scores"),
        (lambda: layer(HUGE, LayerParameters([Head(ONES, ONES, HUGE)], ONES, ONES, ONES)), "the output of|V"),
    ],
)
def test_an_overflow_is_an_error_and_never_infinity(call, name):
    expected = pytest.raises(
        ValueError, match=f"{name}.* must be made of finite numbers; got NaN or infinity"
    )
    with expected:
        call()


@pytest.mark.parametrize("dtype", [np.complex128, np.float16])
def test_other_entries_are_refused(dtype):
    with pytest.raises(TypeError, match="Q must be of integers, float32 or float64"):
        attention(np.ones((2, 3), dtype=dtype), np.ones((2, 3)), np.ones((2, 3)))


def test_rows_are_columns_transposed_and_back(library, random):
    X = library(random.standard_normal((2, 3, 4)))
    rows = rows_from_columns(X)
    assert rows.shape == (2, 4, 3)
    assert rows_from_columns(rows).tolist() == X.tolist()
    with pytest.raises(ValueError, match="array of at least two axes"):
        rows_from_columns(X[0, 0])


def test_importing_and_using_the_equations_needs_no_torch():
    program = (
        "import sys; sys.modules['torch'] = None\n"  # any import of torch now fails
        "from transformer_book.equations import self_attention, worked_example\n"
        "print(self_attention(*worked_example()).scores.tolist())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[[1.0, 0.0, 1.0], [2.0, 2.0, 4.0], [3.0, 2.0, 5.0]]", done.stderr
