"""Scaled dot-product attention: three forms, one result, judged by torch's own."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.attention import SDPBackend, sdpa_kernel

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
@pytest.mark.parametrize("causal", [False, True])
def test_gradients_and_their_gradients_are_those_of_differences(form, causal):
    inputs = [torch.randn(1, 2, 3, 2, dtype=torch.float64, requires_grad=True) for _ in range(3)]
    mask = torch.tensor([[True, False, True], [True, True, True], [False, False, False]])
    options = {"query_block": 2, "key_block": 2} if form == "tiled" and not causal else {}

    def output(q, k, v):
        return attend(q, k, v, form=form, mask=mask, causal=causal, **options).output

    assert torch.autograd.gradcheck(output, inputs)
    # Torch's flash kernel says itself that it has no second derivatives.
    with sdpa_kernel(SDPBackend.MATH):
        assert torch.autograd.gradgradcheck(output, inputs)


@pytest.mark.parametrize("form", ["written_out", "tiled"])
def test_a_gradient_penalty_reaches_its_inputs(form, assert_same):
    query, key, value = random_inputs(kv_heads=1)
    # The gradient that comes in is a tensor of ones, which needs no gradient itself.
    (gradient,) = torch.autograd.grad(
        attend(query, key, value, form=form, causal=True).output.sum(), query, create_graph=True
    )
    penalty = torch.autograd.grad(gradient.square().sum(), (query, key, value))

    def plain(query):
        scores = query @ key.transpose(-2, -1) / 2
        weights = scores.masked_fill(~causal_mask(N, M), -torch.inf).softmax(-1)
        return (weights @ value).sum()

    (gradient,) = torch.autograd.grad(plain(query), query, create_graph=True)
    expected = torch.autograd.grad(gradient.square().sum(), (query, key, value))
    for name, got, right in zip(("query", "key", "value"), penalty, expected, strict=True):
        assert_same(got, right, f"second derivative for {name} dropped in silence")


MASK_SHAPES = [(), (M,), (1, M), (N, 1), (N, M), (H, 1, M), (1, N, M)]
MASK_SHAPES += [(B, 1, 1, M), (B, 1, N, 1), (B, H, N, M)]


@forms
@pytest.mark.parametrize("shape", MASK_SHAPES, ids=str)
@pytest.mark.parametrize("kv_heads", [1, H])
def test_a_mask_of_any_shape_that_broadcasts(form, shape, kv_heads, assert_same):
    for queries in (N, 1):
        if shape[-2:-1] == (N,) and queries == 1:
            continue
        query, key, value = random_inputs(kv_heads=kv_heads)
        query, mask = query[:, :, :queries], torch.rand(shape) > 0.4
        scores = query @ key.transpose(-2, -1) / 2
        weights = scores.masked_fill(~mask, -torch.inf).softmax(-1).nan_to_num()  # no key: zeros
        output = attend(query, key, value, form=form, mask=mask).output
        assert_same(output, weights @ value, "mask read along another axis")


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


@forms
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_large_queries_do_not_overflow_and_the_type_stays(form, dtype):
    # 64 products of 40 · 40 sum to 102,400, past the largest number of float16.
    query, value = torch.full((1, 1, 2, 64), 40.0, dtype=dtype), torch.randn(1, 1, 2, 8).to(dtype)
    output = attend(query, query, value, form=form).output
    assert output.dtype == dtype
    # Both weights are 1/2, exact in every type; the sum is rounded once.
    expected = (value.double().mean(dim=-2, keepdim=True)).expand(1, 1, 2, 8)
    torch.testing.assert_close(output.double(), expected, rtol=torch.finfo(dtype).eps, atol=1e-9)


@forms
def test_half_precision_is_as_near_as_its_type_allows(form):
    query, key, value = (x.detach() for x in random_inputs(torch.float64))
    exact = written_out_attention(query, key, value, causal=True).output
    for dtype in (torch.float16, torch.bfloat16):
        output = attend(*(x.to(dtype) for x in (query, key, value)), form=form, causal=True).output
        # Inputs, scaled queries, scores, weights and output are rounded: a weight's relative error is that of
        # its score, up to max|score| · 4 eps, and twice that in the quotient.
        score = float((query @ key.transpose(-2, -1) / 2).abs().max())
        bound = 2 * (4 * score + 4) * torch.finfo(dtype).eps * float(value.abs().max())
        assert float((output - exact).abs().max()) <= bound, f"likely: {dtype} sums of {dtype} numbers"


@forms
@pytest.mark.parametrize(
    ("types", "result"),
    [
        ((torch.float32,) * 3, torch.bfloat16),
        (
            (torch.float32, torch.float32, torch.bfloat16),
            torch.bfloat16,
        ),  # rotary angles widened the first two
        ((torch.float64,) * 3, torch.float64),
    ],
)
def test_autocast_gives_every_form_one_type(form, types, result):
    inputs = [x.detach().to(dtype).requires_grad_() for x, dtype in zip(random_inputs(), types, strict=True)]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        output = attend(*inputs, form=form, causal=True).output
    assert output.dtype == result
    for tensor, gradient in zip(inputs, torch.autograd.grad(output.float().sum(), inputs), strict=True):
        assert gradient.dtype == tensor.dtype


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


@forms
@pytest.mark.parametrize(
    ("change", "kind", "sentence"),
    [
        ({"query": np.ones((3, 4))}, TypeError, r"query must be a torch tensor \(\.\.\., N, D\)"),
        ({"query": torch.ones(4)}, ValueError, r"query must be of shape \(N, D\); got \(4,\)"),
        ({"key": torch.ones(B, H, M, D_Q + 1)}, ValueError, r"key must be of shape .* D = 4\); got"),
        ({"key": torch.ones(1, H, M, D_Q)}, ValueError, r"key must be of shape \(2, K, M, D = 4\)"),
        ({"value": torch.ones(B, H, M + 1, D_V)}, ValueError, "value must be of shape .* M = 7"),
        (
            {"key": torch.ones(B, 2, M, D_Q), "value": torch.ones(B, 2, M, D_V)},
            ValueError,
            "the heads of query must be a multiple of key's 2; got 3",
        ),
        ({"key": torch.ones(B, 0, M, D_Q), "value": torch.ones(B, 0, M, D_V)}, ValueError, "at least 1 head"),
        ({"query": torch.ones(B, H, N, 0), "key": torch.ones(B, H, M, 0)}, ValueError, "and 1 feature"),
        ({"query": torch.ones(B, H, N, D_Q).long()}, ValueError, "query must be of type floating point"),
        ({"key": torch.ones(B, H, M, D_Q).double()}, ValueError, "key must be of type torch.float32"),
        ({"value": torch.ones(B, H, M, D_V, device="meta")}, ValueError, "value must be on cpu like query"),
        ({"mask": [[True]]}, TypeError, "mask must be a torch tensor of booleans"),
        ({"mask": torch.ones(N, M)}, ValueError, "mask must be of type bool"),
        ({"mask": torch.ones(N, M, device="meta").bool()}, ValueError, "mask must be on cpu like query"),
        ({"mask": torch.ones(N, M + 1).bool()}, ValueError, "mask must be of a shape that broadcasts to"),
        ({"mask": torch.ones(9, B, H, N, M).bool()}, ValueError, "mask must be of a shape that broadcasts"),
        ({"scale": None}, ValueError, "scale must be True, False or a number"),
        ({"scale": float("nan")}, ValueError, "scale must be True, False or a number"),
        ({"dropout": -0.1}, ValueError, "dropout must be a number of at least 0 and below 1"),
        ({"query": torch.ones(B, H, M + 1, D_Q), "causal": True}, ValueError, "at least 8; got 7"),
    ],
)
def test_arguments_that_do_not_fit_are_named(form, change, kind, sentence):
    inputs = {"query": torch.ones(B, H, N, D_Q), "key": torch.ones(B, H, M, D_Q)}
    inputs["value"] = torch.ones(B, H, M, D_V)
    with pytest.raises(kind, match=sentence):
        attend(**{**inputs, **change}, form=form)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"form": "flash"}, "form must be one of written_out, fused, tiled"),
        ({"form": "tiled", "query_block": 1.5}, "query_block must be"),
        ({"form": "tiled", "key_block": 0}, "key_block must be"),
        ({"form": "tiled", "dropout": 0.1}, "dropout must be 0 in tiled attention"),
    ],
)
def test_options_of_a_form_are_checked(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        attend(*(torch.ones(1, 2, 3, 4) for _ in range(3)), **options)


@forms
def test_without_keys_or_queries_there_is_nothing(form):
    query, keys = torch.ones(1, 2, 3, 4), torch.ones(1, 2, 0, 4)
    assert not attend(query, keys, keys, form=form).output.any(), "a query without a key gets zeros"
    assert attend(keys, query, query, form=form).output.shape == (1, 2, 0, 4)
