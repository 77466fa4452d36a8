"""Scores of heads, on weights whose pattern is known, and the sentences of section 6."""

import torch

from transformer_book.experiments.head_scores import (
    attention_weights,
    induction_scores,
    loss_by_position,
    previous_token_scores,
    repeated_tokens,
)
from transformer_book.experiments.subject_heads import CHOOSING, HELD_OUT
from transformer_book.models import Decoder, DecoderConfig

PERIOD, N = 5, 15


def pattern(distance):
    """Weights (2, 3, N, N): head (1, 2) looks `distance` tokens back, the others at their own token."""
    weights = torch.eye(N).repeat(2, 3, 1, 1)
    weights[1, 2] = 0
    for n in range(N):
        weights[1, 2, n, max(n - distance, 0)] = 1
    return weights


def test_previous_token_head_scores_one():
    scores = previous_token_scores(pattern(1))
    assert scores[1, 2] == 1, "rows are queries: the weight on the token before stands below the diagonal"
    assert scores[0, 0] == 0, "a head that looks at its own token is no previous-token head"


def test_induction_head_looks_at_the_token_after_the_earlier_copy():
    scores = induction_scores(pattern(PERIOD - 1), PERIOD)
    assert scores[1, 2] == 1, "off by one: the copy itself stands `period` back, its follower one less"
    assert induction_scores(pattern(PERIOD), PERIOD)[1, 2] == 0


def test_induction_counts_the_repetitions_alone():
    weights = pattern(PERIOD - 1)
    weights[1, 2, :PERIOD] = 0  # the first round cannot copy
    assert induction_scores(weights, PERIOD)[1, 2] == 1


def test_repeated_tokens_repeat():
    ids = repeated_tokens(97, PERIOD, rounds=3)
    assert ids[:PERIOD] == ids[PERIOD : 2 * PERIOD] == ids[2 * PERIOD :]
    assert len(set(ids)) > 2
    assert all(0 <= token < 97 for token in ids)


def test_weights_and_losses_of_a_model():
    config = DecoderConfig(vocabulary_size=11, context_length=N, dim=12, num_layers=2, num_heads=3)
    torch.manual_seed(0)
    model = Decoder(config).eval()
    ids = repeated_tokens(11, PERIOD, rounds=2)
    weights = attention_weights(model, ids)
    assert weights.shape == (2, 3, 2 * PERIOD, 2 * PERIOD)
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(2, 3, 2 * PERIOD))
    expected = model(torch.tensor([ids])).logits[0, 3].log_softmax(dim=-1)[ids[4]]
    torch.testing.assert_close(loss_by_position(model, ids)[3], -expected, msg="off by one")


def test_sentences_say_what_they_claim():
    for group, sentences in {"choosing": CHOOSING, **HELD_OUT}.items():
        for sentence in sentences:
            words = sentence.text.removesuffix(".").split()
            places = {
                word: words.index(word) for word in (sentence.subject, sentence.distractor, sentence.verb)
            }
            subject, distractor, verb = places.values()
            assert max(subject, distractor) < verb, f"{sentence.text}: the verb comes last"
            first = group != "that"
            assert (subject < distractor) == first, f"{sentence.text}: the subject is on the wrong side"


def test_held_out_sentences_were_not_chosen_on():
    chosen = {sentence.text for sentence in CHOOSING}
    held_out = [sentence.text for sentences in HELD_OUT.values() for sentence in sentences]
    assert not chosen & set(held_out), "a sentence is used for choosing and for testing"
    assert len(set(held_out)) == len(held_out), "a sentence counts twice"


def test_swapping_keeps_the_words():
    for plain, swapped in zip(HELD_OUT["new"], HELD_OUT["swapped"], strict=True):
        assert sorted(plain.text.split()) == sorted(swapped.text.split())
        assert (plain.subject, plain.distractor) == (swapped.distractor, swapped.subject)
