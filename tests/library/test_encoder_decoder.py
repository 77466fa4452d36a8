"""The encoder-decoder of 2017, judged by torch's encoder and decoder stacks."""

import math

import pytest
import torch
from torch import nn

from transformer_book.models import EncoderDecoder, EncoderDecoderConfig

B, M, N, V = 2, 7, 5, 31
CONFIG = EncoderDecoderConfig(
    vocabulary_size=V, context_length=16, dim=24, num_layers=2, num_heads=4, mlp_dim=40, attention_bias=True
)


def torch_logits(model, source, target, real, copy_weights):
    """The same model out of torch's own layers, its embedding written out by hand."""
    config, dtype = model.config, model.embedding.tokens.weight.dtype
    options = {"dropout": 0.0, "activation": "relu", "batch_first": True, "dtype": dtype}
    options["norm_first"] = config.norm_placement == "pre"
    sizes = (config.dim, config.num_heads, config.mlp_dim)
    table = model.embedding.tokens.weight
    index = torch.arange(max(M, N), dtype=torch.float64)[:, None]
    angle = index / 10_000 ** (torch.arange(0, config.dim, 2, dtype=torch.float64) / config.dim)
    places = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1).to(dtype)
    memory = table[source] * math.sqrt(config.dim) + places[:M]
    x = table[target] * math.sqrt(config.dim) + places[:N]
    with torch.no_grad():
        for ours in model.encoder_layers:
            layer = copy_weights(nn.TransformerEncoderLayer(*sizes, **options), ours)
            memory = layer(memory, src_key_padding_mask=~real)
        memory = model.encoder_norm(memory)
        later = torch.ones(N, N, dtype=torch.bool).triu(1)
        for ours in model.decoder_layers:
            layer = copy_weights(nn.TransformerDecoderLayer(*sizes, **options), ours)
            x = layer(x, memory, tgt_mask=later, memory_key_padding_mask=~real)
        return model.decoder_norm(x) @ table.T


def texts():
    real = torch.tensor([[True] * M, [True] * 4 + [False] * 3])
    return torch.randint(V, (B, M)), torch.randint(V, (B, N)), real


@pytest.mark.parametrize("placement", ["post", "pre"])
def test_equals_torch(placement, dtype, randomise, copy_weights, assert_same):
    model = randomise(
        EncoderDecoder(EncoderDecoderConfig(**{**CONFIG.__dict__, "norm_placement": placement}))
    )
    model, (source, target, real) = model.to(dtype), texts()
    logits = model(source, target, source_padding=real).logits
    expected = torch_logits(model, source, target, real, copy_weights)
    assert_same(logits, expected, "embedding scale, or source mask dropped")


@pytest.mark.parametrize("sizes", [[1] * N, [2, 3]], ids=str)
def test_conditioned_decoder_with_cache_equals_the_whole(sizes, randomise, assert_same):
    model, (source, target, real) = randomise(EncoderDecoder(CONFIG).double()), texts()
    expected = model(source, target, source_padding=real).logits
    with torch.no_grad():
        decoder = model.condition(source, source_padding=real)
        cache, logits = decoder.new_cache(), []
        for part in target.split(sizes, dim=1):
            logits.append(decoder(part, cache=cache).logits)
    assert_same(torch.cat(logits, dim=1), expected, "cross-attention cache or position offset")


def test_padding_in_the_target_is_hidden(randomise, assert_same):
    model, (source, target, _) = randomise(EncoderDecoder(CONFIG).double()), texts()
    padding = torch.ones(B, N, dtype=torch.bool)
    padding[0, 3:] = False
    changed = target.clone()
    changed[0, 3:] = 0
    first, second = (model(source, t, target_padding=padding).logits for t in (target, changed))
    assert_same(first[padding], second[padding], "padding seen by real tokens")


def test_own_target_vocabulary(randomise):
    config = EncoderDecoderConfig(
        vocabulary_size=11, target_vocabulary_size=13, dim=8, num_layers=1, num_heads=2, positions="learned"
    )
    model = randomise(EncoderDecoder(config))
    seen = model(torch.tensor([[10, 3]]), torch.tensor([[12, 0, 5]]), return_weights=True)
    assert seen.logits.shape == (1, 3, 13)
    assert seen.cross_attention[0].weights.shape == (1, 2, 3, 2)
    assert seen.encoder_attention[0].weights.shape == (1, 2, 2, 2)
    assert seen.attention[0].weights.shape == (1, 2, 3, 3)


@pytest.mark.parametrize(
    ("source", "target", "sentence"),
    [
        ((1, 17), (1, 2), "source must be within context_length = 16; got 17"),
        ((1, 3), (1, 17), "target must be within context_length = 16; got 17"),
        ((3,), (1, 2), r"source must be of shape \(B, N\)"),
        ((2, 3), (1, 3), "target must be 2 texts, one for each source; got 1"),
    ],
)
def test_texts_that_do_not_fit_are_named(source, target, sentence):
    with pytest.raises(ValueError, match=sentence):
        EncoderDecoder(CONFIG)(torch.zeros(source).long(), torch.zeros(target).long())


def test_a_refused_call_leaves_the_cache_as_it_was():
    decoder = EncoderDecoder(CONFIG).eval().condition(torch.zeros(2, 3, dtype=torch.long))
    cache, tokens = decoder.new_cache(), torch.zeros(2, 2, dtype=torch.long)
    for texts, options in (
        (tokens, {"logits_at": "first"}),
        (tokens[:1], {}),
        (tokens, {"return_weights": 9}),
    ):
        with torch.no_grad(), pytest.raises(ValueError, match="must be"):
            decoder(texts, cache=cache, **options)
    assert cache.length == 0
    assert all(part.length == 0 for part in (*cache.layers, *cache.cross))
