"""How the variance of a score grows with D_q, by sampling (equation 12.4 and figure 12.2).

Queries and keys have independent standard normal entries. Two ways of drawing the same scores: from the
vectors themselves, and through their exact law, which needs no vectors.
"""

import dataclasses
import math

import numpy as np

from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_whole

from .column_checks import as_floats, finite, without_warning
from .softmax import softmax

_CHUNK = 2**22  # numbers drawn at a time, 32 MiB: memory stays flat however many draws are asked for


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A mean over draws and its standard error."""

    mean: float
    standard_error: float


def sample_scores(D_q: int, draws: int, seed: int, keys: int = 1) -> np.ndarray:
    """Draw scores kᵀq of random queries and keys, whose variance is D_q (equation 12.4).

    D_q: size of a query; draws: number of queries; keys: keys for each query; seed: of NumPy's generator.
    Returns float64 (keys, draws): rows are keys, columns are queries.
    """
    for name, value in (("D_q", D_q), ("draws", draws), ("keys", keys)):
        check_whole(name, value)
    check_whole("seed", seed, least=0)
    random = np.random.default_rng(seed)
    scores = np.empty((keys, draws))
    step = max(1, _CHUNK // (D_q * (keys + 1)))
    for start in range(0, draws, step):
        count = min(step, draws - start)
        q = random.standard_normal((count, D_q, 1))
        K = random.standard_normal((count, keys, D_q))
        scores[:, start : start + count] = (K @ q)[:, :, 0].T  # (keys, count)
    return scores


def sample_scores_by_law(D_q: int, draws: int, seed: int, keys: int = 1) -> np.ndarray:
    """Draw the same scores through their law: given |q|, independent normals of standard deviation |q|.

    |q| follows a chi law with D_q degrees of freedom; a draw costs 1 + keys numbers, not (1 + keys) D_q.
    Arguments and result as in `sample_scores`.
    """
    for name, value in (("D_q", D_q), ("draws", draws), ("keys", keys)):
        check_whole(name, value)
    check_whole("seed", seed, least=0)
    random = np.random.default_rng(seed)
    length = np.sqrt(random.chisquare(D_q, size=draws))  # (draws,)
    return length * random.standard_normal((keys, draws))


@without_warning
def variance_of_scores(scores) -> Estimate:
    """Variance of scores whose mean is known to be 0, with its standard error (equation 12.4)."""
    xp, scores = as_floats(scores=scores)
    return _estimate(xp, finite("the squares of scores", scores**2))


def largest_weight(scores, D_q: int | None = None) -> Estimate:
    """Mean of the largest attention weight of each query, with its standard error (figure 12.2a).

    scores: (keys, draws); D_q: divide the scores by √D_q first; without it they stay as they are.
    """
    xp, scores = as_floats(scores=scores)
    if D_q is not None:
        check_whole("D_q", D_q)
        scores = scores / math.sqrt(D_q)
    return _estimate(xp, xp.max(softmax(scores), axis=0))


def _estimate(xp, values) -> Estimate:
    draws = math.prod(values.shape)
    if draws < 2:
        raise ValueError(must_be("scores", "at least 2 draws for a standard error", draws))
    return Estimate(float(xp.mean(values)), float(xp.std(values, correction=1)) / math.sqrt(draws))
