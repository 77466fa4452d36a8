"""Multi-head attention (12.8): judged by torch's module and by the column equations."""

import pytest
import torch
from torch import nn

from transformer_book.attention import FORMS, DecoderCache, KeyValueCache, MultiHeadAttention
from transformer_book.positions import rotary_angles

B, N, M, H, D = 2, 5, 7, 3, 12


@pytest.fixture
def torch_twin(copy_weights):
    """nn.MultiheadAttention with the same weights."""

    def twin(ours, kdim=None):
        dtype = ours.query.weight.dtype
        theirs = nn.MultiheadAttention(D, H, batch_first=True, kdim=kdim, vdim=kdim, dtype=dtype)
        return copy_weights(theirs, ours).eval()

    return twin


@pytest.mark.parametrize("form", FORMS)
def test_equals_torch(form, dtype, device, randomise, torch_twin, assert_same):
    ours = randomise(MultiHeadAttention(D, H, form=form).to(dtype))
    theirs = torch_twin(ours).to(device)
    ours, x = ours.to(device), torch.randn(B, N, D, dtype=dtype, device=device)
    seen = ours(x, return_weights=True)
    output, weights = theirs(x, x, x, average_attn_weights=False)
    assert_same(seen.output, output, "heads split along the wrong axis")
    assert_same(seen.weights, weights, "weights of another head order")


def test_padding_equals_torch(dtype, randomise, torch_twin, assert_same):
    ours = randomise(MultiHeadAttention(D, H).to(dtype))
    x = torch.randn(B, N, D, dtype=dtype)
    real = torch.tensor([[True] * N, [True, True, False, False, False]])
    output, _ = torch_twin(ours)(x, x, x, key_padding_mask=~real)
    assert_same(ours(x, mask=real[:, None, None]).output, output, "mask inverted: torch hides where True")


def test_cross_attention_equals_torch(dtype, randomise, torch_twin, assert_same):
    ours = randomise(MultiHeadAttention(D, H, context_dim=8).to(dtype))
    x, context = torch.randn(B, N, D, dtype=dtype), torch.randn(B, M, 8, dtype=dtype)
    output, _ = torch_twin(ours, kdim=8)(x, context, context)
    assert_same(ours(x, context).output, output, "keys or values read from x")


def test_grouped_heads_share_their_keys_and_values(randomise, assert_same):
    grouped = randomise(MultiHeadAttention(8, 4, num_kv_heads=2).double())
    full = MultiHeadAttention(8, 4).double()
    state = grouped.state_dict()
    for name in ("key.weight", "value.weight", "key.bias", "value.bias"):
        heads = state[name].unflatten(0, (2, 2))  # (kv heads, D_h, ...)
        state[name] = heads.repeat_interleave(2, dim=0).flatten(0, 1)
    full.load_state_dict(state)
    x = torch.randn(3, 5, 8, dtype=torch.float64)
    assert_same(grouped(x).output, full(x).output, "groups interleaved instead of neighbouring")
    for wanted in (True, 1, [3, 0]):
        seen, expected = (module(x, return_weights=wanted).weights for module in (grouped, full))
        assert_same(seen, expected, "weights looked up with another group's keys")


@pytest.mark.parametrize("wanted", [0, 2, [1], [2, 0]])
def test_weights_of_the_heads_asked_for(wanted, randomise):
    module = randomise(MultiHeadAttention(D, H, causal=True).double())
    x = torch.randn(B, N, D, dtype=torch.float64)
    all_heads, some = module(x, return_weights=True), module(x, return_weights=wanted)
    heads = [wanted] if isinstance(wanted, int) else wanted
    torch.testing.assert_close(some.weights, all_heads.weights[:, heads])
    torch.testing.assert_close(some.scores, all_heads.scores[:, heads])
    assert module(x).weights is None


def test_weights_of_one_head_with_a_mask_for_each_head(randomise):
    module = randomise(MultiHeadAttention(D, H).double())
    x, mask = torch.randn(B, N, D, dtype=torch.float64), torch.rand(1, H, N, N) > 0.4
    all_heads = module(x, mask=mask, return_weights=True)
    torch.testing.assert_close(module(x, mask=mask, return_weights=1).weights, all_heads.weights[:, 1:2])


def test_scaling_off_changes_the_scores_by_the_root_of_the_head_size(randomise):
    scaled = randomise(MultiHeadAttention(D, H).double())
    plain = MultiHeadAttention(D, H, scale=False).double()
    plain.load_state_dict(scaled.state_dict())
    x = torch.randn(B, N, D, dtype=torch.float64)
    ratio = plain(x, return_weights=True).scores / scaled(x, return_weights=True).scores
    torch.testing.assert_close(ratio, torch.full_like(ratio, 2.0), msg="D_h = 4, so the ratio is 2")


@pytest.mark.parametrize("form", FORMS)
def test_gradcheck(form, randomise):
    module = randomise(MultiHeadAttention(4, 2, num_kv_heads=1, causal=True, form=form).double())
    angles = rotary_angles(torch.arange(3), 2, dtype=torch.float64)
    x = torch.randn(2, 3, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: module(x, rotary=angles).output, (x,))


def test_cross_attention_projects_its_context_once(randomise):
    module = randomise(MultiHeadAttention(D, H).double())
    x, context = torch.randn(B, N, D, dtype=torch.float64), torch.randn(B, M, D, dtype=torch.float64)
    cache = KeyValueCache(1)
    with torch.no_grad():
        first = module(x, context, cache=cache).output
        again = module(x, torch.zeros_like(context), cache=cache).output
    assert cache.length == M
    torch.testing.assert_close(first, again, msg="likely: the context is projected at every call")


@pytest.mark.parametrize(
    ("texts", "length", "dtype", "sentence"),
    [
        (1, M, torch.float32, r"context must be of shape \(B = 2, M = 7, D_context\); got \(1, 7, 12\)"),
        (2, M + 1, torch.float32, r"context must be of shape \(B = 2, M = 7, D_context\); got \(2, 8, 12\)"),
        (
            2,
            M,
            torch.float64,
            r"the cache must be of type torch\.float64 like the weights; got torch\.float32",
        ),
    ],
)
def test_a_context_that_does_not_fit_the_cached_one_is_refused(texts, length, dtype, sentence):
    module, cache = MultiHeadAttention(D, H), KeyValueCache(1)
    with torch.no_grad():
        module(torch.ones(2, N, D), torch.ones(2, M, D), cache=cache)
        x, context = torch.ones(texts, N, D, dtype=dtype), torch.ones(texts, length, D, dtype=dtype)
        module.to(dtype)
        with pytest.raises(ValueError, match=sentence):  # else texts would read the keys of others
            module(x, context, cache=cache)


def test_a_cache_of_all_layers_is_not_one_of_a_layer():
    with pytest.raises(TypeError, match="cache must be a KeyValueCache; got a DecoderCache"):
        MultiHeadAttention(D, H)(torch.ones(B, N, D), cache=DecoderCache(2))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"num_heads": 5}, "dim must be a multiple of num_heads = 5 unless head_dim is given; got 12"),
        ({"num_heads": 4, "num_kv_heads": 3}, "num_heads must be a multiple of num_kv_heads = 3; got 4"),
        ({"num_heads": 0}, "num_heads must be"),
        ({"num_kv_heads": 0}, "num_kv_heads must be"),
        ({"head_dim": 0}, "head_dim must be"),
        ({"context_dim": -1}, "context_dim must be"),
        ({"form": "flash"}, "form must be one of"),
        ({"dropout": 1.5}, "dropout must be"),
        ({"scale": "root"}, "scale must be"),
        ({"causal": "no"}, "causal must be True or False"),
        ({"bias": 1}, "bias must be True or False"),
    ],
)
def test_options_out_of_range_are_named(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        MultiHeadAttention(D, **{"num_heads": 3, **options})


@pytest.mark.parametrize(
    ("call", "kind", "sentence"),
    [
        *(
            ({"return_weights": wanted}, ValueError, "return_weights must be True, or one or several heads")
            for wanted in ([1, 3], -1, "all", 2.0, [True], [], object(), torch.tensor(1))
        ),
        ({"x": [[1.0]]}, TypeError, r"x must be a torch tensor \(B, N, D\); got a list"),
        ({"x": torch.ones(N, D)}, ValueError, r"x must be of shape \(B, N, D = 12\); got \(5, 12\)"),
        ({"x": torch.ones(B, N, D).long()}, ValueError, "x must be of type floating point"),
        ({"x": torch.ones(B, N, D).double()}, ValueError, "x must be of type torch.float32 like the weights"),
        ({"x": torch.ones(B, N, D, device="meta")}, ValueError, "x must be on cpu like the weights"),
        ({"context": torch.ones(B, M, D + 1)}, ValueError, r"context must be of shape .* D_context = 12\)"),
        ({"context": torch.ones(B + 1, M, D)}, ValueError, r"context must be of shape \(B = 2"),
        ({"context": torch.ones(B, M, D).double()}, ValueError, "context must be of type torch.float32"),
        ({"context": torch.ones(B, M, D, device="meta")}, ValueError, "context must be on cpu"),
        ({"mask": torch.ones(M).bool()}, ValueError, r"mask must .* broadcasts to \(2, 3, 5, 5\)"),
        ({"rotary": rotary_angles(torch.arange(N), 2)}, ValueError, "the angles must be"),
        ({"rotary": "halves"}, TypeError, "the angles must be RotaryAngles; got a str"),
    ],
)
def test_arguments_that_do_not_fit_are_named_and_the_cache_stays(call, kind, sentence):
    cache = KeyValueCache(4)
    with torch.no_grad(), pytest.raises(kind, match=sentence):
        MultiHeadAttention(D, H)(**{"x": torch.ones(B, N, D), **call}, cache=cache)
    assert cache.length == 0, "the tokens of a refused call are in the cache"


def test_autocast_brings_other_precisions_together():
    x = torch.ones(2, 5, 12, dtype=torch.bfloat16)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert MultiHeadAttention(12, 3)(x).output.dtype == torch.bfloat16
