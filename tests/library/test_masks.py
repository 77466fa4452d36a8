"""Masks say True where a query may attend to a key."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from transformer_book.attention import causal_mask, combine_masks, padding_mask, sliding_window_mask


def test_causal_mask_lets_each_position_see_itself_and_earlier_ones():
    expected = torch.tensor([[True, False, False], [True, True, False], [True, True, True]])
    assert torch.equal(causal_mask(3), expected), "likely: strict inequality, or the transpose"


def test_causal_queries_are_the_last_positions_when_there_are_more_keys():
    assert torch.equal(causal_mask(2, 5), causal_mask(5)[-2:]), "likely: aligned to the first key"


@given(length=st.integers(1, 12), window=st.integers(1, 14))
def test_causal_window_sees_at_most_window_positions(length, window):
    mask = sliding_window_mask(length, window)
    for query in range(length):
        seen = mask[query].nonzero().flatten().tolist()
        assert seen == list(range(max(0, query - window + 1), query + 1)), "likely: off by one"


@given(length=st.integers(1, 12), window=st.integers(1, 14))
def test_window_on_both_sides_is_symmetric(length, window):
    mask = sliding_window_mask(length, window, causal=False)
    assert torch.equal(mask, mask.T)
    assert torch.equal(mask & causal_mask(length), sliding_window_mask(length, window))


def test_combined_masks_allow_what_all_allow():
    real = torch.tensor([[True, True, False, False], [True, True, True, True]])
    mask = combine_masks(causal_mask(4), None, padding_mask(real))
    assert mask.shape == (2, 1, 4, 4)
    assert torch.equal(mask[0, 0], causal_mask(4) & real[0]), "likely: combined with or"
    assert torch.equal(mask[1, 0], causal_mask(4)), "likely: padding of another text"


def test_no_masks_combine_to_none():
    assert combine_masks(None, None) is None


@pytest.mark.parametrize(
    ("wrong", "kind", "sentence"),
    [
        (lambda: causal_mask(-1), ValueError, "num_queries must be a whole number of at least 0; got -1"),
        (lambda: causal_mask(4, 3), ValueError, "num_keys must be a whole number of at least 4; got 3"),
        (lambda: sliding_window_mask(4, 2, 3), ValueError, "num_keys must be"),
        (lambda: sliding_window_mask(4, 0), ValueError, "window must be a whole number of at least 1; got 0"),
        (lambda: padding_mask(torch.ones(2, 3)), ValueError, "padding must be of type bool"),
        (lambda: padding_mask(torch.ones(3).bool()), ValueError, r"padding must be of shape \(B, M\)"),
        (lambda: padding_mask([[True]]), TypeError, "padding must be a torch tensor"),
        (lambda: combine_masks(torch.zeros(3, 3)), ValueError, "mask must be of type bool"),
        (lambda: combine_masks([[True]]), TypeError, "mask must be a torch tensor"),
        (lambda: combine_masks(causal_mask(3), causal_mask(4)), ValueError, "masks must .* on one device"),
        (lambda: combine_masks(causal_mask(3), causal_mask(3, device="meta")), ValueError, "on one device"),
    ],
)
def test_wrong_masks_are_named(wrong, kind, sentence):
    with pytest.raises(kind, match=sentence):
        wrong()
