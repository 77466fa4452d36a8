"""Generation: which token next, and the loop with and without the cache."""

import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st

from transformer_book.generation import generate, left_pad, next_token_probabilities, sample, stream
from transformer_book.generation.sampling import choose
from transformer_book.models import (
    Decoder,
    DecoderConfig,
    Encoder,
    EncoderConfig,
    EncoderDecoder,
    EncoderDecoderConfig,
)

SIZES = {"vocabulary_size": 7, "context_length": 8, "dim": 6, "num_layers": 1, "num_heads": 2}

V = 19


@pytest.fixture
def model(randomise):
    config = DecoderConfig(
        vocabulary_size=V, context_length=24, dim=16, num_layers=2, num_heads=2, positions="rotary"
    )
    return randomise(Decoder(config).double())


def test_probabilities_without_options_are_the_softmax():
    logits = torch.randn(3, V)
    torch.testing.assert_close(next_token_probabilities(logits), torch.softmax(logits, dim=-1))


def test_temperature_zero_is_greedy():
    logits = torch.randn(3, V)
    chances = next_token_probabilities(logits, temperature=0)
    assert torch.equal(chances.argmax(-1), logits.argmax(-1))
    assert torch.equal(chances.sum(-1), torch.ones(3))
    assert torch.equal((chances > 0).sum(-1), torch.ones(3, dtype=torch.long))


def test_top_k_keeps_exactly_k_also_with_ties():
    chances = next_token_probabilities(torch.zeros(2, V), top_k=4)
    assert (chances > 0).sum(-1).tolist() == [4, 4], "likely: a threshold that ties pass"
    torch.testing.assert_close(chances.sum(-1), torch.ones(2))


def test_equal_logits_are_kept_in_their_order():
    logits = torch.tensor([[1.0, 3.0, 2.0, 3.0, 2.0, 2.0]]).repeat(2, 1)
    kept = next_token_probabilities(logits, top_k=3)[0].nonzero().flatten().tolist()
    assert kept == [1, 2, 3], "likely: topk's own order of equal numbers"
    assert choose(logits, temperature=0).tolist() == [1, 1]


@pytest.mark.parametrize("chances", [[0.5, 0.3, 0.1, 0.1], [0.6, 0.2, 0.1, 0.1], [0.7, 0.1, 0.1, 0.1]])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_sum_that_rounding_leaves_just_below_p_reaches_it(chances, dtype):
    logits = torch.tensor([chances], dtype=torch.float64).log().to(dtype)
    kept = next_token_probabilities(logits, top_p=0.8)[0] > 0
    assert kept.tolist() == [True, True, False, False], "likely: summed in float32"


def test_top_p_keeps_the_fewest_that_reach_p():
    logits = torch.tensor([[0.1, 0.5, 0.15, 0.25]]).log()
    for top_p, kept in ((0.4, [1]), (0.6, [1, 3]), (0.8, [1, 2, 3]), (1.0, [0, 1, 2, 3])):
        chances = next_token_probabilities(logits, top_p=top_p)
        assert chances[0].nonzero().flatten().tolist() == kept, f"top_p = {top_p}: off by one token"


def test_the_likeliest_token_stays_however_small_p_is():
    chances = next_token_probabilities(torch.tensor([[0.2, 0.8]]).log(), top_p=1e-12)
    assert chances.tolist() == [[0, 1]], "nothing kept is 0 / 0"


def test_top_p_of_one_keeps_everything():
    assert next_token_probabilities(torch.tensor([[0.0, -17.0, -20.0]]), top_p=1.0).all()


@pytest.mark.parametrize("temperature", [1e-6, 1.0])
def test_large_logits_do_not_overflow(temperature):
    chances = next_token_probabilities(torch.tensor([[0.0, 3e38, -3e38]]), temperature=temperature)
    assert chances.tolist() == [[0, 1, 0]], "likely: divided before the largest is taken off"


@pytest.mark.parametrize("temperature", [0, 1.0])
def test_probabilities_need_a_token_and_keep_float64(temperature):
    with pytest.raises(ValueError, match=r"logits must be of at least 1 token; got \(2, 0\)"):
        next_token_probabilities(torch.ones(2, 0), temperature=temperature)
    logits = torch.ones(2, 3, dtype=torch.float64)
    assert next_token_probabilities(logits, temperature=temperature).dtype == torch.float64


@settings(max_examples=40)
@given(
    temperature=st.floats(0.2, 3),
    top_k=st.one_of(st.none(), st.integers(1, 25)),
    top_p=st.one_of(st.none(), st.floats(0.05, 1.0)),
    seed=st.integers(0, 2**31),
)
def test_probabilities_equal_those_of_transformers(temperature, top_k, top_p, seed):
    logits = torch.randn(2, V, generator=torch.Generator().manual_seed(seed))
    scores = transformers.TemperatureLogitsWarper(temperature)(None, logits)
    if top_k is not None:
        scores = transformers.TopKLogitsWarper(top_k)(None, scores)
    if top_p is not None:
        scores = transformers.TopPLogitsWarper(top_p)(None, scores)
    ours = next_token_probabilities(logits, temperature=temperature, top_k=top_k, top_p=top_p)
    torch.testing.assert_close(ours, torch.softmax(scores, dim=-1))


def test_draws_follow_the_probabilities():
    chances = torch.tensor([[0.0, 0.2, 0.5, 0.3, 0.0]]).expand(20_000, 5)
    tokens = sample(chances, torch.Generator().manual_seed(1))
    shares = torch.bincount(tokens, minlength=5) / 20_000
    assert shares[0] == shares[4] == 0, "likely: a token of probability 0 was drawn"
    # Five standard errors of a share of 20,000 draws.
    assert float((shares - chances[0]).abs().max()) < 5 * (0.25 / 20_000) ** 0.5


@pytest.mark.parametrize(("level", "token"), [(0.0, 1), (1.0, 2)])
def test_the_ends_of_the_levels_draw_possible_tokens(level, token, monkeypatch):
    monkeypatch.setattr(torch, "rand", lambda *shape, dtype, generator: torch.full(shape, level, dtype=dtype))
    assert sample(torch.tensor([[0.0, 0.3, 0.7, 0.0]])).tolist() == [token]


@pytest.mark.parametrize(
    "options", [{"temperature": 0}, {}, {"temperature": 0.7, "top_k": 5}, {"top_p": 0.8}], ids=str
)
def test_with_and_without_the_cache_alike(model, options, assert_same):
    prompt = torch.randint(V, (3, 4))
    seen = [
        generate(model, prompt, 12, generator=7, use_cache=use, return_logits=True, **options)
        for use in (True, False)
    ]
    assert torch.equal(seen[0].tokens, seen[1].tokens)
    assert_same(seen[0].logits, seen[1].logits, "position offset with a cache")


def test_a_seed_repeats_and_another_differs(model):
    runs = [generate(model, [1, 2, 3], 15, generator=seed).tokens for seed in (5, 5, 6)]
    assert torch.equal(runs[0], runs[1])
    assert not torch.equal(runs[0], runs[2])
    assert torch.equal(runs[0][0, :3], torch.tensor([1, 2, 3]))


def test_a_generator_goes_on_from_its_state(model):
    generator = torch.Generator().manual_seed(5)
    first, second = (generate(model, [1, 2, 3], 15, generator=generator).tokens for _ in range(2))
    assert not torch.equal(first, second), "likely: the generator is copied or seeded again"


def test_generation_leaves_the_global_random_state_alone(model):
    before = torch.get_rng_state()
    generate(model, [1, 2, 3], 5, generator=5)
    assert torch.equal(before, torch.get_rng_state())


def test_greedy_takes_the_largest_logit(model):
    tokens = generate(model, [3, 1], 6, temperature=0).tokens
    for end in range(2, 8):
        assert int(model(tokens[:, :end]).logits[0, -1].argmax()) == int(tokens[0, end])


def test_each_text_of_a_padded_batch_goes_on_as_alone(model):
    texts = [[1, 2, 3, 4, 5], [7], [9, 8, 7]]
    tokens, padding = left_pad(texts, pad_token=V - 1)
    for use_cache in (True, False):
        together = generate(model, tokens, 8, temperature=0, padding=padding, use_cache=use_cache).new_tokens
        for row, text in enumerate(texts):
            alone = generate(model, text, 8, temperature=0).new_tokens[0]
            assert torch.equal(together[row], alone), f"text {row}: padding counted, or seen"


def test_stop_tokens_end_a_text_and_then_the_loop(model):
    prompt = torch.randint(V, (4, 3))
    free = generate(model, prompt, 15, generator=3).new_tokens
    stop = int(free[0, 4])
    seen = generate(model, prompt, 15, generator=3, stop_tokens=[stop])
    for row in range(4):
        places = (free[row] == stop).nonzero().flatten().tolist()
        end = places[0] + 1 if places else 15
        width = seen.new_tokens.shape[1]
        assert torch.equal(seen.new_tokens[row, :end], free[row, : min(end, width)])
        assert bool((seen.new_tokens[row, end:] == stop).all()), "likely: a finished text goes on"
        assert bool(seen.finished[row]) == bool(places)
    one = generate(
        model,
        prompt[:1],
        15,
        generator=3,
        stop_tokens=[int(generate(model, prompt[:1], 15, generator=3).new_tokens[0, 2])],
    )
    assert one.new_tokens.shape[1] <= 3, "likely: the loop goes on after every text ended"


def test_stream_gives_tokens_one_by_one(model):
    steps = stream(model, [1, 2], 5, generator=1)
    first = next(steps)
    assert torch.is_grad_enabled(), "no_grad must not leak out of the generator"
    rest = [int(step.token) for step in steps]
    assert [int(first.token), *rest] == generate(model, [1, 2], 5, generator=1).new_tokens[0].tolist()


def test_encoder_decoder_generates(randomise):
    config = EncoderDecoderConfig(vocabulary_size=V, context_length=16, dim=16, num_layers=2, num_heads=2)
    model = randomise(EncoderDecoder(config).double())
    source, padding = left_pad([[4, 5, 6], [7]])
    decoder = model.condition(source, source_padding=padding)
    seen = [
        generate(decoder, torch.tensor([[1], [1]]), 9, temperature=0, use_cache=use).tokens
        for use in (True, False)
    ]
    assert torch.equal(seen[0], seen[1])
    alone = generate(model.condition(source[:1]), [1], 9, temperature=0).tokens
    assert torch.equal(seen[0][:1], alone)
    prompts, real = left_pad([[1, 2, 3], [1]])
    padded = generate(decoder, prompts, 9, temperature=0, padding=real).new_tokens
    assert torch.equal(padded[1], seen[0][1, 1:]), "padding of the target counted as a position"


@pytest.mark.parametrize(
    "row",
    [[1.0, float("nan"), 2.0], [float("nan")] * 3, [-float("inf")] * 3, [0.0, float("inf"), 1.0]],
    ids=["NaN", "all NaN", "all -inf", "inf"],
)
@pytest.mark.parametrize("temperature", [0, 0.7])
def test_logits_without_a_largest_are_refused_at_every_temperature(row, temperature):
    logits = torch.tensor([[1.0, 2.0, 4.0], row])
    for take in (choose, next_token_probabilities):
        with pytest.raises(ValueError, match="logits must be numbers with a finite largest; got"):
            take(logits, temperature=temperature)


@pytest.mark.parametrize("row", [[-1.0, 2.0], [float("inf"), 1.0], [float("nan"), 1.0], [0.0, 0.0], []])
def test_only_distributions_are_drawn_from(row):
    with pytest.raises(ValueError, match="probabilities must be distributions; got"):
        sample(torch.tensor([row]))


def test_sample_takes_a_seed_too():
    probabilities = torch.full((9, 50), 0.02)
    assert torch.equal(sample(probabilities, 5), sample(probabilities, torch.Generator().manual_seed(5)))


def test_left_pad():
    tokens, padding = left_pad([[1, 2, 3], [4]], pad_token=9)
    assert tokens.tolist() == [[1, 2, 3], [9, 9, 4]]
    assert padding.tolist() == [[True] * 3, [False, False, True]]


@pytest.mark.parametrize(
    ("options", "kind", "sentence"),
    [
        ({"model": Encoder(EncoderConfig(**SIZES))}, TypeError, "model must be a Decoder, .* got a Encoder"),
        ({"model": EncoderDecoder(EncoderDecoderConfig(**SIZES))}, TypeError, r"EncoderDecoder\.condition"),
        *(
            ({"prompt": prompt}, ValueError, "prompt must be token numbers, .*left_pad")
            for prompt in ([[1, 2], [3]], "text", None)
        ),
        ({"prompt": []}, ValueError, "prompt must be of type int64 or int32"),
        ({"max_new_tokens": 0}, ValueError, "max_new_tokens must be"),
        ({"max_new_tokens": 23}, ValueError, "prompt and new tokens must be within context_length = 24"),
        ({"temperature": -1}, ValueError, r"temperature must be 0 \(greedy\) or at least 1e-06; got -1"),
        ({"temperature": float("nan")}, ValueError, "temperature must be"),
        ({"temperature": 1e-300}, ValueError, "temperature must be"),  # scores would overflow
        ({"temperature": "hot"}, ValueError, "temperature must be"),
        ({"top_k": 0}, ValueError, "top_k must be"),
        ({"top_p": 0.0}, ValueError, "top_p must be a number above 0 and up to 1; got 0.0"),
        ({"top_p": 1.5}, ValueError, "top_p must be"),
        ({"generator": True}, TypeError, "generator must be a torch.Generator, a seed or None; got a bool"),
        ({"stop_tokens": 3}, TypeError, "stop_tokens must be a sequence"),
        ({"generator": 2**70}, ValueError, "a seed must be a number of 64 bits; got 1180591620717411303424"),
        (
            {"stop_tokens": [2**70]},
            ValueError,
            "each of stop_tokens must be at most 9223372036854775807 like",
        ),
        ({"stop_tokens": [1.5]}, ValueError, "each of stop_tokens must be"),  # it would stop at token 1
        ({"padding": torch.tensor([True, True, True])}, ValueError, r"padding must .* \(B = 1, N = 3\)"),
        ({"padding": torch.tensor([[True, True, False]])}, ValueError, "padding must .* in the last column"),
    ],
)
def test_arguments_that_do_not_fit_are_named(model, options, kind, sentence):
    arguments = {"model": model, "prompt": [1, 2, 3], "max_new_tokens": 2}
    with pytest.raises(kind, match=sentence):
        generate(**{**arguments, **options})


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        *(([text], "each of texts must be token numbers") for text in ("ab", 3, [1.5], [[1]])),
        ([], "texts must be of at least 1 token each; got no text"),
        ([[1], []], "texts must be of at least 1 token each; got an empty text"),
    ],
)
def test_texts_that_cannot_be_padded_are_named(texts, sentence):
    with pytest.raises(ValueError, match=sentence):
        left_pad(texts)


def test_one_number_is_not_texts():
    with pytest.raises(TypeError, match="texts must be a sequence of texts; got a int"):
        left_pad(5)


def test_the_whole_context_can_be_filled(model):
    assert generate(model, [1, 2, 3], 22, generator=1).tokens.shape == (1, 25)


def test_dropout_while_generating_is_an_error():
    config = DecoderConfig(
        vocabulary_size=V, context_length=8, dim=16, num_layers=1, num_heads=2, dropout=0.1
    )
    model = Decoder(config)
    with pytest.raises(ValueError, match=r"model\.eval\(\)"):
        generate(model, [1], 2)
    assert generate(model.eval(), [1], 2).tokens.shape == (1, 3)


def test_a_source_is_not_encoded_with_dropout():
    model = EncoderDecoder(EncoderDecoderConfig(**SIZES, dropout=0.1))
    with pytest.raises(ValueError, match=r"the model must be in evaluation mode: call model\.eval\(\)"):
        model.condition(torch.tensor([[1, 2]]))  # its memory would keep the noise after model.eval()
