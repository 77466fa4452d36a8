"""Which token next: from scores to probabilities to one draw."""

import math

import torch

_COLDEST = 1e-6


def next_token_probabilities(
    logits: torch.Tensor,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> torch.Tensor:
    """Turn logits (B, V) into the probabilities (B, V) to draw from.

    temperature divides the logits; 0 is greedy, all probability on the largest. top_k keeps the k largest
    (Fan et al., 2018); top_p then keeps the fewest whose probabilities reach p (Holtzman et al., 2020); what
    is kept is scaled to sum 1. Raises ValueError for numbers out of range.
    """
    check_options(temperature, top_k, top_p)
    if temperature == 0:
        best = logits.argmax(dim=-1, keepdim=True)
        return torch.zeros_like(logits, dtype=torch.float32).scatter_(-1, best, 1.0)
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32)) / temperature
    if top_k is not None and top_k < logits.shape[-1]:
        kept = logits.topk(top_k, dim=-1)
        logits = torch.full_like(logits, float("-inf")).scatter_(-1, kept.indices, kept.values)
    probabilities = torch.softmax(logits, dim=-1)
    return probabilities if top_p is None else _nucleus(probabilities, top_p)


def check_options(temperature: float, top_k: int | None, top_p: float | None):
    """Raise ValueError for a temperature, top_k or top_p out of range."""
    # Scores divided by less than this would overflow, and every draw would be token 0.
    if temperature != 0 and not _COLDEST <= temperature < math.inf:
        raise ValueError(f"temperature is {temperature}, expected 0 (greedy) or at least {_COLDEST}")
    if top_k is not None and top_k < 1:
        raise ValueError(f"top_k is {top_k}, expected at least 1 token")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p is {top_p}, expected a probability above 0 and up to 1")


def choose(
    logits: torch.Tensor, *, temperature: float, generator: torch.Generator | None = None, **options
) -> torch.Tensor:
    """Choose each text's next token (B,) from logits (B, V): the largest at temperature 0, else a draw."""
    if temperature == 0:
        return logits.argmax(dim=-1)
    return sample(next_token_probabilities(logits, temperature=temperature, **options), generator)


def _nucleus(probabilities, top_p):
    ordered, order = probabilities.sort(dim=-1, descending=True, stable=True)
    before = ordered.cumsum(dim=-1) - ordered  # what the likelier tokens have together
    ordered = ordered.masked_fill(before >= top_p, 0.0)
    kept = torch.zeros_like(probabilities).scatter_(-1, order, ordered)
    return kept / kept.sum(dim=-1, keepdim=True)


def sample(probabilities: torch.Tensor, generator: torch.Generator | None = None) -> torch.Tensor:
    """Draw one token from each row of probabilities (B, V), giving (B,).

    One uniform number a row is drawn on the CPU and looked up in the cumulative sum, so a seed gives the same
    tokens on every device, as far as the probabilities agree. Raises ValueError for another shape, and for
    a row without a positive sum, which is what scores with NaN lead to.
    """
    if probabilities.ndim != 2:
        raise ValueError(
            f"probabilities has shape {tuple(probabilities.shape)}, expected (batch, vocabulary)"
        )
    cumulative = probabilities.double().cpu().cumsum(dim=-1)
    if not bool((cumulative[:, -1] > 0).all()):
        raise ValueError(
            "probabilities holds a row that is NaN or sums to 0, expected a distribution in each row"
        )
    level = torch.rand(len(cumulative), 1, dtype=torch.float64, generator=generator) * cumulative[:, -1:]
    token = torch.searchsorted(cumulative, level, right=True)
    # Rounding may put the level on the very end; the last token with any probability owns it.
    last = (cumulative < cumulative[:, -1:]).sum(dim=-1, keepdim=True)
    return torch.minimum(token, last).squeeze(-1).to(probabilities.device)
