"""Where a token stands: sinusoidal encodings and rotation (equations 12.6 and 12.7)."""

import array_api_compat
import numpy as np

from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_even, check_positive

from .column_checks import as_floats, check_matrix, check_vector, finite, without_warning


@without_warning
def frequencies(D: int, base: float = 10000.0) -> np.ndarray:
    """Frequencies base^(-2i/D) in radians per position, i = 0 … D/2 - 1, D even (equations 12.6, 12.7)."""
    check_even("D", D)  # entries come in pairs
    check_positive("base", base)
    return finite("base^(-2i/D)", base ** (-2.0 * np.arange(D // 2) / D))


def sinusoidal(positions, D: int, base: float = 10000.0):
    """Sinusoidal encoding: entry 2i is sin(p / base^(2i/D)), entry 2i+1 the cosine (equation 12.6).

    positions: vector (N,) of positions p, from 0 on; D: size of an encoding, even.
    Returns (D, N), one position per column, in the library, device and precision of positions; angles are
    taken in float64, since float32 is off by 2e-3 at position 100,000. Source: Vaswani et al. (2017).
    """
    xp, positions = as_floats(positions=positions)
    check_vector("positions", positions, optional=False)
    cos, sin = _cos_and_sin(xp, positions, frequencies(D, base))  # (D/2, N)
    pairs = xp.stack((sin, cos), axis=1)  # (D/2, 2, N)
    return xp.reshape(pairs, (D, positions.shape[0]))


def rotation(theta: float):
    """Rotation matrix R(θ), counter-clockwise, θ in radians (before equation 12.7).

    Returns float64 (2, 2), in theta's library and on its device; NumPy for a plain number.
    """
    xp, angle = as_floats(theta=theta)
    if angle.ndim != 0:
        raise ValueError(must_be("theta", "one angle", f"shape {tuple(angle.shape)}"))
    angle = xp.astype(angle, xp.float64)
    cos, sin = xp.cos(angle), xp.sin(angle)
    return xp.reshape(xp.stack((cos, -sin, sin, cos)), (2, 2))


@without_warning
def rotate(X, positions, thetas=None):
    """Rotate column n by its position: the pair (2i, 2i+1) turns by positions[n] · thetas[i] (RoPE).

    X: queries or keys (D_q, N), D_q even; positions: (N,);
    thetas: angles per position (D_q/2,), in radians; those of equation 12.6 unless given.
    Returns (D_q, N); lengths do not change. Source: Su et al. (2024).
    """
    xp, X, positions = as_floats(X=X, positions=positions)
    check_matrix("X", X)
    D_q, N = X.shape
    if D_q % 2:
        raise ValueError(must_be("X", "a matrix of an even number of rows, which turn in pairs", D_q))
    check_vector("positions", positions, size=N, optional=False)
    thetas = frequencies(D_q) if thetas is None else as_floats(thetas=thetas)[1]
    check_vector("thetas", thetas, size=D_q // 2)
    cos, sin = _cos_and_sin(xp, positions, thetas)  # (D_q/2, N)
    even, odd = X[0::2, :], X[1::2, :]  # (D_q/2, N)
    turned = xp.stack((cos * even - sin * odd, sin * even + cos * odd), axis=1)  # (D_q/2, 2, N)
    return finite("the rotated X", xp.reshape(turned, (D_q, N)))


@without_warning
def rope_scores(Q, K, query_positions, key_positions, thetas=None):
    """Scores of rotated keys and queries, which depend on n - m alone (equation 12.7).

    Q: (D_q, N); K: (D_q, M); query_positions: (N,); key_positions: (M,); thetas as in `rotate`.
    Returns (M, N), rows are keys, columns are queries.
    """
    xp, Q, K = as_floats(Q=Q, K=K)
    check_matrix("Q", Q)
    check_matrix("K", K, rows=Q.shape[0])
    K, Q = rotate(K, key_positions, thetas), rotate(Q, query_positions, thetas)
    return finite("the score matrix", xp.matrix_transpose(K) @ Q)


@without_warning
def _cos_and_sin(xp, positions, thetas):
    """Cosine and sine of thetas[i] · positions[n], each (D/2, N), in the precision of the positions.

    The angle is a product of large and small numbers: it is taken in float64, its sine is not large.
    """
    thetas = xp.asarray(thetas, dtype=xp.float64, device=array_api_compat.device(positions))
    angle = finite("positions · thetas", thetas[:, None] * xp.astype(positions, xp.float64)[None, :])
    return tuple(xp.astype(of(angle), positions.dtype) for of in (xp.cos, xp.sin))
