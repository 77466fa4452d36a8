"""From X to the output: every matrix of one self-attention with its numbers (section 2)."""

from transformer_book.figures.picture import BLUE, ORANGE, Picture

from .sketch import arrow, label, matrix, matrix_of, path, sheet

_CELL = (0.32, 0.3)
_WIDE = (0.5, 0.3)  # room for three decimals
_MOST = 3  # columns


def attention_flow_figure(X, step) -> Picture:
    """Draw X, then Q, K and V, the scores S, the weights A and the output, each with its numbers.

    X: (D, N), at most 3 × 3; step: the `equations.Attention` of X. The output's columns mix those of V.
    Raises ValueError for a larger X and for steps of another one.
    """
    X = matrix_of("X", X)
    D, N = X.shape
    if max(D, N) > _MOST:
        raise ValueError(f"X must be at most {_MOST} × {_MOST}, to be read; got {D} × {N}.")
    Q, K = matrix_of("step.queries", step.queries, (None, N)), matrix_of("step.keys", step.keys, (None, N))
    V = matrix_of("step.values", step.values, (None, N))
    S, A = (matrix_of(f"step.{name}", getattr(step, name), (N, N)) for name in ("scores", "weights"))
    output = matrix_of("step.output", step.output, (len(V), N))
    with sheet(4.8, 4.9) as (figure, axes):
        x_at, y_at = _named(axes, 1.92, 4.55, X, r"$\mathbf{X}$")
        below_k = _named(axes, 0.5, 3.35, K, r"$\mathbf{K}$")
        below_q = _named(axes, 1.92, 3.35, Q, r"$\mathbf{Q}$")
        below_v = _named(axes, 3.34, 3.35, V, r"$\mathbf{V}$")
        for (x, _), omega in zip((below_k, below_q, below_v), "kqv", strict=True):
            arrow(axes, (x_at + 0.35 * (x - x_at), y_at - 0.03), (x, 3.4))
            shift = {"k": -0.34, "q": 0.26, "v": 0.34}[omega]
            at = x_at + 0.7 * (x - x_at) + shift
            label(axes, at, y_at - 0.22, rf"$\mathbf{{\Omega}}_{omega}$")
        below_s = _named(axes, 0.76, 2.0, S, r"$\mathbf{S}=\mathbf{K}^\top\mathbf{Q}$", above=True)
        arrow(axes, (below_k[0], below_k[1] - 0.03), (below_k[0], 2.28))
        path(axes, [(below_q[0], below_q[1] - 0.03), (below_q[0], 2.15), (1.8, 2.15)])
        _named(axes, 2.55, 2.0, A, r"$\mathbf{A}$", digits=3, cell=_WIDE, above=True)
        arrow(axes, (below_s[0] + 0.52, 1.55), (2.5, 1.55))
        label(axes, 2.11, 1.69, "softmax")
        below_a = 2.55 + N * _WIDE[0] / 2, 2.0 - N * _WIDE[1]
        _named(axes, 2.55, 0.68, output, "", digits=3, cell=_WIDE, edge=ORANGE)
        label(axes, 1.55, 0.38, r"$\mathrm{Sa}(\mathbf{X})=\mathbf{V}\mathbf{A}$")
        arrow(axes, (below_a[0], below_a[1] - 0.03), (below_a[0], 0.72))
        side = 2.55 + N * _WIDE[0] + 0.3
        beside = below_v[0] + 0.48, below_v[1] + 0.3
        path(axes, [beside, (side, beside[1]), (side, 0.38), (4.09, 0.38)], colour=BLUE)
        return Picture(figure)


def _named(axes, left, top, values, name, digits=0, cell=_CELL, above=False, **options):
    """A matrix and its name, at its left side or above it; return the middle of its lower edge."""
    bottom = matrix(axes, left, top, values, cell=cell, digits=digits, **options)
    if above:
        label(axes, bottom[0], top + 0.15, name)
    else:
        label(axes, left - 0.2, (top + bottom[1]) / 2, name)
    return bottom
