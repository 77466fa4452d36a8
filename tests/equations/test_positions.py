"""Equations 12.6 and 12.7."""

import numpy as np
import pytest
import torch

from transformer_book.equations import frequencies, rope_scores, rotate, rotation, sinusoidal


def test_encoding_of_position_1_in_four_entries():
    np.testing.assert_allclose(
        sinusoidal([1], 4)[:, 0],
        [np.sin(1), np.cos(1), np.sin(0.01), np.cos(0.01)],
        err_msg="sines are the even entries, and the second frequency is 10000^(-2/4)",
    )


def test_encoding_follows_library_and_precision(library):
    encoding = sinusoidal(library([0.0, 3.0, 8.0]), 6)
    assert type(encoding) is type(library([0.0]))
    assert encoding.dtype == library([0.0]).dtype
    assert encoding.shape == (6, 3)
    for i in range(3):
        angle = np.array([0, 3, 8]) / 10000 ** (2 * i / 6)
        np.testing.assert_allclose(encoding[2 * i].tolist(), np.sin(angle), atol=1e-6)
        np.testing.assert_allclose(encoding[2 * i + 1].tolist(), np.cos(angle), atol=1e-6)


def test_positions_in_float32_keep_their_angles_far_away(library):
    """A product of 100,000 and a frequency rounded to float32 is off by up to 4e-3 radians."""
    far, D = [99_999.0, 100_000.0, 2.0**24], 8
    angle = np.outer(frequencies(D), far)
    expected = np.stack((np.sin(angle), np.cos(angle)), axis=1).reshape(D, 3)
    # The sine itself is rounded once; its angle in float64 is off by 2^24 · 2^-53.
    tolerance = np.finfo(np.float32).eps if library([0.0]).dtype.itemsize == 4 else 2.0**-28
    encoding = sinusoidal(library(far), D)
    np.testing.assert_allclose(encoding.tolist(), expected, rtol=0, atol=tolerance)
    ones = rotate(library(np.tile([[1.0], [0.0]], (D // 2, 3))), library(far))
    turned = np.stack((np.cos(angle), np.sin(angle)), axis=1).reshape(D, 3)
    np.testing.assert_allclose(ones.tolist(), turned, rtol=0, atol=tolerance)


@pytest.mark.parametrize(
    "theta", [1, 1.0, np.float32(1), torch.tensor(1.0), torch.tensor(1.0, dtype=torch.float64)]
)
def test_a_rotation_is_float64_in_the_library_of_its_angle(theta):
    matrix = rotation(theta)
    assert isinstance(matrix, torch.Tensor if isinstance(theta, torch.Tensor) else np.ndarray)
    assert str(matrix.dtype).removeprefix("torch.") == "float64"
    np.testing.assert_array_equal(matrix.tolist(), [[np.cos(1), -np.sin(1)], [np.sin(1), np.cos(1)]])


def test_rotation_identity_behind_equation_7():
    np.testing.assert_allclose(rotation(0.7).T @ rotation(2.0), rotation(1.3), atol=1e-15)
    np.testing.assert_allclose(rotation(np.pi / 2) @ [1, 0], [0, 1], atol=1e-15, err_msg="turns clockwise")


def test_scores_are_the_right_side_of_equation_7(random):
    q, k, theta = random.standard_normal((2, 1)), random.standard_normal((2, 1)), 0.3
    for m, n in [(0, 0), (5, 2), (2, 9)]:
        left = rope_scores(q, k, [n], [m], thetas=[theta])
        np.testing.assert_allclose(left, k.T @ rotation((n - m) * theta) @ q, atol=1e-12)


def test_scores_depend_on_the_offset_only(library, random):
    Q, K = library(random.standard_normal((8, 3))), library(random.standard_normal((8, 4)))
    near = rope_scores(Q, K, library([0, 2, 5]), library([1, 0, 7, 3]))
    far = rope_scores(Q, K, library([40, 42, 45]), library([41, 40, 47, 43]))
    assert near.shape == (4, 3)
    np.testing.assert_allclose(
        near.tolist(), far.tolist(), atol=1e-4 if near.dtype.itemsize == 4 else 1e-12,
        err_msg="RoPE turns keys and queries by different angles",
    )  # fmt: skip


def test_rotation_keeps_lengths_and_turns_each_pair(random):
    X = random.standard_normal((6, 4))
    turned = rotate(X, [0, 1, 2, 3])
    np.testing.assert_allclose(np.linalg.norm(turned, axis=0), np.linalg.norm(X, axis=0))
    np.testing.assert_array_equal(turned[:, 0], X[:, 0], err_msg="position 0 must not turn")
    for i, theta in enumerate(frequencies(6)):
        np.testing.assert_allclose(
            turned[2 * i : 2 * i + 2, 3], rotation(3 * theta) @ X[2 * i : 2 * i + 2, 3],
            err_msg="pairs are (0, 1), (2, 3), …, not (0, D/2)",
        )  # fmt: skip


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sinusoidal([1], 5), "D must be an even number"),
        (lambda: sinusoidal([[1]], 4), "positions must be a vector"),
        (lambda: frequencies(4, base=0), "base must be a positive number; got 0"),
        (lambda: sinusoidal([0], 2, base="large"), "base must be a positive number; got 'large'"),
        (lambda: rotate(np.ones((3, 2)), range(2)), "X must be a matrix of an even number of rows"),
        (lambda: rotate(np.ones((4, 2)), [0, 1, 2]), "positions must be a vector of size 2"),
        (lambda: rotate(np.ones((4, 2)), [0, 1], thetas=[1.0]), "thetas must be a vector of size 2"),
        (lambda: rope_scores(np.ones((4, 2)), np.ones((6, 3)), [0, 1], [0, 1, 2]), "K must be a matrix"),
        (lambda: rotation([1.0, 2.0]), "theta must be one angle"),
    ],
)
def test_wrong_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_gradient_reaches_rotated_queries():
    Q = torch.ones((4, 2), dtype=torch.float64, requires_grad=True)
    rotate(Q, torch.arange(2)).sum().backward()
    assert torch.isfinite(Q.grad).all()


def test_positions_that_are_missing_are_named():
    with pytest.raises(TypeError, match="positions must be a vector; got None"):
        rotate(np.ones((2, 3)), None)
