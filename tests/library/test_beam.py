"""Beam search: against every text there is, greedy decoding, and probabilities computed anew."""

from itertools import product

import pytest
import torch

from transformer_book.generation import beam_search, generate
from transformer_book.models import Decoder, DecoderConfig

V, STOP = 5, 2


@pytest.fixture
def model(randomise):
    config = DecoderConfig(vocabulary_size=V, context_length=12, dim=6, num_layers=2, num_heads=3)
    return randomise(Decoder(config).double()).eval()


def log_probability(model, prompt, new, stop=None):
    """Of the tokens `new` after `prompt`, in one pass without a cache; nothing counts after `stop`."""
    new = new[: new.index(stop) + 1] if stop in new else new
    with torch.no_grad():
        steps = model(torch.tensor([[*prompt, *new]])).logits[0].log_softmax(-1)
    return sum(steps[len(prompt) - 1 + k, token].item() for k, token in enumerate(new))


def test_a_beam_that_drops_nothing_finds_the_likeliest_of_all_texts(model):
    prompt = [1, 3]
    every = {new: log_probability(model, prompt, list(new)) for new in product(range(V), repeat=2)}
    found = beam_search(model, prompt, 2, width=V)
    best = sorted(every, key=every.get, reverse=True)[:V]
    assert [tuple(new) for new in found.new_tokens.tolist()] == best
    torch.testing.assert_close(found.log_probabilities, torch.tensor([every[new] for new in best]).double())


def test_width_one_is_greedy(model):
    greedy = generate(model, [4, 0, 1], 7, temperature=0, stop_tokens=[STOP])
    assert torch.equal(beam_search(model, [4, 0, 1], 7, width=1, stop_tokens=[STOP]).tokens, greedy.tokens)


def test_sums_are_those_of_the_texts(model):
    """With a stop token too: likely a cache whose rows did not follow, or a stop that went on costing."""
    prompt = [1, 3, 4]
    found = beam_search(model, prompt, 8, width=4, stop_tokens=[STOP])
    expected = [log_probability(model, prompt, new, STOP) for new in found.new_tokens.tolist()]
    torch.testing.assert_close(found.log_probabilities.tolist(), expected, rtol=1e-9, atol=1e-9)
    sums = found.log_probabilities.tolist()
    assert sums == sorted(sums, reverse=True)
    assert len({tuple(new) for new in found.new_tokens.tolist()}) == 4, "a text is there twice"


def test_a_finished_text_stays_and_is_filled_up(model):
    with torch.no_grad():
        model.output_weight.zero_()
        found = beam_search(model, [0], 3, width=V, stop_tokens=[STOP])
    # All tokens are alike: ending at once costs ln V, every longer text more.
    assert found.new_tokens[0].tolist() == [STOP] * found.new_tokens.shape[1]
    assert found.finished[0]
    assert found.log_probabilities[0].item() == pytest.approx(-torch.tensor(float(V)).log().item())


@pytest.mark.parametrize(
    ("prompt", "width", "message"),
    [
        ([[0, 1], [2, 3]], 2, r"prompt must be one text, \(N,\) or \(1, N\); got 2 texts"),
        ([0], 0, "width must be a whole number of at least 1; got 0"),
        ([0], V + 1, "width must be at most the vocabulary, 5; got 6"),
    ],
)
def test_wrong_input_is_named(model, prompt, width, message):
    with pytest.raises(ValueError, match=message):
        beam_search(model, prompt, 2, width=width)
