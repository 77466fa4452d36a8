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
    ("wrong", "sentence"),
    [
        (lambda: causal_mask(4, 3), "num_keys is 3"),
        (lambda: causal_mask(-1), "num_queries is -1, expected a whole number"),
        (lambda: causal_mask(2.5), "num_queries is 2.5"),
        (lambda: causal_mask(2, "4"), "num_keys is '4'"),
        (lambda: sliding_window_mask(-1, 2), "num_queries is -1"),
        (lambda: sliding_window_mask(4, 2, 3), "num_keys is 3, but 4 queries at the end"),
        (lambda: sliding_window_mask(4, 1.5), "window is 1.5"),
        (lambda: sliding_window_mask(4, 0), "window is 0"),
        (lambda: padding_mask(torch.ones(2, 3)), "expected a boolean tensor"),
        (lambda: padding_mask(torch.ones(3, dtype=torch.bool)), "real has shape"),
        (lambda: combine_masks(torch.zeros(3, 3)), "mask has type torch.float32"),
        (
            lambda: combine_masks(causal_mask(3), causal_mask(4)),
            r"shapes \(3, 3\) on cpu and \(4, 4\) on cpu",
        ),
        (lambda: combine_masks(causal_mask(3), causal_mask(3, device="meta")), "on one device"),
    ],
)
def test_wrong_masks_are_named(wrong, sentence):
    with pytest.raises(ValueError, match=sentence):
        wrong()


def test_a_list_is_no_mask():
    with pytest.raises(TypeError, match="real is a list, expected a torch tensor of booleans"):
        padding_mask([[True]])
    with pytest.raises(TypeError, match="mask is a list"):
        combine_masks([[True]])
