"""GELU in its tanh form, fast on the CPU too.

torch's own CPU kernel of this form computes its tanh four times slower than `torch.tanh` does. The same
formula out of `torch.tanh` and a few products in place is faster, forwards and backwards; a test keeps the
two equal.
"""

import math

import torch
import torch.nn.functional as F
from torch.autograd.function import once_differentiable

_SLOPE = math.sqrt(2 / math.pi)
_CUBIC = 0.044715


def gelu_tanh(x: torch.Tensor) -> torch.Tensor:
    """Compute x/2 (1 + tanh(sqrt(2/π) (x + 0.044715 x³))) for x of any shape (Hendrycks and Gimpel, 2016)."""
    if x.device.type == "cpu" and x.dtype in (torch.float32, torch.float64):
        return _GeluTanh.apply(x)
    return F.gelu(x, approximate="tanh")


class _GeluTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return _half_one_plus_tanh(x).mul_(x)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        share = _half_one_plus_tanh(x)  # s = (1 + tanh u) / 2
        # d(x s)/dx = s + x s' with s' = 2 s (1 - s) u' and u' = slope (1 + 3 · cubic · x²).
        inner = torch.square(x).mul_(3 * _CUBIC * _SLOPE).add_(_SLOPE).mul_(x)
        slope = torch.addcmul(share, share, share, value=-1).mul_(2)  # 2 s (1 - s)
        return slope.mul_(inner).add_(share).mul_(grad)


def _half_one_plus_tanh(x):
    inner = torch.square(x).mul_(_CUBIC * _SLOPE).add_(_SLOPE).mul_(x)
    return inner.tanh_().add_(1).mul_(0.5)
