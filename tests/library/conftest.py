"""What the library's tests share: precision, device, random weights, and the way references are compared."""

import pytest
import torch
from torch import nn

TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-10}


@pytest.fixture(params=[torch.float32, torch.float64], ids=["float32", "float64"])
def dtype(request):
    return request.param


@pytest.fixture(
    params=[
        "cpu",
        pytest.param(
            "cuda",
            marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no CUDA device"),
        ),
    ]
)
def device(request):
    if request.param == "cuda":
        # TF32 keeps ten bits of a factor; references are compared in full float32.
        torch.backends.fp32_precision = "ieee"
    return torch.device(request.param)


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(20_17)


@pytest.fixture
def randomise():
    """Give every parameter random numbers: a bias of 0 or a norm of 1 would hide a missing one."""

    def fill(module):
        with torch.no_grad():
            for name, parameter in module.named_parameters():
                parameter.normal_(std=0.2)
                if "norm" in name.lower() and name.endswith("weight"):
                    parameter.add_(1.0)
        return module.eval()

    return fill


@pytest.fixture
def assert_same():
    """max|actual - expected| / max|expected| within 1e-5 in float32 and 1e-10 in float64."""

    def compare(actual, expected, likely):
        assert actual.shape == expected.shape, f"shape {tuple(actual.shape)}, not {tuple(expected.shape)}"
        actual, expected = actual.detach(), expected.detach()
        tolerance = TOLERANCE[expected.dtype]
        difference = float((actual - expected).abs().max() / expected.abs().max().clamp(min=1e-30))
        assert difference <= tolerance, f"relative difference {difference:.1e}; likely: {likely}"

    return compare


@pytest.fixture
def assert_same_gradients(assert_same):
    """Of a cross-entropy loss, in our model and in the reference, whose names `to_reference` gives."""

    def compare(models, logits, labels, to_reference, zero=()):
        for found in logits:
            nn.functional.cross_entropy(found.flatten(0, 1), labels.flatten()).backward()
        ours, theirs = models
        grads = to_reference({name: parameter.grad for name, parameter in ours.named_parameters()})
        for name, parameter in theirs.named_parameters():
            if name.endswith(zero):
                assert float(grads[name].abs().max()) < 1e-15
            else:
                assert_same(grads[name], parameter.grad, f"gradient of {name}")

    return compare


def _copy_weights(theirs, ours):
    if not isinstance(theirs, nn.MultiheadAttention):
        _copy_weights(theirs.self_attn, ours.attention)
        if ours.cross_attention is not None:
            _copy_weights(theirs.multihead_attn, ours.cross_attention)
        norms = [ours.attention_norm, ours.cross_attention_norm, ours.mlp_norm]
        for number, norm in enumerate([norm for norm in norms if norm is not None], start=1):
            getattr(theirs, f"norm{number}").load_state_dict(norm.state_dict())
        theirs.linear1.load_state_dict(ours.mlp.expand.state_dict())
        theirs.linear2.load_state_dict(ours.mlp.contract.state_dict())
        return theirs
    maps = [ours.query, ours.key, ours.value]
    if theirs.in_proj_weight is None:  # keys and values of another width than the queries
        for name, m in zip("qkv", maps, strict=True):
            getattr(theirs, f"{name}_proj_weight").copy_(m.weight)
    else:
        theirs.in_proj_weight.copy_(torch.cat([m.weight for m in maps]))
    theirs.in_proj_bias.copy_(torch.cat([m.bias for m in maps]))
    theirs.out_proj.load_state_dict(ours.output.state_dict())
    return theirs


@pytest.fixture
def copy_weights():
    """Copy the weights of an attention or a layer of ours into torch's, and return that."""
    return torch.no_grad()(_copy_weights)
