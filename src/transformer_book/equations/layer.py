"""One Transformer layer, pre-norm: attention between the columns, then an MLP within each (equation 12.9)."""

import dataclasses
import math
from typing import Any

from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_not_negative

from .attention import affine
from .column_checks import as_floats, check_matrix, check_vector, finite, without_warning
from .multi_head import MultiHead, multi_head

Array = Any  # a NumPy array or a torch tensor


@dataclasses.dataclass(frozen=True, eq=False)
class LayerParameters:
    """Parameters of one layer.

    heads, Omega_c (D, D), beta_c (D,): the attention; Omega_1 (4D, D), beta_1 (4D,), Omega_2 (D, 4D),
    beta_2 (D,): the MLP; gamma_1, delta_1, gamma_2, delta_2 (D,): scale and shift of the two layer norms.
    A missing bias or shift is 0, a missing scale 1.
    """

    heads: tuple
    Omega_c: Array
    Omega_1: Array
    Omega_2: Array
    beta_c: Array = None
    beta_1: Array = None
    beta_2: Array = None
    gamma_1: Array = None
    delta_1: Array = None
    gamma_2: Array = None
    delta_2: Array = None


@dataclasses.dataclass(frozen=True, eq=False)
class Layer:
    """Every step of one layer: the attention, X after it, the MLP's result and the output, each (D, N)."""

    attention: MultiHead
    after_attention: Array
    mlp: Array
    output: Array


def layer(X, parameters: LayerParameters, *, mask=None, epsilon: float = 1e-5) -> Layer:
    """Gather from other positions, then process each one, both in pre-norm residual branches (equation 12.9).

    X: (D, N); mask: booleans (N, N), True where a query may attend; epsilon: of the layer norms.
    Source: Vaswani et al. (2017), in the pre-norm order of Xiong et al. (2020).
    Raises TypeError and ValueError as `multi_head` and `mlp` do.
    """
    if not isinstance(parameters, LayerParameters):
        raise TypeError(must_be("parameters", "LayerParameters", type(parameters).__name__))
    p = parameters
    normed = layer_norm(X, p.gamma_1, p.delta_1, epsilon)  # (D, N)
    attended = multi_head(normed, p.heads, p.Omega_c, p.beta_c, mask=mask)
    after_attention = _residual(X, attended.output)  # (D, N)
    normed = layer_norm(after_attention, p.gamma_2, p.delta_2, epsilon)  # (D, N)
    processed = mlp(normed, p.Omega_1, p.Omega_2, p.beta_1, p.beta_2)  # (D, N)
    return Layer(attended, after_attention, processed, _residual(after_attention, processed))


@without_warning
def layer_norm(X, gamma=None, delta=None, epsilon: float = 1e-5):
    """Bring each column of X (D, N) to mean 0 and variance 1, then scale by gamma and shift by delta (D,).

    Raises ValueError for shapes that do not fit, NaN, an overflow, and a constant column when epsilon is 0.
    """
    xp, X, gamma, delta = as_floats(X=X, gamma=gamma, delta=delta)
    check_matrix("X", X)
    check_vector("gamma", gamma, size=X.shape[0])
    check_vector("delta", delta, size=X.shape[0])
    check_not_negative("epsilon", epsilon)
    unit = _unit(xp, X, epsilon)  # (1, N): without it the square of 1e200 overflows, that of 1e-200 is 0
    scaled = X / unit
    centred = scaled - xp.mean(scaled, axis=0, keepdims=True)
    variance = xp.mean(centred**2, axis=0, keepdims=True)  # (1, N), in units
    if epsilon == 0 and bool(xp.any(variance == 0)):
        raise ValueError(must_be("epsilon", "positive where a column of X holds one number throughout", 0))
    normed = centred / xp.sqrt(variance + epsilon / unit / unit)
    if gamma is not None:
        normed = gamma[:, None] * normed
    return finite("the output of layer_norm", normed if delta is None else normed + delta[:, None])


def _unit(xp, X, epsilon: float):
    """For each column (1, N) a power of two near its largest entry or √ε, whichever is larger."""
    largest = xp.max(xp.abs(X), axis=0, keepdims=True)
    largest = xp.where(largest < math.sqrt(epsilon), math.sqrt(epsilon), largest)
    largest = xp.where(largest == 0, 1.0, largest)  # a column of zeros, without ε
    return xp.astype(2.0 ** xp.floor(xp.log2(largest)), X.dtype)


def mlp(X, Omega_1, Omega_2, beta_1=None, beta_2=None):
    """Two-layer network on each column of X (D, N): Ω₂ GELU(Ω₁ x + β₁) + β₂; the book has 4D hidden units."""
    _, X, Omega_1, Omega_2, beta_1, beta_2 = as_floats(
        X=X, Omega_1=Omega_1, Omega_2=Omega_2, beta_1=beta_1, beta_2=beta_2
    )
    check_matrix("X", X)
    check_matrix("Omega_1", Omega_1, columns=X.shape[0])
    check_matrix("Omega_2", Omega_2, rows=X.shape[0], columns=Omega_1.shape[0])
    hidden = gelu(affine("the hidden units", "beta_1", beta_1, Omega_1, X))  # (4D, N)
    return affine("the output of the MLP", "beta_2", beta_2, Omega_2, hidden)


def gelu(X):
    """GELU in its tanh form, GPT-2's choice: the Array API has no erf; the two differ by less than 0.0005.

    Source: Hendrycks and Gimpel (2016).
    """
    xp, X = as_floats(X=X)
    near = xp.clip(X, -10.0, 10.0)  # beyond 10 tanh is 1, and the cube of 1e200 overflows
    return 0.5 * X * (1.0 + xp.tanh(math.sqrt(2.0 / math.pi) * (near + 0.044715 * near**3)))


@without_warning
def _residual(X, branch):
    _, X, branch = as_floats(X=X, branch=branch)
    check_matrix("the output of Omega_c", branch, *X.shape)  # the MLP's output has been checked
    return finite("X after a residual branch", X + branch)
