"""Formulas of sections 2 to 4: sums, the vector of ones, costs, scaling and the softmax derivative."""

import numpy as np

from book_tools.audit.formulas import formula, fragment, same
from transformer_book import equations

_RANDOM = np.random.default_rng(0)
D, D_q, N = 5, 3, 4
X = _RANDOM.normal(size=(D, N))
OMEGA_Q, OMEGA_K = _RANDOM.normal(size=(2, D_q, D))
OMEGA_V = _RANDOM.normal(size=(D, D))
BETA_Q, BETA_K = _RANDOM.normal(size=(2, D_q))
BETA_V = _RANDOM.normal(size=D)
OMEGA_C, _RANDOM_HEADS = _RANDOM.normal(size=(D, 4)), _RANDOM.normal(size=(3, 2, 2, D))


def _softmax(scores):
    """Return the library's weights of one query, computed beside another one's."""
    both = np.stack([scores, -scores], axis=1)  # (N, 2)
    return same(equations.softmax(both), np.exp(both) / np.exp(both).sum(axis=0))[:, 0]


def _layer(scaled=False):
    layer = equations.self_attention(X, OMEGA_Q, OMEGA_K, OMEGA_V, BETA_Q, BETA_K, BETA_V, scaled=scaled)
    return _held(layer, OMEGA_Q, OMEGA_K, OMEGA_V, BETA_Q, BETA_K, BETA_V, scaled)


def _held(layer, Omega_q, Omega_k, Omega_v, beta_q=0, beta_k=0, beta_v=0, scaled=False):
    """Return the library's layer, held to its equations (12.1) to (12.5)."""
    maps = ((Omega_q, beta_q), (Omega_k, beta_k), (Omega_v, beta_v))
    Q, K, V = (Omega @ X + np.reshape(beta, (-1, 1)) for Omega, beta in maps)
    S = K.T @ Q / (np.sqrt(len(Q)) if scaled else 1)
    A = np.exp(S) / np.exp(S).sum(axis=0)
    for computed, own in zip(
        (layer.queries, layer.keys, layer.values, layer.scores, layer.weights, layer.output),
        (Q, K, V, S, A, V @ A),
        strict=True,
    ):
        same(computed, own)
    return layer


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
    weights = _softmax(scores)
    claimed = weights[:, None] * (value * np.eye(3) - weights[None, :])
    differences = []
    for shift in step * np.eye(3):
        ahead, behind = (_softmax(scores + sign * shift) for sign in (1, -1))
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
    for head, (Omega_q, Omega_k, Omega_v) in zip(whole.heads, np.moveaxis(_RANDOM_HEADS, 2, 0), strict=True):
        _held(head, Omega_q, Omega_k, Omega_v, scaled=True)
    stack = np.concatenate([whole.heads[h - 1].output for h in range(first, len(parameters) + 1)])
    return stack.shape == whole.stacked.shape and np.allclose(OMEGA_C @ stack, whole.output)


@formula(r"\mathbb{E}[k_i^2]\,\mathbb{E}[q_i^2] = 1")
def variance_of_one_term(key_power, query_power, variance):
    """Var(k_i q_i) = E[k_i²] E[q_i²], also for entries of other spreads; 1 for standard normal entries."""
    k, q = np.random.default_rng(0).standard_normal((2, 200_000))
    claimed = np.mean((2 * k) ** key_power) * np.mean((3 * q) ** query_power)
    product = np.var((2 * k) * (3 * q))
    random, draws = np.random.default_rng(0), 2_000
    own = random.standard_normal(draws) * random.standard_normal(draws)
    scores = same(equations.sample_scores(1, draws, seed=0), own[None])
    drawn = equations.variance_of_scores(scores)
    error = same(drawn.standard_error, np.std(own**2, ddof=1) / np.sqrt(draws))
    return (
        abs(claimed / product - 1) < 0.05 and abs(same(drawn.mean, np.mean(own**2)) - variance) <= 3 * error
    )
