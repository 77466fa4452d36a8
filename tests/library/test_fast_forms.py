"""The fast forms beside the clear ones give the same numbers."""

import pytest
import torch
import torch.nn.functional as F

from transformer_book.generation import FastDecoder, generate, left_pad
from transformer_book.models import Decoder, DecoderConfig, chunked_cross_entropy, vocabulary_logits

V = 23
FORMS = {
    "gpt2": {},
    "llama": {
        "positions": "rotary",
        "rope_pairing": "halves",
        "norm": "rms",
        "mlp": "swiglu",
        "num_kv_heads": 2,
        "attention_bias": False,
        "mlp_bias": False,
    },
    "neighbours, untied, unscaled": {
        "positions": "rotary",
        "tie_output": False,
        "scale": False,
        "embedding_scale": True,
        "head_dim": 8,
        "mlp": "relu",
    },
}


def decoder(form, randomise, dtype=torch.float64):
    sizes = {"vocabulary_size": V, "context_length": 16, "dim": 24, "num_layers": 3, "num_heads": 4}
    return randomise(Decoder(DecoderConfig(**{**sizes, **FORMS[form]})).to(dtype))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("prompt", [1, 5])
def test_fast_decoder_gives_the_same_logits(form, prompt, dtype, device, randomise, assert_same):
    model, tokens = decoder(form, randomise, dtype).to(device), torch.randint(V, (3, 11), device=device)
    fast = FastDecoder(model)
    cache, logits = fast.new_cache(4), []
    for part in (tokens[:, :prompt], *tokens[:, prompt:].split(1, dim=1)):
        seen = fast(part, cache=cache)
        logits.append(seen.logits)
    expected = model(tokens)
    assert_same(torch.cat(logits, dim=1), expected.logits, "queries, keys and values joined in another order")
    assert_same(seen.final, expected.final[:, -1:], "final norm left out")


def test_fast_decoder_takes_a_padded_batch(randomise):
    model = decoder("llama", randomise)
    tokens, padding = left_pad([[1, 2, 3], [4]])
    expected = generate(model, tokens, 6, temperature=0, padding=padding).tokens
    assert torch.equal(
        generate(FastDecoder(model), tokens, 6, temperature=0, padding=padding).tokens, expected
    )


def test_fast_decoder_works_without_a_cache(randomise, assert_same):
    model, tokens = decoder("gpt2", randomise), torch.randint(V, (3, 1))
    assert_same(FastDecoder(model)(tokens).logits, model(tokens).logits, "no cache")


def test_fast_decoder_generates_the_same_text(randomise):
    model = decoder("gpt2", randomise)
    texts = [generate(form, [1, 2], 12, generator=5, top_k=9).tokens for form in (model, FastDecoder(model))]
    assert torch.equal(*texts)


def test_fast_decoder_ends_where_the_model_ends(randomise):
    fast = FastDecoder(decoder("llama", randomise))
    cache = fast.new_cache()
    fast(torch.zeros(1, 16, dtype=torch.long), cache=cache)
    with pytest.raises(ValueError, match="17 tokens, but context_length is 16"):
        fast(torch.zeros(1, 1, dtype=torch.long), cache=cache)


def test_fast_decoder_refuses_what_the_model_refuses_and_stores_nothing(randomise):
    fast = FastDecoder(decoder("gpt2", randomise))
    cache = fast.new_cache()
    fast(torch.zeros(1, 2, dtype=torch.long), cache=cache)
    with pytest.raises(ValueError, match=f"tokens holds {V}, expected numbers of the vocabulary"):
        fast(torch.tensor([[V]]), cache=cache)
    with pytest.raises(ValueError, match="logits_at is 'first'"):
        fast(torch.tensor([[0]]), cache=cache, logits_at="first")
    with pytest.raises(ValueError, match="tokens has 3 texts, but the cache holds 1"):
        fast(torch.zeros(3, 1, dtype=torch.long), cache=cache)
    assert cache.length == 2
    with pytest.raises(TypeError, match="model is a FastDecoder, expected a Decoder"):
        FastDecoder(fast)


@pytest.mark.parametrize("option", [{"norm_placement": "post"}, {"positions": "sinusoidal"}, {"window": 3}])
def test_fast_decoder_names_what_it_does_not_cover(option):
    sizes = {"vocabulary_size": V, "context_length": 8, "dim": 8, "num_layers": 1, "num_heads": 2}
    with pytest.raises(ValueError, match="FastDecoder covers"):
        FastDecoder(Decoder(DecoderConfig(**{**sizes, **option})))


@pytest.mark.parametrize("at_once", [1, 4, 100])
def test_chunked_cross_entropy_equals_torch(at_once, dtype, device, assert_same):
    hidden = torch.randn(3, 5, 8, dtype=dtype, device=device, requires_grad=True)
    weight = torch.randn(V, 8, dtype=dtype, device=device, requires_grad=True)
    labels = torch.randint(V, (3, 5), device=device)
    labels[1, 2:] = -100
    ours = chunked_cross_entropy(hidden, weight, labels, tokens_at_once=at_once)
    logits = vocabulary_logits(hidden, weight).flatten(0, 1)
    theirs = F.cross_entropy(logits, labels.flatten(), reduction="sum")
    assert_same(ours, theirs, "ignored labels counted")
    for name, got, expected in zip(
        ("hidden", "weight"),
        torch.autograd.grad(3 * ours, (hidden, weight)),
        torch.autograd.grad(3 * theirs, (hidden, weight)),
        strict=True,
    ):
        assert_same(got, expected, f"gradient of {name}: a chunk lost, or the outer gradient not applied")


def test_chunked_cross_entropy_stays_finite_for_large_scores():
    hidden, weight = torch.tensor([[1000.0], [-1000.0]]), torch.tensor([[1.0], [-1.0]])
    assert float(chunked_cross_entropy(hidden, weight, torch.tensor([0, 0]))) == 2000.0


def test_chunked_cross_entropy_gradcheck_and_frozen_inputs():
    hidden = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    weight, labels = torch.randn(5, 4, dtype=torch.float64), torch.tensor([0, 4, 2])
    assert torch.autograd.gradcheck(lambda h: chunked_cross_entropy(h, weight, labels), (hidden,))
    assert not chunked_cross_entropy(hidden.detach(), weight, labels).requires_grad


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"labels": torch.zeros(2, dtype=torch.long)}, r"labels \(2,\)"),
        ({"hidden": torch.ones(4), "labels": torch.tensor(0)}, r"hidden has shape \(4,\)"),
        ({"weight": torch.ones(4)}, r"weight \(4,\)"),
        ({"labels": torch.tensor([0, 1, 5])}, "labels holds 5, expected numbers of the vocabulary, 0 to 4"),
        ({"labels": torch.tensor([0, -1, 3])}, "labels holds -1"),
        ({"labels": torch.zeros(3)}, "labels has type torch.float32"),
        ({"tokens_at_once": -1}, "tokens_at_once is -1"),  # no chunk at all would give a loss of 0
    ],
)
def test_chunked_cross_entropy_names_what_does_not_fit(change, sentence):
    inputs = {"hidden": torch.ones(3, 4), "weight": torch.ones(5, 4), "labels": torch.tensor([0, 1, -100])}
    with pytest.raises(ValueError, match=sentence):
        chunked_cross_entropy(**{**inputs, **change})
