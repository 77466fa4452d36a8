"""The key-value cache: preallocated, growing, and honest about its end."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from transformer_book.attention import DecoderCache, KeyValueCache
from transformer_book.models import Decoder, DecoderConfig

KINDS = {
    "gpt2": {"mlp_dim": 20},
    "llama": {
        "positions": "rotary",
        "norm": "rms",
        "mlp": "swiglu",
        "num_kv_heads": 2,
        "attention_bias": False,
        "mlp_bias": False,
    },
    "windowed": {"positions": "rotary", "rope_pairing": "halves", "window": 3},
    "sinusoidal, post-norm": {"positions": "sinusoidal", "norm_placement": "post"},
}


def decoder(kind, randomise, form="fused"):
    config = DecoderConfig(
        vocabulary_size=29, context_length=20, dim=24, num_layers=2, num_heads=4, form=form, **KINDS[kind]
    )
    return randomise(Decoder(config).double())


def in_chunks(model, tokens, sizes, padding=None, capacity=None):
    cache, logits, start = model.new_cache(capacity), [], 0
    with torch.no_grad():
        for size in sizes:
            part = slice(start, start + size)
            part_padding = None if padding is None else padding[:, part]
            logits.append(model(tokens[:, part], padding=part_padding, cache=cache).logits)
            start += size
    return torch.cat(logits, dim=1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", ["fused", "written_out", "tiled"])
@pytest.mark.parametrize("sizes", [[1] * 11, [11], [4, 1, 6], [10, 1]], ids=str)
def test_cached_equals_uncached(kind, form, sizes, randomise, assert_same):
    model, tokens = decoder(kind, randomise, form), torch.randint(29, (3, 11))
    expected = model(tokens).logits
    assert_same(in_chunks(model, tokens, sizes), expected, "position offset, or causal mask of a chunk")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sizes", [[1] * 9, [3, 6], [5, 1, 1, 2]], ids=str)
def test_cached_equals_uncached_in_padded_batches(kind, sizes, randomise, assert_same):
    model, tokens = decoder(kind, randomise), torch.randint(29, (3, 9))
    padding = torch.ones(3, 9, dtype=torch.bool)
    padding[0, :4] = padding[1, :1] = False
    whole = model(tokens, padding=padding).logits
    assert_same(
        in_chunks(model, tokens, sizes, padding)[padding], whole[padding], "padding forgotten in the cache"
    )


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"windowed"}))
def test_left_padding_does_not_change_a_text(kind, randomise, assert_same):
    model, text = decoder(kind, randomise), torch.randint(29, (1, 6))
    padded = torch.cat([torch.randint(29, (1, 3)), text], dim=1)
    padding = torch.tensor([[False] * 3 + [True] * 6])
    assert_same(
        model(padded, padding=padding).logits[:, 3:], model(text).logits, "padding counted as a position"
    )


@settings(max_examples=25)
@given(sizes=st.lists(st.integers(1, 5), min_size=1, max_size=6), capacity=st.integers(1, 9))
def test_growth_keeps_what_was_stored(sizes, capacity):
    cache, stored = KeyValueCache(capacity), []
    for size in sizes:
        key = torch.randn(2, 3, size, 4)
        stored.append(key)
        keys, values = cache.append(key, -key)
        assert torch.equal(keys, torch.cat(stored, dim=2)), "likely: old keys lost when the memory grew"
        assert torch.equal(values, -keys)
    assert cache.length == sum(sizes)


def test_memory_is_allocated_ahead():
    cache = KeyValueCache(8)
    cache.append(torch.ones(1, 2, 3, 4), torch.ones(1, 2, 3, 4))
    place = cache.keys.data_ptr()
    for _ in range(5):
        cache.append(torch.ones(1, 2, 1, 4), torch.ones(1, 2, 1, 4))
    assert cache.keys.data_ptr() == place, "likely: every token copies the cache"
    cache.append(torch.ones(1, 2, 1, 4), torch.ones(1, 2, 1, 4))
    assert cache.capacity == 16


def test_a_model_cache_grows_past_its_first_size(randomise, assert_same):
    model, tokens = decoder("gpt2", randomise), torch.randint(29, (3, 20))
    expected = model(tokens).logits
    assert_same(in_chunks(model, tokens, [3] * 6 + [2], capacity=2), expected, "growth")


def test_past_max_length_it_says_why_not():
    cache = KeyValueCache(4, max_length=5)
    cache.append(torch.ones(1, 2, 5, 4), torch.ones(1, 2, 5, 4))
    with pytest.raises(ValueError, match="would hold 6 positions, but its max_length is 5"):
        cache.append(torch.ones(1, 2, 1, 4), torch.ones(1, 2, 1, 4))


def test_past_the_context_length_the_model_says_so(randomise):
    model = decoder("llama", randomise)
    with pytest.raises(ValueError, match="21 tokens, but context_length is 20"):
        in_chunks(model, torch.zeros(1, 21, dtype=torch.long), [20, 1])


def test_another_batch_is_an_error():
    cache = KeyValueCache(4)
    cache.append(torch.ones(1, 2, 1, 4), torch.ones(1, 2, 1, 4))
    with pytest.raises(ValueError, match="the cache holds 1, 2, 4"):
        cache.append(torch.ones(3, 2, 1, 4), torch.ones(3, 2, 1, 4))


def test_gradients_are_refused(randomise):
    model = decoder("gpt2", randomise)
    with pytest.raises(ValueError, match=r"torch\.no_grad"):
        model(torch.zeros(1, 2, dtype=torch.long), cache=model.new_cache())


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (torch.ones(1, 2, 1, 4), "expected the same shape"),  # it would be spread over three positions
        (torch.ones(1, 2, 3, 5), "expected the same shape"),
        (
            torch.ones(1, 2, 3, 4).double(),
            "but the cache holds torch.float32 on cpu",
        ),
    ],
)
def test_values_that_do_not_fit_are_refused_and_nothing_is_stored(value, sentence):
    cache = KeyValueCache(4)
    cache.append(torch.zeros(1, 2, 2, 4), torch.zeros(1, 2, 2, 4))
    with pytest.raises(ValueError, match=sentence):
        cache.append(torch.ones(1, 2, 3, 4), value)
    assert cache.length == 2
    assert not cache.keys.any()


def test_one_position_of_another_batch_is_an_error():
    cache = KeyValueCache(4)
    cache.append(torch.zeros(3, 2, 2, 4), torch.zeros(3, 2, 2, 4))
    with pytest.raises(ValueError, match="the cache holds 3, 2, 4"):
        cache.append_one(torch.ones(1, 4, 4))  # it would be spread over three texts
    assert cache.length == 2


@pytest.mark.parametrize("call", [{"tokens": torch.tensor([[99]])}, {"return_weights": 7}])
def test_a_refused_call_leaves_a_padded_cache_as_it_was(call, randomise, assert_same):
    model, tokens = decoder("gpt2", randomise), torch.tensor([[0, 3, 5, 7]])
    padding = torch.tensor([[False, True, True, True]])
    with torch.no_grad():
        cache = model.new_cache()
        model(tokens[:, :2], padding=padding[:, :2], cache=cache)
        with pytest.raises(ValueError, match=r"holds 99|head 7"):
            model(**{"tokens": tokens[:, 2:], **call}, cache=cache)
        found = model(tokens[:, 2:], cache=cache).logits
    assert_same(found, model(tokens, padding=padding).logits[:, 2:], "padding of the refused call was kept")


@pytest.mark.parametrize(
    ("cache", "kind", "sentence"),
    [
        (KeyValueCache(4), TypeError, "cache is a KeyValueCache, expected a DecoderCache"),
        (DecoderCache(3), ValueError, "cache has 3 layers, but the model has 2"),
    ],
)
def test_a_cache_of_another_model_is_named(cache, kind, sentence, randomise):
    with pytest.raises(kind, match=sentence):
        decoder("gpt2", randomise)(torch.tensor([[1]]), cache=cache)


def test_other_texts_than_those_in_the_cache_are_named(randomise):
    model = decoder("gpt2", randomise)
    with torch.no_grad():
        cache = model.new_cache()
        model(torch.tensor([[1], [2]]), cache=cache)
        with pytest.raises(ValueError, match="tokens has 3 texts, but the cache holds 2"):
            model(torch.tensor([[1], [2], [3]]), cache=cache)


def test_a_cache_without_room_or_layers_is_refused(randomise):
    with pytest.raises(ValueError, match="capacity is 0"):
        decoder("gpt2", randomise).new_cache(0)
    with pytest.raises(ValueError, match="num_layers is 0"):
        DecoderCache(0)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [((0,), "capacity is 0"), ((2.5,), "capacity is 2.5"), ((1, 0), "max_length is 0")],
)
def test_wrong_sizes_are_named(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        KeyValueCache(*options)
