"""The modules, with tokens as rows, equal the book's column equations."""

import torch

from transformer_book import equations
from transformer_book.attention import MultiHeadAttention, causal_mask, written_out_attention
from transformer_book.equations import rows_from_columns
from transformer_book.layers import TransformerLayer
from transformer_book.positions import apply_rotary, rotary_angles, sinusoidal_positions

D, N, H = 12, 5, 3


def columns_of(module):
    """The heads, Omega_c and beta_c of a module, as the equations name them."""
    parts = {}
    for symbol, linear in (("q", module.query), ("k", module.key), ("v", module.value)):
        parts[f"Omega_{symbol}"] = linear.weight.detach().unflatten(0, (H, -1))  # (H, D/H, D)
        parts[f"beta_{symbol}"] = linear.bias.detach().unflatten(0, (H, -1))  # (H, D/H)
    heads = [equations.Head(**{name: tensor[head] for name, tensor in parts.items()}) for head in range(H)]
    return heads, module.output.weight.detach(), module.output.bias.detach()


def test_attention_equals_12_5_transposed(assert_same):
    Q, K, V = (torch.randn(d, n, dtype=torch.float64) for d, n in ((4, N), (4, 7), (6, 7)))
    rows = written_out_attention(*(rows_from_columns(x) for x in (Q, K, V)))
    columns = equations.attention(Q, K, V, scaled=True)
    assert_same(rows.output, rows_from_columns(columns.output), "rows and columns mixed up")
    assert_same(rows.weights, rows_from_columns(columns.weights), "softmax over queries instead of keys")
    assert_same(rows.scores, rows_from_columns(columns.scores), "scores not scaled")


def test_multi_head_equals_12_8_transposed(randomise, assert_same):
    module = randomise(MultiHeadAttention(D, H).double())
    X = torch.randn(D, N, dtype=torch.float64)
    heads, Omega_c, beta_c = columns_of(module)
    columns = equations.multi_head(X, heads, Omega_c, beta_c)
    rows = module(rows_from_columns(X)[None], return_weights=True)
    assert_same(rows.output[0], rows_from_columns(columns.output), "heads stacked in another order")
    assert_same(rows.weights[0], rows_from_columns(columns.weights), "weights transposed")


def test_layer_equals_12_9_transposed(randomise, assert_same):
    module = randomise(TransformerLayer(D, H, mlp="gelu_tanh", causal=True).double())
    X = torch.randn(D, N, dtype=torch.float64)
    heads, Omega_c, beta_c = columns_of(module.attention)
    parameters = equations.LayerParameters(
        heads=tuple(heads),
        Omega_c=Omega_c,
        beta_c=beta_c,
        Omega_1=module.mlp.expand.weight.detach(),
        beta_1=module.mlp.expand.bias.detach(),
        Omega_2=module.mlp.contract.weight.detach(),
        beta_2=module.mlp.contract.bias.detach(),
        gamma_1=module.attention_norm.weight.detach(),
        delta_1=module.attention_norm.bias.detach(),
        gamma_2=module.mlp_norm.weight.detach(),
        delta_2=module.mlp_norm.bias.detach(),
    )
    mask = causal_mask(N).T  # the equations have keys as rows
    columns = equations.layer(X, parameters, mask=mask)
    assert_same(module(rows_from_columns(X)[None]).output[0], rows_from_columns(columns.output), "pre-norm")


def test_sinusoidal_equals_12_6_transposed(assert_same):
    places = torch.arange(N, dtype=torch.float64)
    rows = sinusoidal_positions(torch.arange(N), D, dtype=torch.float64)
    assert_same(rows, rows_from_columns(equations.sinusoidal(places, D)), "sines and cosines exchanged")


def test_rotation_equals_12_7_transposed(assert_same):
    X, places = torch.randn(D, N, dtype=torch.float64), torch.tensor([4, 0, 9, 2, 7])
    angles = rotary_angles(places, D, pairing="neighbours", dtype=torch.float64)
    rows = apply_rotary(rows_from_columns(X)[None, None], angles)[0, 0]
    columns = equations.rotate(X, places.double())
    assert_same(rows, rows_from_columns(columns), "turned the other way")
