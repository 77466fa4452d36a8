"""Random parameters whose sizes all differ, as NumPy arrays and as torch tensors."""

import numpy as np
import pytest
import torch

SIZES = {"D": 6, "D_q": 4, "D_v": 7, "N": 5}

LIBRARIES = {
    "numpy-float64": lambda array: np.asarray(array, dtype=np.float64),
    "numpy-float32": lambda array: np.asarray(array, dtype=np.float32),
    "torch-float64": lambda array: torch.tensor(np.asarray(array), dtype=torch.float64),
    "torch-float32": lambda array: torch.tensor(np.asarray(array), dtype=torch.float32),
    "cuda-float32": lambda array: torch.tensor(np.asarray(array), dtype=torch.float32, device="cuda"),
}
needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no CUDA device")


@pytest.fixture(params=[pytest.param(name, marks=needs_cuda if "cuda" in name else ()) for name in LIBRARIES])
def library(request):
    """A function that turns a NumPy array into one library, device and precision."""
    return LIBRARIES[request.param]


@pytest.fixture
def random():
    return np.random.default_rng(7)


@pytest.fixture
def parameters(random):
    """X, Omega_q, Omega_k, Omega_v, beta_q, beta_k, beta_v as float64."""
    D, D_q, D_v, N = SIZES.values()
    shapes = [(D, N), (D_q, D), (D_q, D), (D_v, D), (D_q,), (D_q,), (D_v,)]
    return [random.standard_normal(shape) for shape in shapes]
