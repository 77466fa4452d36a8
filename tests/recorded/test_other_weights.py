"""The search for other attention weights with the same answer (section 10)."""

import math

import torch

from transformer_book.experiments import reviews


def _classifier():
    torch.manual_seed(0)
    return reviews.ReviewClassifier().eval()


def test_divergence_of_masked_weights_has_a_finite_slope():
    own = torch.tensor([[0.5, 0.5, 0.0]])
    scores = torch.tensor([[0.3, -0.2, -math.inf]], requires_grad=True)
    reviews.jensen_shannon(own, scores.softmax(dim=-1)).sum().backward()
    assert torch.isfinite(scores.grad[:, :2]).all(), "a position of weight 0 makes every slope NaN"


def test_divergence_is_zero_for_equal_and_ln_2_for_disjoint_weights():
    p = torch.tensor([[0.25, 0.75, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]])
    q = torch.tensor([[0.25, 0.75, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]])
    torch.testing.assert_close(reviews.jensen_shannon(p, q), torch.tensor([0.0, math.log(2)]))


def test_other_weights_are_found_for_padded_sentences_too():
    model, short, long = _classifier(), "很好的酒店，下次还来。", "房间" * 20
    alone = reviews.find_other_weights(model, reviews.review_tokens([short]), steps=60)
    assert alone.divergence.item() > 0.1, "padding stops the search"
    both = reviews.find_other_weights(model, reviews.review_tokens([short, long]), steps=60)
    assert (both.divergence > 0.1).all()
    assert (both.change <= 0.01).all()
    padding = reviews.review_tokens([short, long]) == reviews.PAD
    assert both.weights[padding].abs().max() == 0, "weight on padding"
