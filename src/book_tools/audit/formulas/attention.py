"""Formulas of sections 2 to 4: sums, the vector of ones, costs, scaling and the softmax derivative."""

import numpy as np

from book_tools.audit.formulas import formula, fragment
from transformer_book import equations

_RANDOM = np.random.default_rng(0)
D, D_q, N = 5, 3, 4
X = _RANDOM.normal(size=(D, N))
OMEGA_Q, OMEGA_K = _RANDOM.normal(size=(2, D_q, D))
OMEGA_V = _RANDOM.normal(size=(D, D))
BETA_Q, BETA_K = _RANDOM.normal(size=(2, D_q))
BETA_V = _RANDOM.normal(size=D)
OMEGA_C, _RANDOM_HEADS = _RANDOM.normal(size=(D, 4)), _RANDOM.normal(size=(3, 2, 2, D))


def _layer(scaled=False):
    return equations.self_attention(X, OMEGA_Q, OMEGA_K, OMEGA_V, BETA_Q, BETA_K, BETA_V, scaled=scaled)


@fragment(r"∑_\{[a-z](?:\^′)? = #\}", r"\sum_{m=1}^{N} a_{mn}\mathbf{v}_m")
def sums_start_at_the_first_token(first):
    """Weights sum to one over the keys from `first` on, and to less if the first key is left out."""
    weights = _layer().weights
    return 1 <= first <= N and np.allclose(weights[first - 1 :].sum(axis=0), 1)


@fragment(r"bold #", r"\mathbf{1}^\top")
def the_vector_of_ones(entry):
    """The bias stands in every column: Q minus Ω_q X is β_q times a row of ones."""
    return np.allclose(_layer().queries - OMEGA_Q @ X, np.outer(BETA_Q, np.full(N, entry)))


@fragment(r"double-struck #", r"a_m(\mathbb{1}[m = m'] - a_{m'})")
def the_indicator_in_the_softmax_derivative(value):
    """∂a_m/∂s_m' = a_m (1[m = m'] − a_m'), against central differences of the library's softmax."""
    scores, step = np.array([0.3, -1.2, 0.8]), 1e-6
    weights = equations.softmax(scores[:, None])[:, 0]
    claimed = weights[:, None] * (value * np.eye(3) - weights[None, :])
    differences = []
    for shift in step * np.eye(3):
        ahead, behind = (equations.softmax((scores + sign * shift)[:, None])[:, 0] for sign in (1, -1))
        differences.append((ahead - behind) / (2 * step))
    return np.allclose(claimed, np.transpose(differences), atol=1e-8)


@fragment(r"(?:_|= )# , ⋯ ,", r"\mathbf{x}_1, \ldots, \mathbf{x}_N")
def lists_of_tokens_start_at_one(first):
    """All outputs are made of the values of tokens `first` to N, column n being token n."""
    layer = _layer()
    made = sum(np.outer(layer.values[:, n - 1], layer.weights[n - 1]) for n in range(first, N + 1))
    return np.allclose(layer.output, made)


@fragment(r"(?<![\w}#] )# / sqrt", r"1/\sqrt{D_q}")
@fragment(r"frac\{#\}\{sqrt\{D_q", r"\frac{1}{\sqrt{D_q}}")
def the_scale(numerator):
    """Scaled scores are the plain ones times 1/√D_q."""
    return np.allclose(_layer(scaled=True).scores, _layer().scores * numerator / np.sqrt(D_q))


@formula(r"N^2")
def scores_of_a_layer(exponent):
    return _layer().scores.size == N**exponent


@formula(r"O(N^2)", r"\mathcal{O}(N^2)")
def growth_of_the_scores(exponent):
    return scores_of_a_layer(exponent)


@fragment(
    r"Sa_# \( X \).*Sa_H \( X \)",
    r"\begin{bmatrix} \mathrm{Sa}_1(\mathbf{X}) \\ \vdots \\ \mathrm{Sa}_H(\mathbf{X}) \end{bmatrix}",
)
def heads_start_at_one(first):
    """The stack that Ω_c mixes holds the outputs of heads `first` to H, number 1 being the uppermost."""
    parameters = [equations.Head(*_RANDOM_HEADS[:, :, h]) for h in range(2)]
    whole = equations.multi_head(X, parameters, OMEGA_C)
    stack = np.concatenate([whole.heads[h - 1].output for h in range(first, len(parameters) + 1)])
    return stack.shape == whole.stacked.shape and np.allclose(OMEGA_C @ stack, whole.output)


@formula(r"\mathbb{E}[k_i^2]\,\mathbb{E}[q_i^2] = 1")
def variance_of_one_term(key_power, query_power, variance):
    """Var(k_i q_i) = E[k_i²] E[q_i²], also for entries of other spreads; 1 for standard normal entries."""
    k, q = np.random.default_rng(0).standard_normal((2, 200_000))
    claimed = np.mean((2 * k) ** key_power) * np.mean((3 * q) ** query_power)
    product = np.var((2 * k) * (3 * q))
    drawn = equations.variance_of_scores(equations.sample_scores(1, draws=20_000, seed=0))
    return abs(claimed / product - 1) < 0.05 and abs(drawn.mean - variance) <= 5 * drawn.standard_error
