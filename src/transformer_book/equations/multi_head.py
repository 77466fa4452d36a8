"""Multi-head self-attention: several heads attend side by side, one projection mixes them (equation 12.8)."""

import dataclasses
from typing import Any

from transformer_book.checks.messages import must_be

from .attention import Attention, affine, self_attention
from .column_checks import as_floats, check_matrix

Array = Any  # a NumPy array or a torch tensor


@dataclasses.dataclass(frozen=True, eq=False)
class Head:
    """Parameters of one head: Omega_q, Omega_k, Omega_v (D/H, D), biases (D/H,) or None."""

    Omega_q: Array
    Omega_k: Array
    Omega_v: Array
    beta_q: Array = None
    beta_k: Array = None
    beta_v: Array = None


@dataclasses.dataclass(frozen=True, eq=False)
class MultiHead:
    """Every step of a multi-head attention.

    heads: each head's own steps; weights (H, N, N): head, key, query; stacked (D, N): the heads' outputs on
    top of each other; output (D, N): their mixture.
    """

    heads: tuple[Attention, ...]
    weights: Array
    stacked: Array
    output: Array


def multi_head(X, heads, Omega_c, beta_c=None, *, mask=None, scaled=True) -> MultiHead:
    """Run the heads on X, stack their outputs and project them (equation 12.8; Vaswani et al., 2017).

    X: (D, N); heads: a sequence of `Head`; Omega_c: (D, rows of the stack); beta_c: (D,) or None.
    mask: booleans (N, N) for every head, True where a query may attend; scaled: divide scores by √(D/H).
    Raises TypeError unless heads are a sequence of Head, ValueError for none, for shapes that do not fit and
    for an overflow.
    """
    if isinstance(heads, Head):
        raise TypeError(must_be("heads", "a sequence of Head", "a single Head"))
    if not isinstance(heads, list | tuple) or not all(isinstance(head, Head) for head in heads):
        raise TypeError(must_be("heads", "a sequence of Head", repr(heads)))
    if not heads:
        raise ValueError(must_be("heads", "at least one Head", "none"))
    attended = tuple(
        self_attention(
            X, h.Omega_q, h.Omega_k, h.Omega_v, h.beta_q, h.beta_k, h.beta_v, mask=mask, scaled=scaled
        )
        for h in heads
    )
    outputs = {f"the output of head {number}": head.output for number, head in enumerate(attended, start=1)}
    xp, Omega_c, beta_c, *outputs = as_floats(Omega_c=Omega_c, beta_c=beta_c, **outputs)
    stacked = xp.concat(outputs, axis=0)  # (H · D/H, N)
    check_matrix("Omega_c", Omega_c, columns=stacked.shape[0])
    return MultiHead(
        heads=attended,
        weights=xp.stack([head.weights for head in attended], axis=0),  # (H, N, N)
        stacked=stacked,
        output=affine("the output of Omega_c", "beta_c", beta_c, Omega_c, stacked),
    )
