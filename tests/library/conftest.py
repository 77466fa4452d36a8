"""What the library's tests share: precision, device, random weights, and the way references are compared."""

import pytest
import torch

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
