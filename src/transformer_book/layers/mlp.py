"""The MLP of a Transformer layer: the same two-layer network for each token, plain or gated."""

import torch
import torch.nn.functional as F
from torch import nn

ACTIVATIONS = {
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "relu": F.relu,
}


class MLP(nn.Module):
    """D features to mlp_dim units, an activation, and back to D (section 7).

    activation: "gelu" (exact, Hendrycks and Gimpel, 2016), "gelu_tanh" (GPT-2's approximation) or "relu"
    (2017).
    """

    def __init__(self, dim: int, mlp_dim: int | None = None, *, activation: str = "gelu", bias: bool = True):
        super().__init__()
        if activation not in ACTIVATIONS:
            raise ValueError(f"activation is {activation!r}, expected one of {', '.join(ACTIVATIONS)}")
        mlp_dim = 4 * dim if mlp_dim is None else mlp_dim
        self.activate = ACTIVATIONS[activation]
        self.expand = nn.Linear(dim, mlp_dim, bias=bias)
        self.contract = nn.Linear(mlp_dim, dim, bias=bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Map (B, N, D) to (B, N, D)."""
        return self.contract(self.activate(self.expand(x)))


class GatedMLP(nn.Module):
    """SwiGLU: one map's units are gated by SiLU of another's (Shazeer, 2020), the MLP of the Llama family."""

    def __init__(self, dim: int, mlp_dim: int | None = None, *, bias: bool = False):
        super().__init__()
        mlp_dim = 4 * dim if mlp_dim is None else mlp_dim
        self.gate = nn.Linear(dim, mlp_dim, bias=bias)
        self.expand = nn.Linear(dim, mlp_dim, bias=bias)
        self.contract = nn.Linear(mlp_dim, dim, bias=bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Map (B, N, D) to (B, N, D)."""
        return self.contract(F.silu(self.gate(x)) * self.expand(x))


def make_mlp(kind: str, dim: int, mlp_dim: int | None = None, *, bias: bool = True) -> nn.Module:
    """Make the MLP named by its activation: "swiglu", or one of "gelu", "gelu_tanh", "relu"."""
    if kind == "swiglu":
        return GatedMLP(dim, mlp_dim, bias=bias)
    if kind not in ACTIVATIONS:
        raise ValueError(f"mlp is {kind!r}, expected one of {', '.join([*ACTIVATIONS, 'swiglu'])}")
    return MLP(dim, mlp_dim, activation=kind, bias=bias)
