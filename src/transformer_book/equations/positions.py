"""Where a token stands: sinusoidal encodings and rotation (equations 12.6 and 12.7)."""

import array_api_compat
import numpy as np

from transformer_book.checks.numbers import is_number

from .column_checks import as_floats, check_count, check_matrix, check_vector


def frequencies(D: int, base: float = 10000.0) -> np.ndarray:
    """Frequencies base^(-2i/D) in radians per position, i = 0 … D/2 - 1, D even (equations 12.6, 12.7)."""
    check_count("D", D)
    if D % 2:
        raise ValueError(f"D must be even, since entries come in pairs; got {D}.")
    if not (is_number(base) and base > 0):
        raise ValueError(f"base must be positive; got {base!r}.")
    return base ** (-2.0 * np.arange(D // 2) / D)


def sinusoidal(positions, D: int, base: float = 10000.0):
    """Sinusoidal encoding: entry 2i is sin(p / base^(2i/D)), entry 2i+1 the cosine (equation 12.6).

    positions: vector (N,) of positions p, from 0 on; D: size of an encoding, even.
    Returns (D, N), one position a column, in the library, device and precision of positions.
    Source: Vaswani et al. (2017).
    """
    xp, positions = as_floats(positions=positions)
    check_vector("positions", positions, optional=False)
    angle = _angles(xp, positions, frequencies(D, base))  # (D/2, N)
    pairs = xp.stack((xp.sin(angle), xp.cos(angle)), axis=1)  # (D/2, 2, N)
    return xp.reshape(pairs, (D, positions.shape[0]))


def rotation(theta: float):
    """Rotation matrix R(θ), counter-clockwise, θ in radians (before equation 12.7); float64 (2, 2)."""
    _, angle = as_floats(theta=theta)
    if angle.ndim != 0:
        raise ValueError(f"theta must be one angle; got shape {tuple(angle.shape)}.")
    cos, sin = np.cos(angle), np.sin(angle)
    return np.array([[cos, -sin], [sin, cos]])


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
        raise ValueError(f"X must have an even number of rows, since entries turn in pairs; got {D_q}.")
    check_vector("positions", positions, size=N, optional=False)
    thetas = frequencies(D_q) if thetas is None else as_floats(thetas=thetas)[1]
    check_vector("thetas", thetas, size=D_q // 2)
    angle = _angles(xp, positions, thetas)  # (D_q/2, N)
    cos, sin = xp.cos(angle), xp.sin(angle)
    even, odd = X[0::2, :], X[1::2, :]  # (D_q/2, N)
    turned = xp.stack((cos * even - sin * odd, sin * even + cos * odd), axis=1)  # (D_q/2, 2, N)
    return xp.reshape(turned, (D_q, N))


def rope_scores(Q, K, query_positions, key_positions, thetas=None):
    """Scores of rotated keys and queries, which depend on n - m alone (equation 12.7).

    Q: (D_q, N); K: (D_q, M); query_positions: (N,); key_positions: (M,); thetas as in `rotate`.
    Returns (M, N), rows are keys, columns are queries.
    """
    xp, Q, K = as_floats(Q=Q, K=K)
    check_matrix("Q", Q)
    check_matrix("K", K, rows=Q.shape[0])
    return xp.matrix_transpose(rotate(K, key_positions, thetas)) @ rotate(Q, query_positions, thetas)


def _angles(xp, positions, thetas):
    """thetas[i] · positions[n] as a matrix (D/2, N), beside the positions."""
    thetas = xp.asarray(thetas, dtype=positions.dtype, device=array_api_compat.device(positions))
    return thetas[:, None] * positions[None, :]
