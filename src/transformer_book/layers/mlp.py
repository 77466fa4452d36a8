"""The MLP of a Transformer layer: the same two-layer network for each token, plain or gated."""

from functools import partial

import torch
import torch.nn.functional as F
from torch import nn

from transformer_book.checks.numbers import check_choice, check_whole

ACTIVATIONS = {"gelu": F.gelu, "gelu_tanh": partial(F.gelu, approximate="tanh"), "relu": F.relu}
MLP_KINDS = (*ACTIVATIONS, "swiglu", "none")


class MLP(nn.Module):
    """D features to mlp_dim units, an activation, and back to D (section 7).

    activation: "gelu" (exact, Hendrycks and Gimpel, 2016), "gelu_tanh" (GPT-2's approximation) or "relu"
    (2017). Raises ValueError for another one.
    """

    def __init__(self, dim: int, mlp_dim: int | None = None, *, activation: str = "gelu", bias: bool = True):
        super().__init__()
        check_choice("activation", activation, ACTIVATIONS)
        mlp_dim = _checked_sizes(dim, mlp_dim)
        self.activation = activation  # its name: a module that holds functions may not be saved whole
        self.expand = nn.Linear(dim, mlp_dim, bias=bias)
        self.contract = nn.Linear(mlp_dim, dim, bias=bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Map (..., D) to (..., D), each token by itself."""
        return self.contract(ACTIVATIONS[self.activation](self.expand(x)))


class GatedMLP(nn.Module):
    """SwiGLU: one map's units are gated by SiLU of another's (Shazeer, 2020), the MLP of the Llama family."""

    def __init__(self, dim: int, mlp_dim: int | None = None, *, bias: bool = False):
        super().__init__()
        mlp_dim = _checked_sizes(dim, mlp_dim)
        self.gate = nn.Linear(dim, mlp_dim, bias=bias)
        self.expand = nn.Linear(dim, mlp_dim, bias=bias)
        self.contract = nn.Linear(mlp_dim, dim, bias=bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Map (..., D) to (..., D), each token by itself."""
        return self.contract(F.silu(self.gate(x)) * self.expand(x))


def make_mlp(kind: str, dim: int, mlp_dim: int | None = None, *, bias: bool = True) -> nn.Module | None:
    """Make the MLP named by its activation: "swiglu", "gelu", "gelu_tanh" or "relu"; None for "none".

    Raises ValueError for another name.
    """
    check_choice("mlp", kind, MLP_KINDS)
    if kind == "none":
        return None
    if kind == "swiglu":
        return GatedMLP(dim, mlp_dim, bias=bias)
    return MLP(dim, mlp_dim, activation=kind, bias=bias)


def _checked_sizes(dim, mlp_dim):
    """The number of units: four times the features unless given."""
    mlp_dim = 4 * dim if mlp_dim is None else mlp_dim
    check_whole("dim", dim)
    check_whole("mlp_dim", mlp_dim)
    return mlp_dim
