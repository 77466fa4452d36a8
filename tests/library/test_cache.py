"""The key-value cache: preallocated, growing, and honest about its end."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from transformer_book.attention import DecoderCache, KeyValueCache
from transformer_book.models import Decoder, DecoderConfig, EncoderDecoder, EncoderDecoderConfig

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


def encoder_decoder(randomise):
    config = EncoderDecoderConfig(vocabulary_size=29, dim=24, num_layers=2, num_heads=4)
    return randomise(EncoderDecoder(config).double())


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


@pytest.mark.parametrize("kind", KINDS)
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


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        (
            (1, 2, 2, 4),
            (1, 2, 1, 4),
            r"value must be of shape .* N = 2",
        ),  # it would be spread over two positions
        ((1, 2, 2, 4), (1, 2, 2, 5), "value must be of shape"),
        ((3, 2, 2, 4), (3, 2, 2, 4), "keys and values must be 1 texts"),
        ((1, 2, 4, 4), (1, 2, 4, 4), "the number of positions must be within the cache's max_length = 5"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_stored(key, value, sentence):
    cache = KeyValueCache(4, max_length=5)
    cache.append(torch.zeros(1, 2, 2, 4), torch.zeros(1, 2, 2, 4))
    with pytest.raises(ValueError, match=sentence):
        cache.append(torch.ones(key), torch.ones(value))
    assert cache.length == 2
    assert not cache.keys.any()


@pytest.mark.parametrize(
    "joined",
    [torch.ones(1, 4, 4), torch.ones(3, 2, 4), torch.ones(3, 4, 4).double()],
    ids=["another batch", "other heads", "another type"],
)
def test_one_position_that_does_not_fit_is_refused(joined):
    cache = KeyValueCache(4)
    cache.append(torch.zeros(3, 2, 2, 4), torch.zeros(3, 2, 2, 4))
    with pytest.raises(ValueError, match="keys and values must be"):
        cache.append_one(joined)  # the first would be spread over three texts
    assert cache.length == 2


def test_past_the_context_length_the_model_says_so(randomise):
    model = decoder("llama", randomise)
    with pytest.raises(ValueError, match="tokens must be within context_length = 20; got 21 in all"):
        in_chunks(model, torch.zeros(1, 21, dtype=torch.long), [20, 1])


def test_gradients_are_refused_and_no_layer_stores_more_than_another(randomise, assert_same):
    model, tokens = decoder("gpt2", randomise), torch.randint(29, (3, 7))
    for part in (model.embedding, model.layers[0]):
        part.requires_grad_(False)  # so that layer 0 stores its keys and layer 1 refuses
    cache = model.new_cache()
    with pytest.raises(ValueError, match=r"a call with a cache must be inside torch\.no_grad"):
        model(tokens, cache=cache)
    assert [layer.length for layer in cache.layers] == [0, 0]
    with torch.no_grad():
        assert_same(model(tokens, cache=cache).logits, model(tokens).logits, "keys of the refused call")


@pytest.mark.parametrize("failing", ["layers.1.mlp", "final_norm"])
def test_a_failure_half_way_leaves_a_padded_cache_as_it_was(failing, randomise, assert_same):
    model, tokens = decoder("llama", randomise), torch.tensor([[0, 3, 5, 7]])
    padding = torch.tensor([[False, True, True, True]])

    def fail(module, inputs):
        raise KeyboardInterrupt

    with torch.no_grad():
        cache = model.new_cache()
        model(tokens[:, :2], padding=padding[:, :2], cache=cache)
        hook = model.get_submodule(failing).register_forward_pre_hook(fail)
        with pytest.raises(KeyboardInterrupt):
            model(tokens[:, 2:], cache=cache)
        hook.remove()
        assert [layer.length for layer in cache.layers] == [2, 2]
        found = model(tokens[:, 2:], cache=cache).logits
    assert_same(found, model(tokens, padding=padding).logits[:, 2:], "what the failed call stored was kept")


def test_a_cache_of_another_model_is_refused_until_it_is_reset(randomise, assert_same):
    model, other = decoder("gpt2", randomise), decoder("gpt2", randomise)
    tokens = torch.randint(29, (3, 5))
    with torch.no_grad():
        cache = model.new_cache()
        with pytest.raises(TypeError, match="cache must be a DecoderCache"):
            model(tokens, cache=cache.layers[0])
        with pytest.raises(ValueError, match="cache must be of 2 layers like the model; got 3"):
            model(tokens, cache=DecoderCache(3))
        model(tokens, padding=tokens > 3, cache=cache)
        with pytest.raises(ValueError, match="cache must be empty, or filled by this very decoder"):
            other(tokens[:, :1], cache=cache)
        with pytest.raises(ValueError, match="tokens must be 3 texts like the cache; got 2"):
            model(tokens[:2], cache=cache)
        memory = cache.layers[0].keys.data_ptr()
        cache.reset()
        assert_same(
            other(tokens, cache=cache).logits, other(tokens).logits, "old padding or keys after reset"
        )
        assert cache.layers[0].keys.data_ptr() == memory, "likely: reset gives the memory back"


def test_a_cache_is_not_for_a_model_of_another_type(randomise):
    model, tokens = decoder("gpt2", randomise), torch.randint(29, (3, 5))
    with torch.no_grad():
        cache = model.new_cache()
        model(tokens, cache=cache)
        with pytest.raises(ValueError, match=r"keys and values must be .* torch\.float64"):
            model.float()(tokens[:, :1], cache=cache)
        assert [layer.length for layer in cache.layers] == [5, 5]


def test_an_encoder_decoder_cache_is_for_one_source(randomise):
    model = encoder_decoder(randomise)
    first, second = (model.condition(torch.randint(29, (3, 6))) for _ in range(2))
    target, cache = torch.randint(29, (3, 2)), first.new_cache()
    with torch.no_grad():
        first(target, cache=cache)
        with pytest.raises(ValueError, match=r"filled by this very decoder \(for the same source\)"):
            second(target, cache=cache)


def test_truncating_forgets_the_last_positions(randomise, assert_same):
    model, tokens = decoder("llama", randomise), torch.randint(29, (3, 9))
    padding = torch.ones(3, 9, dtype=torch.bool)
    padding[0, :4] = False
    with torch.no_grad():
        cache = model.new_cache()
        model(torch.cat([tokens[:, :5], tokens[:, :2]], 1), padding=padding[:, :7], cache=cache)
        cache.truncate(5)
        found = model(tokens[:, 5:], cache=cache).logits
    assert_same(found, model(tokens, padding=padding).logits[:, 5:], "positions or padding past the end kept")


@pytest.mark.parametrize("kind", KINDS)
def test_reordered_texts_go_on_as_beams_do(kind, randomise, assert_same):
    model, tokens = decoder(kind, randomise), torch.randint(29, (3, 5))
    padding = torch.ones(3, 5, dtype=torch.bool)
    padding[1, :2] = False
    order, new = torch.tensor([2, 1, 1, 0]), torch.randint(29, (4, 2))
    with torch.no_grad():
        cache = model.new_cache()
        model(tokens, padding=padding, cache=cache)
        cache.reorder(order)
        found = model(new, cache=cache).logits
        whole = torch.cat([padding[order], torch.ones(4, 2, dtype=torch.bool)], dim=1)
        expected = model(torch.cat([tokens[order], new], dim=1), padding=whole).logits[:, 5:]
    assert_same(found, expected, "keys, values or padding of another text")


def test_reordering_takes_the_source_along(randomise, assert_same):
    model = encoder_decoder(randomise)
    source, target = torch.randint(29, (3, 6)), torch.randint(29, (3, 4))
    real = torch.ones(3, 6, dtype=torch.bool)
    real[1, 2:] = False
    order = torch.tensor([1, 2, 0])
    with torch.no_grad():
        conditioned = model.condition(source, source_padding=real)
        cache = conditioned.new_cache()
        conditioned(target[:, :3], cache=cache)
        cache.reorder(order)
        found = conditioned(target[order, 3:], cache=cache).logits
        expected = model(source, target, source_padding=real).logits[order, 3:]
    assert_same(found, expected, "cross keys or the source's padding of another text")


def test_several_beams_go_on_from_one_source(randomise, assert_same):
    model = encoder_decoder(randomise)
    source, start, beams = torch.randint(29, (1, 6)), torch.randint(29, (1, 3)), torch.randint(29, (4, 1))
    with torch.no_grad():
        conditioned = model.condition(source)
        cache = conditioned.new_cache()
        conditioned(start, cache=cache)
        cache.reorder(torch.zeros(4, dtype=torch.long))
        found = conditioned(beams, cache=cache).logits[:, 0]
        whole = torch.cat([start.expand(4, -1), beams], dim=1)
        expected = model(source.expand(4, -1), whole).logits[:, -1]
    assert_same(found, expected, "cross keys of another text")


@pytest.mark.parametrize("texts", [[3], [-1], []])
def test_texts_that_are_not_stored_cannot_be_kept(texts, randomise):
    model = decoder("gpt2", randomise)
    with torch.no_grad():
        cache = model.new_cache()
        model(torch.randint(29, (3, 5)), cache=cache)
        with pytest.raises(ValueError, match="texts must be numbers of the 3 texts stored"):
            cache.reorder(torch.tensor(texts, dtype=torch.long))


@pytest.mark.parametrize("sizes", [[5, 4], [5, 1, 1, 2], [9]], ids=str)
def test_padding_inside_a_windowed_text_takes_no_place(sizes, randomise, assert_same):
    model, text = decoder("windowed", randomise), torch.randint(29, (1, 7))
    padding = torch.tensor([[True] * 3 + [False] * 2 + [True] * 4])  # the first chunk is padded on the right
    tokens = torch.randint(29, (1, 9))
    tokens[padding] = text[0]
    found = in_chunks(model, tokens, sizes, padding)[padding]
    assert_same(found, model(text).logits[0], "padding fills the window")


SMALL = {"vocabulary_size": 5, "context_length": 4, "dim": 4, "num_layers": 1, "num_heads": 2}


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        (lambda: KeyValueCache(0), "capacity"),
        (lambda: KeyValueCache(2.5), "capacity"),
        (lambda: KeyValueCache(1, 0), "max_length"),
        (lambda: DecoderCache(0), "num_layers"),
        (lambda: DecoderCache(1).truncate(-1), "length"),
        (lambda: KeyValueCache(1).truncate(-1), "length"),
        (lambda: Decoder(DecoderConfig(**SMALL)).new_cache("large"), "capacity"),
    ],
)
def test_sizes_out_of_range_are_named(wrong, name):
    with pytest.raises(ValueError, match=f"{name} must be a whole number"):
        wrong()
