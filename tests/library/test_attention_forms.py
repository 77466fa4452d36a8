"""Scaled dot-product attention: three forms, one result, judged by torch's own."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from transformer_book.attention import FORMS, attend, causal_mask, written_out_attention

B, H, N, M, D_Q, D_V = 2, 3, 5, 7, 4, 6

forms = pytest.mark.parametrize("form", FORMS)


def random_inputs(dtype=torch.float64, device="cpu", kv_heads=H, num_keys=M):
    query = torch.randn(B, H, N, D_Q, dtype=dtype, device=device, requires_grad=True)
    key = torch.randn(B, kv_heads, num_keys, D_Q, dtype=dtype, device=device, requires_grad=True)
    value = torch.randn(B, kv_heads, num_keys, D_V, dtype=dtype, device=device, requires_grad=True)
    return query, key, value


@forms
@pytest.mark.parametrize("masked", [False, True], ids=["open", "masked"])
def test_equals_torch(form, masked, dtype, device, assert_same):
    query, key, value = random_inputs(dtype, device)
    mask = torch.rand(B, 1, N, M, device=device) > 0.3 if masked else None
    if masked:
        mask[..., 0] = True
    output = attend(query, key, value, form=form, mask=mask).output
    reference = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    assert_same(output, reference, "scale by D_q instead of its root, or softmax over queries")


@forms
def test_gradients_equal_torch(form, dtype, device, assert_same):
    query, key, value = inputs = random_inputs(dtype, device, num_keys=N)
    weight = torch.randn(B, H, N, D_V, dtype=dtype, device=device)
    output = attend(query, key, value, form=form, causal=True).output
    ours = torch.autograd.grad((output * weight).sum(), inputs)
    reference = F.scaled_dot_product_attention(query, key, value, is_causal=True)
    theirs = torch.autograd.grad((reference * weight).sum(), inputs)
    for name, got, expected in zip(("query", "key", "value"), ours, theirs, strict=True):
        assert_same(got, expected, f"gradient of {name}: the mean gradient left out, or the scale")


@forms
def test_causal_equals_the_causal_mask(form, assert_same):
    query, key, value = random_inputs()
    causal = attend(query, key, value, form=form, causal=True).output
    masked = attend(query, key, value, form=form, mask=causal_mask(N, M)).output
    assert_same(causal, masked, "causal mask aligned to the first key instead of the last")


@forms
def test_causal_and_mask_together(form, assert_same):
    query, key, value = random_inputs()
    mask = torch.rand(B, 1, 1, M) > 0.4
    mask[..., 0] = True
    both = attend(query, key, value, form=form, causal=True, mask=mask).output
    expected = F.scaled_dot_product_attention(query, key, value, attn_mask=mask & causal_mask(N, M))
    assert_same(both, expected, "one of the two masks is dropped")


@forms
@pytest.mark.parametrize(("scale", "factor"), [(False, 1.0), (True, 0.5), (0.3, 0.3)])
def test_scale_can_be_switched_off_or_set(form, scale, factor, assert_same):
    query, key, value = random_inputs()
    output = attend(query, key, value, form=form, scale=scale).output
    expected = F.scaled_dot_product_attention(query, key, value, scale=factor)
    assert_same(output, expected, "scale ignored (D_q = 4, so True means 1/2)")


@forms
def test_grouped_heads_equal_repeated_heads(form, assert_same):
    query, key, value = random_inputs(kv_heads=1)
    grouped = attend(query, key, value, form=form).output
    repeated = attend(query, key.expand(B, H, M, D_Q), value.expand(B, H, M, D_V), form=form).output
    assert_same(grouped, repeated, "query heads matched to the wrong group")


@pytest.mark.filterwarnings("ignore:Anomaly Detection:UserWarning")
@forms
def test_a_query_with_every_key_masked_gives_zeros_and_zero_gradients(form):
    query, key, value = inputs = random_inputs()
    mask = torch.ones(B, 1, N, M, dtype=torch.bool)
    mask[0, :, 2] = False
    with torch.autograd.detect_anomaly(check_nan=True):
        output = attend(query, key, value, form=form, mask=mask).output
        assert torch.equal(output[0, :, 2], torch.zeros(H, D_V, dtype=output.dtype)), "likely: NaN or a mean"
        grads = torch.autograd.grad(output.square().sum(), inputs)
    assert all(bool(grad.isfinite().all()) for grad in grads), "likely: 0/0 in the softmax"
    assert torch.equal(grads[0][0, :, 2], torch.zeros(H, D_Q, dtype=output.dtype))
    rest = attend(query[:, :, [0, 1, 3, 4]], key, value, form=form).output
    torch.testing.assert_close(output[:, :, [0, 1, 3, 4]], rest)


@forms
def test_a_text_of_padding_alone_gives_zero_gradients(form):
    inputs = random_inputs()
    mask = torch.zeros(B, 1, 1, M, dtype=torch.bool)
    output = attend(*inputs, form=form, mask=mask, causal=True).output
    grads = torch.autograd.grad(output.sum(), inputs)
    assert all(torch.equal(grad, torch.zeros_like(grad)) for grad in grads)


@forms
def test_gradcheck(form):
    query, key, value = (torch.randn(1, 2, 3, 2, dtype=torch.float64, requires_grad=True) for _ in range(3))
    mask = torch.tensor([[True, False, True], [True, True, True], [False, False, False]])

    def output(q, k, v):
        options = {"query_block": 2, "key_block": 2} if form == "tiled" else {}
        return attend(q, k, v, form=form, mask=mask, **options).output

    assert torch.autograd.gradcheck(output, (query, key, value))


def test_written_out_returns_scores_and_weights():
    query, key, value = random_inputs()
    mask = causal_mask(N, M)
    seen = written_out_attention(query, key, value, mask=mask)
    torch.testing.assert_close(seen.weights.sum(-1), torch.ones(B, H, N, dtype=torch.float64))
    assert bool((seen.scores[..., ~mask] == float("-inf")).all()), "likely: mask applied after softmax"
    raw = query @ key.transpose(-2, -1) / 2
    torch.testing.assert_close(seen.scores[..., mask], raw[..., mask])
    torch.testing.assert_close(seen.output, seen.weights @ value)


@forms
def test_tokens_without_batch_or_heads(form, assert_same):
    query, key, value = (torch.randn(n, d, dtype=torch.float64) for n, d in ((N, D_Q), (M, D_Q), (M, D_V)))
    expected = torch.softmax(query @ key.T / 2, dim=-1) @ value
    assert_same(attend(query, key, value, form=form).output, expected, "two-dimensional input")


def test_dropout_keeps_the_mean():
    query, key, value = (torch.randn(1, 1, n, 4, dtype=torch.float64) for n in (400, 50, 50))
    for form in ("written_out", "fused"):
        output = attend(query, key, torch.ones_like(value), form=form, dropout=0.25).output
        assert output.std() > 0.01, f"{form} drops nothing"
        assert abs(float(output.mean()) - 1) < 0.02, f"{form} does not scale what it keeps by 1 / 0.75"


@settings(max_examples=60)
@given(data=st.data())
def test_the_forms_agree_on_any_shape_and_mask(data):
    group, kv_heads = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3))
    batch, queries = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 9))
    keys = queries + data.draw(st.integers(0, 5))
    dim, out = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 5))
    causal, seed = data.draw(st.booleans()), data.draw(st.integers(0, 2**31))
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape):
        return torch.randn(*shape, dtype=torch.float64, generator=generator)

    query = normal(batch, group * kv_heads, queries, dim)
    key, value = normal(batch, kv_heads, keys, dim), normal(batch, kv_heads, keys, out)
    shape = data.draw(
        st.sampled_from([(batch, 1, 1, keys), (queries, keys), (1, group * kv_heads, queries, 1), None])
    )
    mask = None if shape is None else torch.rand(shape, generator=generator) > 0.5
    options = {"mask": mask, "causal": causal}
    expected = written_out_attention(query, key, value, **options).output
    torch.testing.assert_close(attend(query, key, value, **options).output, expected)
    blocks = {"query_block": data.draw(st.integers(1, 4)), "key_block": data.draw(st.integers(1, 4))}
    torch.testing.assert_close(attend(query, key, value, form="tiled", **options, **blocks).output, expected)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"form": "flash"}, "form is 'flash'"),
        ({"key": torch.ones(B, H, M, D_Q + 1)}, "key has 5 features, but query has 4"),
        (
            {"key": torch.ones(B, 2, M, D_Q), "value": torch.ones(B, 2, M, D_V)},
            "no multiple of the 2 key heads",
        ),
        ({"value": torch.ones(B, H, M + 1, D_V)}, "expected one value for each key"),
        ({"key": torch.ones(1, H, M, D_Q), "value": torch.ones(1, H, M, D_V)}, "key has batch"),
        ({"query": torch.ones(4)}, "dimensions"),
        ({"mask": torch.ones(N, M)}, "mask has type torch.float32"),
        ({"mask": torch.ones(N, M + 1, dtype=torch.bool)}, "does not broadcast"),
        ({"mask": torch.ones(9, B, H, N, M, dtype=torch.bool)}, "does not broadcast"),
        ({"mask": torch.ones(N, M, dtype=torch.bool, device="meta")}, "mask is on meta, but query is on cpu"),
        ({"key": torch.ones(B, H, M, D_Q).double()}, "expected the same type"),
        ({"query": torch.ones(B, H, N, D_Q, device="meta")}, "are on meta, cpu and cpu, expected one device"),
        ({"query": torch.ones(B, H, N, 0), "key": torch.ones(B, H, M, 0)}, "at least 1 head and feature"),
        ({"key": torch.ones(B, 0, M, D_Q), "value": torch.ones(B, 0, M, D_V)}, "at least 1 head and feature"),
        ({"scale": "root"}, "scale is 'root', expected True, False or a number"),
        ({"scale": None}, "scale is None"),
        ({"scale": float("nan")}, "scale is nan"),
        ({"form": "fused", "dropout": -0.1}, "dropout is -0.1, expected a probability"),
        ({"form": "fused", "dropout": float("nan")}, "dropout is nan"),
        ({"form": "written_out", "dropout": 1.5}, "dropout is 1.5"),
        ({"form": ["fused"]}, r"form is \['fused'\]"),
        ({"form": "tiled", "query_block": 1.5}, "query_block is 1.5"),
        ({"form": "tiled", "dropout": 0.1}, "tiled attention has none"),
        ({"form": "tiled", "key_block": 0}, "key_block is 0"),
    ],
)
def test_wrong_input_is_named(change, sentence):
    inputs = {"query": torch.ones(B, H, N, D_Q), "key": torch.ones(B, H, M, D_Q)}
    inputs["value"] = torch.ones(B, H, M, D_V)
    with pytest.raises(ValueError, match=sentence):
        attend(**{**inputs, **change})


@forms
@pytest.mark.parametrize("name", ["query", "key", "value", "mask"])
def test_what_is_no_tensor_is_named(form, name):
    inputs = {part: torch.ones(1, 2, 3, 4) for part in ("query", "key", "value")}
    with pytest.raises(TypeError, match=f"{name} is a ndarray, expected a torch tensor"):
        attend(**{**inputs, name: np.ones((3, 3))}, form=form)


@forms
def test_without_keys_or_queries_there_is_nothing(form):
    query, keys = torch.ones(1, 2, 3, 4), torch.ones(1, 2, 0, 4)
    assert not attend(query, keys, keys, form=form).output.any(), "a query without a key gets zeros"
    assert attend(keys, query, query, form=form).output.shape == (1, 2, 0, 4)


@forms
def test_more_causal_queries_than_keys_is_an_error(form):
    with pytest.raises(ValueError, match="at least as many keys"):
        attend(torch.ones(1, 1, 3, 2), torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2), form=form, causal=True)
