"""The Transformer layer (12.9), pre- and post-norm, judged by torch's layers."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from transformer_book.layers import MLP, GatedMLP, TransformerLayer, make_mlp, make_norm

B, N, M, H, D, UNITS = 2, 5, 7, 3, 12, 20

placements = pytest.mark.parametrize("placement", ["pre", "post"])


def torch_layer(kind, placement, dtype):
    options = {"dropout": 0.0, "activation": "gelu", "batch_first": True, "dtype": dtype}
    return kind(D, H, UNITS, norm_first=placement == "pre", **options)


@placements
def test_equals_torch_encoder_layer(placement, dtype, device, randomise, copy_weights, assert_same):
    ours = randomise(TransformerLayer(D, H, mlp_dim=UNITS, norm_placement=placement).to(dtype))
    theirs = copy_weights(torch_layer(nn.TransformerEncoderLayer, placement, dtype), ours).to(device)
    ours = ours.to(device)
    x = torch.randn(B, N, D, dtype=dtype, device=device)
    real = torch.tensor([[True] * N, [True, True, True, False, False]], device=device)
    output = ours(x, mask=real[:, None, None]).output
    assert_same(output, theirs(x, src_key_padding_mask=~real), "norm placed on the residual path")


@placements
def test_equals_torch_decoder_layer(placement, dtype, device, randomise, copy_weights, assert_same):
    layer = TransformerLayer(D, H, mlp_dim=UNITS, norm_placement=placement, causal=True, cross_attention=True)
    ours = randomise(layer.to(dtype))
    theirs = copy_weights(torch_layer(nn.TransformerDecoderLayer, placement, dtype), ours).to(device)
    ours = ours.to(device)
    x, context = (torch.randn(B, n, D, dtype=dtype, device=device) for n in (N, M))
    later = torch.ones(N, N, dtype=torch.bool, device=device).triu(1)
    expected = theirs(x, context, tgt_mask=later)
    assert_same(ours(x, context=context).output, expected, "order of self- and cross-attention")


def test_zero_branches_make_a_pre_norm_layer_the_identity(randomise):
    layer = randomise(TransformerLayer(D, H))
    for last in (layer.attention.output, layer.mlp.contract):
        nn.init.zeros_(last.weight)
        nn.init.zeros_(last.bias)
    x = torch.randn(B, N, D)
    assert torch.equal(layer(x).output, x), "likely: the residual is taken after the norm"


@placements
def test_permuting_tokens_permutes_outputs(placement, randomise, assert_same):
    layer = randomise(TransformerLayer(D, H, norm_placement=placement).double())
    x, order = torch.randn(B, N, D, dtype=torch.float64), torch.tensor([3, 0, 4, 2, 1])
    assert_same(layer(x[:, order]).output, layer(x).output[:, order], "a position leaked in")


def test_a_later_token_never_changes_an_earlier_output(randomise):
    layer = randomise(TransformerLayer(D, H, causal=True).double())
    x = torch.randn(B, N, D, dtype=torch.float64)
    changed = x.clone()
    changed[:, 3] = torch.randn(B, D)  # a constant added would vanish in the norm
    before, after = layer(x).output, layer(changed).output
    torch.testing.assert_close(before[:, :3], after[:, :3], rtol=0, atol=1e-14)
    assert not torch.allclose(before[:, 4], after[:, 4])


@placements
def test_a_layer_without_mlp_is_its_attention(placement, randomise, assert_same):
    layer = randomise(TransformerLayer(D, H, mlp="none", norm_placement=placement).double())
    x = torch.randn(B, N, D, dtype=torch.float64)
    if placement == "pre":
        expected = x + layer.attention(layer.attention_norm(x)).output
    else:
        expected = layer.attention_norm(x + layer.attention(x).output)
    assert_same(layer(x).output, expected, "something else is added or normalised")
    assert {name.split(".")[0] for name, _ in layer.named_parameters()} == {"attention", "attention_norm"}


def test_layer_gives_back_what_its_attentions_saw(randomise):
    layer = randomise(TransformerLayer(D, H, cross_attention=True))
    seen = layer(torch.randn(B, N, D), context=torch.randn(B, M, D), return_weights=True)
    assert seen.attention.weights.shape == (B, H, N, N)
    assert seen.cross_attention.weights.shape == (B, H, N, M)


@pytest.mark.parametrize(
    ("kind", "activation"),
    [
        ("gelu", F.gelu),
        ("gelu_tanh", lambda x: F.gelu(x, approximate="tanh")),
        ("relu", torch.relu),
    ],
)
def test_mlp_uses_the_activation_it_is_named_by(kind, activation):
    mlp = make_mlp(kind, 4, 6).double()
    x = torch.randn(5, 4, dtype=torch.float64)
    expected = mlp.contract(activation(mlp.expand(x)))
    torch.testing.assert_close(mlp(x), expected)
    assert (mlp.expand.out_features, MLP(4).expand.out_features) == (6, 16)


def test_gated_mlp_gates_by_silu():
    mlp = GatedMLP(4, 6).double()
    x = torch.randn(5, 4, dtype=torch.float64)
    gate = x @ mlp.gate.weight.T
    expected = (gate * torch.sigmoid(gate) * (x @ mlp.expand.weight.T)) @ mlp.contract.weight.T
    torch.testing.assert_close(mlp(x), expected, msg="likely: gate and expand exchanged")


def test_rms_norm_keeps_the_mean():
    x = torch.randn(5, 8, dtype=torch.float64) + 3
    norm = make_norm("rms", 8, 0.0).double()
    torch.testing.assert_close(norm(x), x / x.square().mean(-1, keepdim=True).sqrt())
    torch.testing.assert_close(
        make_norm("layer", 8).double()(x).mean(-1), torch.zeros(5, dtype=torch.float64)
    )


@placements
def test_gradcheck(placement, randomise):
    layer = randomise(
        TransformerLayer(4, 2, mlp_dim=3, norm_placement=placement, norm="rms", mlp="swiglu").double()
    )
    x = torch.randn(2, 3, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: layer(x).output, (x,))


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda: TransformerLayer(D, H, norm="batch"), "norm must be one of"),
        (lambda: TransformerLayer(D, H, norm_placement="middle"), "norm_placement must be one of"),
        (lambda: TransformerLayer(D, H, mlp="tanh"), "mlp must be one of"),
        (lambda: TransformerLayer(D, H, norm_epsilon=-1.0), "norm_epsilon must be"),
        (lambda: TransformerLayer(D, H, mlp_dim=0), "mlp_dim must be"),
        (lambda: MLP(D, activation="tanh"), "activation must be one of"),
        (lambda: MLP(-4), "dim must be"),
        (lambda: make_norm("rms", 0), "dim must be"),
        (
            lambda: TransformerLayer(D, H)(torch.ones(B, N, D + 1)),
            r"x must be of shape \(B, N, D = 12\); got \(2, 5, 13\)",
        ),
        (lambda: TransformerLayer(D, H)(torch.ones(B, N, D).long()), "x must be of type floating point"),
        (lambda: TransformerLayer(D, H)(torch.ones(B, N, D).double()), r"x must be of type torch\.float32"),
        (
            lambda: TransformerLayer(D, H, cross_attention=True)(torch.ones(B, N, D)),
            "context must be a tensor; got None",
        ),
        (
            lambda: TransformerLayer(D, H)(torch.ones(B, N, D), context=torch.ones(B, M, D)),
            "context must be None without cross_attention=True; got a tensor",
        ),
    ],
)
def test_arguments_that_do_not_fit_are_named(wrong, sentence):
    with pytest.raises(ValueError, match=sentence):
        wrong()
