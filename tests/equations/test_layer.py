"""Equations 12.8 and 12.9, against torch's own modules."""

import dataclasses
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
import torch

from transformer_book.equations import (
    Head,
    LayerParameters,
    causal_mask,
    gelu,
    layer,
    layer_norm,
    mlp,
    multi_head,
    rows_from_columns,
    self_attention,
)

D, H, D_h, N = 6, 2, 3, 5


@pytest.fixture
def heads(random):
    shapes = [(D_h, D)] * 3 + [(D_h,)] * 3
    return [Head(*(random.standard_normal(shape) for shape in shapes)) for _ in range(H)]


@pytest.fixture
def parameters(random, heads):
    return LayerParameters(
        heads=heads,
        Omega_c=random.standard_normal((D, D)),
        beta_c=random.standard_normal(D),
        Omega_1=random.standard_normal((4 * D, D)),
        beta_1=random.standard_normal(4 * D),
        Omega_2=random.standard_normal((D, 4 * D)),
        beta_2=random.standard_normal(D),
        gamma_1=random.standard_normal(D),
        delta_1=random.standard_normal(D),
        gamma_2=random.standard_normal(D),
        delta_2=random.standard_normal(D),
    )


def in_library(library, parameters):
    """The same parameters as arrays of one library."""
    fields = {field.name: getattr(parameters, field.name) for field in dataclasses.fields(parameters)}
    fields["heads"] = [Head(*map(library, dataclasses.astuple(head))) for head in parameters.heads]
    return LayerParameters(**{k: v if k == "heads" else library(v) for k, v in fields.items()})


def torch_layer(p):
    """torch's pre-norm encoder layer with these weights; torch keeps Q, K and V in one matrix."""
    judge = torch.nn.TransformerEncoderLayer(
        D, H, 4 * D, dropout=0, norm_first=True, batch_first=True, dtype=torch.float64,
        activation=lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
    )  # fmt: skip
    stack = {
        f"{kind}_{x}": np.concatenate([getattr(h, f"{kind}_{x}") for h in p.heads])
        for kind in ("Omega", "beta") for x in "qkv"
    }  # fmt: skip
    state = {
        "self_attn.in_proj_weight": np.concatenate([stack[f"Omega_{x}"] for x in "qkv"]),
        "self_attn.in_proj_bias": np.concatenate([stack[f"beta_{x}"] for x in "qkv"]),
        "self_attn.out_proj.weight": p.Omega_c, "self_attn.out_proj.bias": p.beta_c,
        "linear1.weight": p.Omega_1, "linear1.bias": p.beta_1,
        "linear2.weight": p.Omega_2, "linear2.bias": p.beta_2,
        "norm1.weight": p.gamma_1, "norm1.bias": p.delta_1,
        "norm2.weight": p.gamma_2, "norm2.bias": p.delta_2,
    }  # fmt: skip
    judge.load_state_dict({name: torch.tensor(value) for name, value in state.items()})
    return judge


@pytest.mark.parametrize("causal", [False, True])
def test_layer_agrees_with_torch(library, random, parameters, causal):
    X = random.standard_normal((D, N))
    x = torch.tensor(rows_from_columns(X))[None]
    mask = causal_mask(N)
    blocked = torch.tensor(rows_from_columns(~mask)) if causal else None  # torch's True means: may not attend
    with torch.no_grad():
        expected = torch_layer(parameters)(x, src_mask=blocked)[0]
    given = library(X)
    ours = layer(
        given, in_library(library, parameters), mask=causal_mask(N, like=given) if causal else None
    ).output
    tolerance = 2e-4 if ours.dtype.itemsize == 4 else 1e-10
    np.testing.assert_allclose(
        rows_from_columns(ours).tolist(), expected.tolist(), rtol=tolerance, atol=tolerance,
        err_msg="residual on the normalised input, or the norm after the branch?",
    )  # fmt: skip


def test_layer_without_branches_is_the_identity(random, parameters):
    X = random.standard_normal((D, N))
    silent = dataclasses.replace(
        parameters, Omega_c=np.zeros((D, D)), beta_c=None, Omega_2=np.zeros((D, 4 * D)), beta_2=None
    )
    np.testing.assert_array_equal(
        layer(X, silent).output, X, err_msg="the residual path must be the identity: pre-norm, not post-norm"
    )


def test_multi_head_stacks_its_heads(random, heads):
    X, Omega_c = random.standard_normal((D, N)), random.standard_normal((D, D))
    step = multi_head(X, heads, Omega_c)
    alone = [
        self_attention(X, h.Omega_q, h.Omega_k, h.Omega_v, h.beta_q, h.beta_k, h.beta_v, scaled=True)
        for h in heads
    ]
    assert step.weights.shape == (H, N, N)
    np.testing.assert_array_equal(step.weights, [head.weights for head in alone])
    np.testing.assert_array_equal(step.stacked, np.concatenate([head.output for head in alone]))
    np.testing.assert_allclose(step.output, Omega_c @ step.stacked)


def test_mlp_works_on_each_column_alone(random, parameters):
    X = random.standard_normal((D, N))
    weights = (parameters.Omega_1, parameters.Omega_2, parameters.beta_1, parameters.beta_2)
    together = mlp(X, *weights)
    for n in range(N):
        np.testing.assert_allclose(together[:, [n]], mlp(X[:, [n]], *weights))


def test_layer_norm_works_on_columns(random):
    X = 3 + 5 * random.standard_normal((D, N))
    normed = layer_norm(X)
    np.testing.assert_allclose(
        normed.mean(axis=0), 0, atol=1e-12, err_msg="normalised over tokens, not features"
    )
    np.testing.assert_allclose(normed.std(axis=0), 1, atol=1e-5)


@pytest.mark.parametrize("exponent", [-300, -200, -20, -2, 0, 2, 20, 200, 300])
@pytest.mark.parametrize("epsilon", [0, 1e-5])
def test_layer_norm_of_large_and_small_numbers(library, exponent, epsilon):
    """The square of 1e200 overflows, and that of 1e-200 is 0; in float32 so do 1e20 and 1e-30."""
    dtype = library([1.0]).dtype
    exponent = exponent if dtype.itemsize == 8 else exponent // 10
    column = [Fraction(x) * Fraction(10) ** exponent for x in (1, 3, -4, 7)]
    mean = sum(column) / 4
    variance = sum((x - mean) ** 2 for x in column) / 4
    with localcontext() as context:
        context.prec = 60
        total = variance + Fraction(epsilon)
        root = (Decimal(total.numerator) / Decimal(total.denominator)).sqrt()
        expected = [
            float(Decimal((x - mean).numerator) / Decimal((x - mean).denominator) / root) for x in column
        ]
    normed = layer_norm(library([[float(x)] for x in column]), epsilon=epsilon)
    # Four sums and six further operations, each off by half a unit in the last place of numbers of this size.
    eps = np.finfo(np.float32 if dtype.itemsize == 4 else np.float64).eps
    np.testing.assert_allclose(np.ravel(normed.tolist()), expected, rtol=10 * eps, atol=1e-300)


def test_layer_norm_in_units_is_bit_equal_to_the_plain_formula(random):
    X = 3 + 5 * random.standard_normal((D, N))
    centred = X - X.mean(axis=0)
    np.testing.assert_array_equal(layer_norm(X), centred / np.sqrt((centred**2).mean(axis=0) + 1e-5))


def test_layer_norm_has_gradients_at_large_and_zero_columns():
    X = torch.tensor([[1e200, 0.0], [3e200, 0.0]], dtype=torch.float64, requires_grad=True)
    layer_norm(X).pow(2).sum().backward()
    assert torch.isfinite(X.grad).all()


def test_gelu_of_large_numbers_is_the_number_or_zero(library):
    assert gelu(library([1e30, -1e30, 12.0, -12.0])).tolist() == library([1e30, 0, 12.0, 0]).tolist()


def test_gelu_is_the_tanh_form(library):
    x = library(np.linspace(-4, 4, 33))
    expected = torch.nn.functional.gelu(torch.as_tensor(x), approximate="tanh")
    torch.testing.assert_close(torch.as_tensor(gelu(x)), expected)
    exact = torch.nn.functional.gelu(torch.linspace(-6, 6, 10_001, dtype=torch.float64))
    tanh_form = gelu(torch.linspace(-6, 6, 10_001, dtype=torch.float64))
    assert (tanh_form - exact).abs().max() < 0.0005, "the docstring's bound"


def test_wrong_input_is_named(random, heads, parameters):
    X = random.standard_normal((D, N))
    with pytest.raises(ValueError, match="heads must be at least one Head"):
        multi_head(X, [], np.ones((D, D)))
    with pytest.raises(ValueError, match=r"Omega_c must be a matrix of shape \(any, 6\).*got shape \(6, 4\)"):
        multi_head(X, heads, np.ones((D, 4)))
    with pytest.raises(ValueError, match=r"Omega_2 must be a matrix of shape \(6, 24\)"):
        layer(X, dataclasses.replace(parameters, Omega_2=np.ones((D + 1, 4 * D))))
    with pytest.raises(ValueError, match="gamma must be a vector of size 6"):
        layer_norm(X, gamma=np.ones(D + 1))


def test_a_single_head_is_refused():
    X = np.arange(6.0).reshape(2, 3)
    with pytest.raises(TypeError, match="got a single Head"):
        multi_head(X, Head(np.eye(2), np.eye(2), np.eye(2)), np.eye(2))


def test_lists_turn_into_rows():
    assert rows_from_columns([[1, 2, 3], [4, 5, 6]]).tolist() == [[1, 4], [2, 5], [3, 6]]


@pytest.mark.parametrize(
    ("wrong", "kind", "sentence"),
    [
        (lambda: layer(np.ones((2, 3)), {}), TypeError, "parameters must be LayerParameters; got dict"),
        (lambda: multi_head(np.ones((2, 3)), ["a"], np.eye(2)), TypeError, "heads must be a sequence"),
        (lambda: multi_head(np.ones((2, 3)), None, np.eye(2)), TypeError, "heads must be a sequence"),
        (lambda: layer_norm(np.eye(2), epsilon="small"), ValueError, "epsilon must be a number"),
        (lambda: layer_norm(np.eye(2), epsilon=-1), ValueError, "epsilon must be a number of at least 0"),
        (lambda: layer_norm(np.ones((2, 3)), epsilon=0), ValueError, "epsilon must be positive where"),
        (lambda: gelu(None), TypeError, "X must be an array; got None"),
    ],
)
def test_what_makes_no_layer_is_named(wrong, kind, sentence):
    with pytest.raises(kind, match=sentence):
        wrong()
