"""The fast forms beside the clear ones give the same numbers."""

import copy

import pytest
import torch
import torch.nn.functional as F

from transformer_book.generation import FastDecoder, generate, left_pad
from transformer_book.generation.fast import POSITIONS as COVERED
from transformer_book.models import Decoder, DecoderConfig, chunked_cross_entropy, vocabulary_logits
from transformer_book.models.config import POSITIONS

V = 23
SIZES = {"vocabulary_size": V, "context_length": 16, "dim": 24, "num_layers": 3, "num_heads": 4}
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
    "attention alone": {"mlp": "none", "attention_bias": False},
}


def decoder(form, randomise, dtype=torch.float64):
    return randomise(Decoder(DecoderConfig(**SIZES, **FORMS[form])).to(dtype))


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


def test_fast_decoder_and_its_model_take_turns_on_one_cache(randomise, assert_same):
    """Whoever made the memory, and made it grow, the other may write to it, and readers to what comes out."""
    model, tokens = decoder("llama", randomise), torch.randint(V, (3, 9))
    fast = FastDecoder(model)
    for turns in ((fast, fast, fast), (fast, model, fast), (model, fast, model)):
        cache, logits = fast.new_cache(1), []
        with torch.no_grad():
            for number, part in enumerate(tokens.split(1, dim=1)):
                seen = turns[number % 3](part, cache=cache)
                logits.append(seen.logits.mul_(2))
                assert not seen.final.is_inference()
        assert_same(torch.cat(logits, dim=1), 2 * model(tokens).logits, "a turn's keys are lost")


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


def test_fast_decoder_refuses_what_the_model_refuses_and_stores_nothing(randomise):
    fast = FastDecoder(decoder("llama", randomise))
    cache = fast.new_cache()
    fast(torch.zeros(1, 15, dtype=torch.long), cache=cache)
    token = torch.tensor([[0]])
    for call, sentence in (
        ({"tokens": torch.tensor([[V]])}, f"tokens must be numbers from 0 to {V - 1}; got {V}"),
        ({"tokens": token, "logits_at": "first"}, "logits_at must be one of"),
        ({"tokens": token.repeat(3, 1)}, "tokens must be 1 texts like the cache; got 3"),
        ({"tokens": token[0]}, "tokens must be of shape"),
    ):
        with pytest.raises(ValueError, match=sentence):
            fast(**call, cache=cache)
    assert cache.length == 15
    fast(token, cache=cache)
    with pytest.raises(ValueError, match="tokens must be within context_length = 16; got 17"):
        fast(token, cache=cache)
    with pytest.raises(TypeError, match="cache must be a DecoderCache from new_cache"):
        fast(token, cache=cache.layers[0])
    with pytest.raises(TypeError, match="model must be a Decoder; got a FastDecoder"):
        FastDecoder(fast)


@pytest.mark.parametrize("option", [{"norm_placement": "post"}, {"window": 3}])
def test_fast_decoder_names_what_it_does_not_cover(option):
    with pytest.raises(ValueError, match="model must be of pre-norm, learned, rotary or no positions"):
        FastDecoder(Decoder(DecoderConfig(**SIZES, **option)))


@pytest.mark.parametrize("positions", POSITIONS)
def test_fast_decoder_knows_each_encoding_or_refuses_it(positions, randomise, assert_same):
    model = randomise(Decoder(DecoderConfig(**SIZES, positions=positions)).double())
    tokens = torch.randint(V, (2, 5))
    if positions not in COVERED:
        with pytest.raises(ValueError, match="model must be of pre-norm, learned, rotary or no positions"):
            FastDecoder(model)
        return
    fast = FastDecoder(model)
    cache = fast.new_cache()
    steps = [fast(token, cache=cache).logits for token in tokens.split(1, dim=1)]
    assert_same(torch.cat(steps, dim=1), model(tokens).logits, "positions left out of a step")


def test_fast_decoder_drops_no_units_in_silence():
    model = Decoder(DecoderConfig(**SIZES, dropout=0.5))
    fast, tokens = FastDecoder(model), torch.tensor([[1, 2]])
    for call in (lambda: fast(tokens), lambda: fast(tokens[:, :1], cache=fast.new_cache())):
        with pytest.raises(ValueError, match=r"the model must be in evaluation mode: call model\.eval\(\)"):
            call()
    model.eval()
    assert not fast.training
    assert torch.equal(fast(tokens).logits, fast(tokens).logits)


def _optimizer_step(model):
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1, fused=True)
    model(torch.zeros(1, 3, dtype=torch.long)).logits.square().sum().backward()
    optimizer.step()


def _new_weight(model):
    model.layers[1].mlp.expand.weight = torch.nn.Parameter(model.layers[1].mlp.expand.weight * 2)


def _new_layer(model):
    model.layers[1].mlp = copy.deepcopy(model.layers[0].mlp)


CHANGES = {
    "trained": _optimizer_step,
    "loaded": lambda model: model.load_state_dict({k: 2 * v for k, v in model.state_dict().items()}),
    "another type": lambda model: model.double(),
    "a weight replaced": _new_weight,
    "a part replaced": _new_layer,
}


@pytest.mark.parametrize("change", CHANGES)
def test_fast_decoder_follows_its_model(change, randomise, assert_same):
    model = decoder("gpt2", randomise, torch.float32)
    fast, tokens = FastDecoder(model), torch.randint(V, (3, 4))
    CHANGES[change](model)
    cache = fast.new_cache()
    found = torch.cat([fast(part, cache=cache).logits for part in tokens.split(1, dim=1)], dim=1)
    assert_same(found, model(tokens).logits, "the copy of the weights is from before the change")


def test_fast_decoder_refuses_a_cache_of_another_type(randomise):
    model, tokens = decoder("gpt2", randomise, torch.float32), torch.randint(V, (3, 4))
    fast = FastDecoder(model)
    cache = fast.new_cache()
    fast(tokens, cache=cache)
    model.double()
    with pytest.raises(ValueError, match=r"keys and values must be .* torch\.float32"):
        fast(tokens[:, :1], cache=cache)
    assert [layer.length for layer in cache.layers] == [4, 4, 4]


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


def test_chunked_cross_entropy_has_gradients_of_gradients(assert_same):
    hidden = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(5, 4, dtype=torch.float64, requires_grad=True)
    labels = torch.tensor([0, -100, 2])
    assert torch.autograd.gradgradcheck(
        lambda h, w: chunked_cross_entropy(h, w, labels, tokens_at_once=2), (hidden, weight)
    )

    def penalty(loss):
        # The gradient that comes in is 1, which needs no gradient itself.
        gradients = torch.autograd.grad(loss, (hidden, weight), create_graph=True)
        return torch.autograd.grad(sum(g.square().sum() for g in gradients), (hidden, weight))

    plain = F.cross_entropy(hidden @ weight.T, labels, reduction="sum")
    for got, expected in zip(
        penalty(chunked_cross_entropy(hidden, weight, labels)), penalty(plain), strict=True
    ):
        assert_same(got, expected, "second derivatives dropped in silence")


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("autocast", [False, True])
def test_chunked_cross_entropy_in_half_precision(dtype, autocast):
    hidden = torch.randn(40, 8).to(dtype).requires_grad_()
    weight = torch.randn(V, 8).to(dtype).to(torch.float32 if autocast else dtype).requires_grad_()
    labels = torch.randint(V, (40,))
    with torch.autocast("cpu", dtype=dtype, enabled=autocast):
        loss = chunked_cross_entropy(hidden, weight, labels, tokens_at_once=1)
    gradients = torch.autograd.grad(loss, (hidden, weight))
    exact = [x.detach().double().requires_grad_() for x in (hidden, weight)]
    expected = F.cross_entropy(exact[0] @ exact[1].T, labels, reduction="sum")
    # A score is a sum of 8 products, rounded to `dtype` once; each loss has the error of two scores.
    error = float((exact[0] @ exact[1].T).detach().abs().max()) * torch.finfo(dtype).eps
    assert abs(float(loss.detach()) - float(expected.detach())) <= 40 * 2 * error
    for tensor, got, right, count in zip(
        (hidden, weight), gradients, torch.autograd.grad(expected, exact), (V, 40), strict=True
    ):
        assert got.dtype == tensor.dtype
        # Sums of `count` probabilities times numbers, each wrong by the scores' error and one rounding.
        largest = max(float(x.detach().abs().max()) for x in exact)
        bound = count * largest * (2 * error + 2 * torch.finfo(dtype).eps)
        assert float((got.double() - right).abs().max()) <= bound, "likely: chunks summed in half precision"


@pytest.mark.parametrize(
    ("change", "kind", "sentence"),
    [
        ({"labels": [0, 1, 2]}, TypeError, "labels must be a torch tensor"),
        ({"labels": torch.zeros(2).long()}, ValueError, r"hidden must be of shape \(2, D = 4\)"),
        ({"weight": torch.ones(4)}, ValueError, r"weight must be of shape \(V, D\); got \(4,\)"),
        ({"weight": torch.ones(5, 3)}, ValueError, r"hidden must be of shape \(3, D = 3\)"),
        ({"hidden": torch.ones(3, 4).half()}, ValueError, "hidden must be of type torch.float32 like"),
        ({"labels": torch.tensor([0, 1, 5])}, ValueError, "labels must be numbers from 0 to 4, .* got 5"),
        ({"labels": torch.tensor([0, -1, 3])}, ValueError, "labels must be numbers from 0 to 4, .* got -1"),
        ({"labels": torch.zeros(3)}, ValueError, "labels must be of type int64 or int32"),
        ({"tokens_at_once": -1}, ValueError, "tokens_at_once must be"),  # no chunk: a loss of 0
    ],
)
def test_chunked_cross_entropy_names_what_does_not_fit(change, kind, sentence):
    inputs = {"hidden": torch.ones(3, 4), "weight": torch.ones(5, 4), "labels": torch.tensor([0, 1, -100])}
    with pytest.raises(kind, match=sentence):
        chunked_cross_entropy(**{**inputs, **change})
