"""The softmax over the keys and its masks."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from transformer_book.equations import causal_mask, softmax

scores = arrays(np.float64, (4, 3), elements=st.floats(-1e4, 1e4))


@given(scores)
def test_columns_are_distributions(S):
    A = softmax(S)
    assert (A >= 0).all()
    np.testing.assert_allclose(
        A.sum(axis=0), 1, atol=1e-12, err_msg="softmax over the wrong axis: columns must sum to 1"
    )


@given(scores, st.floats(-1e4, 1e4))
def test_adding_a_constant_to_a_column_changes_nothing(S, constant):
    np.testing.assert_allclose(
        softmax(S + constant), softmax(S), atol=1e-9, err_msg="the largest score is not taken off"
    )


def test_agrees_with_torch(library, random):
    S = library(random.standard_normal((4, 3)))
    expected = torch.softmax(torch.as_tensor(S), dim=0)
    torch.testing.assert_close(torch.as_tensor(softmax(S)), expected, msg="softmax over the wrong axis?")


def test_scores_of_ten_thousand_do_not_overflow(library):
    A = softmax(library([[1e4, -1e4], [1e4 - 1, 1e4]]))
    np.testing.assert_allclose(np.asarray(A.tolist()), [[0.731059, 0], [0.268941, 1]], atol=1e-4)


def test_scores_whose_difference_overflows_give_weights_without_a_warning():
    A = softmax(np.array([[1.7e308, 0.0], [-1.7e308, 0.0]]))
    np.testing.assert_array_equal(A, [[1, 0.5], [0, 0.5]])


def test_minus_infinity_takes_no_weight(library):
    A = softmax(library([[0.0, -np.inf], [-np.inf, 2.0], [0.0, 2.0]]))
    np.testing.assert_allclose(np.asarray(A.tolist()), [[0.5, 0], [0, 0.5], [0.5, 0.5]], atol=1e-7)


def test_mask_is_applied_before_the_softmax(library, random):
    S = library(random.standard_normal((5, 5)))
    A = np.asarray(softmax(S, causal_mask(5, like=S)).tolist())
    assert (A[np.tril_indices(5, -1)] == 0).all(), "a query attends to a later key: is the mask transposed?"
    np.testing.assert_allclose(A.sum(axis=0), 1, atol=1e-6, err_msg="mask applied after the softmax")


def test_causal_mask_has_keys_as_rows():
    assert causal_mask(3).tolist() == [[True, True, True], [False, True, True], [False, False, True]]


@pytest.mark.parametrize("by", ["mask", "scores"])
def test_fully_masked_query_is_named(library, by):
    if by == "mask":
        S, mask = library([[1.0, 2.0], [3.0, 4.0]]), [[True, False], [False, False]]
        mask = np.array(mask) if isinstance(S, np.ndarray) else torch.tensor(mask, device=S.device)
    else:
        S, mask = library([[1.0, -np.inf], [3.0, -np.inf]]), None
    with pytest.raises(ValueError, match="open for at least one key of every query; got none for query 2"):
        softmax(S, mask)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_and_plus_infinity_are_refused(library, bad):
    with pytest.raises(ValueError, match="S must be made of finite scores"):
        softmax(library([[1.0, bad], [0.0, 0.0]]))


def test_mask_must_be_boolean_and_of_the_right_shape():
    S = np.zeros((4, 3))
    with pytest.raises(TypeError, match="mask must be boolean"):
        softmax(S, np.ones((4, 3)))
    with pytest.raises(ValueError, match=r"mask must be a matrix of shape \(4, 3\).*got shape \(3, 4\)"):
        softmax(S, np.ones((3, 4), dtype=bool))
    with pytest.raises(TypeError, match="must be arrays of one library; got numpy and torch"):
        softmax(S, torch.ones((4, 3), dtype=torch.bool))


def test_gradient_flows_through_a_mask():
    S = torch.randn(3, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(1), requires_grad=True)
    softmax(S, causal_mask(3, like=S))[0].sum().backward()
    assert torch.isfinite(S.grad).all(), "a masked score must have gradient 0, not NaN"
    assert (S.grad[causal_mask(3, like=S).logical_not()] == 0).all()


def test_causal_mask_is_like_a_list_too():
    assert causal_mask(2, like=[[1.0]]).tolist() == [[True, True], [False, True]]


@pytest.mark.parametrize("bad", [0, -1, 2.0, True])
def test_causal_mask_needs_a_size(bad):
    with pytest.raises(ValueError, match="N must be a whole number"):
        causal_mask(bad)
