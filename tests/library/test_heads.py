"""Scores of heads, on weights whose pattern is known, and the sentences of section 6."""

from types import SimpleNamespace

import pytest
import torch

from transformer_book.experiments.head_scores import (
    attention_weights,
    copied_tokens,
    induction_scores,
    loss_by_position,
    previous_token_scores,
    repeated_tokens,
)
from transformer_book.experiments.subject_heads import (
    CHOOSING,
    FIRST_NOUN,
    HELD_OUT,
    SWAPPED,
    Sentence,
    hits,
    noun_weights,
)
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


def test_a_token_is_copied_if_it_beats_the_others_of_the_first_round():
    ids = [7, 3, 9, 4, 7, 3, 9, 4]

    class After(torch.nn.Linear):
        """Scores what followed each token in the first round highest, 9 excepted; 10 is not in the text."""

        def forward(self, tokens):
            scores = torch.zeros(1, len(ids), 11)
            for n, token in enumerate(ids):
                scores[0, n, {7: 3, 3: 9, 9: 3, 4: 7}[token]] = 1
            scores[..., 10] = 2
            return SimpleNamespace(logits=scores)

    assert copied_tokens(After(1, 1), ids, period=4).tolist() == [True, True, False]


def test_sentences_say_what_they_claim():
    for group, sentences in {"choosing": CHOOSING, **HELD_OUT, **SWAPPED}.items():
        for sentence in sentences:
            words = sentence.text.removesuffix(".").split()
            named = (sentence.subject, sentence.distractor, sentence.verb)
            subject, distractor, verb = (words.index(word) for word in named)
            assert max(subject, distractor) < verb, f"{sentence.text}: the verb comes last"
            first = group in (*FIRST_NOUN, "choosing")
            assert (subject < distractor) == first, f"{sentence.text}: the subject is on the wrong side"


def test_each_noun_is_asked_about_in_one_sentence():
    sentences = [*CHOOSING, *(sentence for group in HELD_OUT.values() for sentence in group)]
    nouns = [noun for sentence in sentences for noun in (sentence.subject, sentence.distractor)]
    assert len(set(nouns)) == len(nouns) == 2 * (6 + 48), "a noun comes back, so two sentences are one case"


def test_the_first_noun_is_right_in_half_of_the_sentences():
    right = sum(len(HELD_OUT[group]) for group in FIRST_NOUN)
    assert 2 * right == sum(map(len, HELD_OUT.values()))


def test_swapping_keeps_the_words():
    for group, sentences in HELD_OUT.items():
        for plain, swapped in zip(sentences, SWAPPED[group], strict=True):
            assert sorted(plain.text.split()) == sorted(swapped.text.split())
            assert (plain.subject, plain.distractor) == (swapped.distractor, swapped.subject)


def test_a_hit_needs_a_tenth_more_than_the_other_noun():
    weights = torch.tensor([[0.5, 0.39], [0.5, 0.41], [0.04, 0.03], [0.1, 0.6]])
    assert hits(weights).tolist() == [True, False, False, False]


class Words:
    """A tokenizer of whole words."""

    known = ("the", "cat", "dog", "that", "barked", "slept", ".")

    def tokens(self, text):
        return text.lower().replace(".", " .").split()

    def encode(self, text):
        return [self.known.index(word) for word in self.tokens(text)]


def test_weights_of_nouns_are_read_from_the_verbs_row_whatever_stands_beside():
    config = DecoderConfig(vocabulary_size=7, context_length=9, dim=12, num_layers=2, num_heads=3)
    torch.manual_seed(0)
    model = Decoder(config).eval()
    short = Sentence("The dog that cat barked.", "barked", "cat", "dog")
    long = Sentence("The cat that the dog barked slept.", "slept", "cat", "dog")
    found = noun_weights(model, Words(), (short, long))
    alone = attention_weights(model, Words().encode(short.text))  # (L, H, N, N)
    torch.testing.assert_close(
        found[0], alone[:, :, 4, [3, 1]], msg="rows are queries; padding must not count"
    )
    assert found.shape == (2, 2, 3, 2)


def test_a_word_that_occurs_twice_is_named():
    twice = Sentence("The cat that cat barked slept.", "slept", "cat", "dog")
    with pytest.raises(ValueError, match=r"cat must be one token of .* that occurs once; got"):
        noun_weights(None, Words(), (twice,))
