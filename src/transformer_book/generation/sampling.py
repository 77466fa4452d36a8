"""Which token next: from scores to probabilities to one draw."""

import math
import numbers

import torch

from transformer_book.checks.numbers import check_whole, is_number
from transformer_book.checks.tensors import check_tensor

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
    is kept is scaled to sum 1. Raises ValueError for numbers out of range, TypeError for what is no tensor.
    """
    check_tensor("logits", logits, "(batch, vocabulary)")
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
    if not is_number(temperature) or (temperature != 0 and temperature < _COLDEST):
        raise ValueError(f"temperature is {temperature!r}, expected 0 (greedy) or at least {_COLDEST}")
    if top_k is not None:
        check_whole("top_k", top_k)
    if top_p is not None and not (is_number(top_p) and 0 < top_p <= 1):
        raise ValueError(f"top_p is {top_p!r}, expected a probability above 0 and up to 1")


def as_generator(generator: torch.Generator | int | None) -> torch.Generator | None:
    """Return a CPU generator for a seed, and a generator or None as it is; TypeError for anything else."""
    if isinstance(generator, numbers.Integral) and not isinstance(generator, bool):
        return torch.Generator().manual_seed(int(generator))
    if generator is not None and not isinstance(generator, torch.Generator):
        raise TypeError(
            f"generator is a {type(generator).__name__}, expected a torch.Generator, a seed or None"
        )
    return generator


def choose(
    logits: torch.Tensor, *, temperature: float, generator: torch.Generator | None = None, **options
) -> torch.Tensor:
    """Choose each text's next token (B,) from logits (B, V): the largest at temperature 0, else a draw.

    Raises ValueError for scores with NaN, of which none is the largest.
    """
    if temperature == 0:
        largest, token = logits.max(dim=-1)  # NaN counts as largest
        if any(map(math.isnan, largest.tolist())):
            raise ValueError("logits holds NaN, expected numbers of which one is the largest")
        return token
    return sample(next_token_probabilities(logits, temperature=temperature, **options), generator)


def _nucleus(probabilities, top_p):
    ordered, order = probabilities.sort(dim=-1, descending=True, stable=True)
    before = ordered.cumsum(dim=-1) - ordered  # what the likelier tokens have together
    ordered = ordered.masked_fill(before >= top_p, 0.0)
    kept = torch.zeros_like(probabilities).scatter_(-1, order, ordered)
    return kept / kept.sum(dim=-1, keepdim=True)


def sample(probabilities: torch.Tensor, generator: torch.Generator | int | None = None) -> torch.Tensor:
    """Draw one token from each row of probabilities (B, V), giving (B,).

    One uniform number a row is drawn on the CPU and looked up in the cumulative sum, so a seed gives the same
    tokens on every device, as far as the probabilities agree. generator: on the CPU, or a seed. Raises
    TypeError for what is no tensor, ValueError for another shape or a row that is no distribution, which is
    what scores with NaN lead to.
    """
    check_tensor("probabilities", probabilities, "(batch, vocabulary)")
    generator = as_generator(generator)
    if probabilities.ndim != 2 or probabilities.shape[1] == 0:
        raise ValueError(
            f"probabilities has shape {tuple(probabilities.shape)}, expected (batch, vocabulary)"
        )
    cumulative = probabilities.double().cpu().cumsum(dim=-1)
    total = cumulative[:, -1]
    if not bool(((total > 0) & total.isfinite()).all()) or bool((probabilities < 0).any()):
        raise ValueError(
            "probabilities holds a row that is NaN, negative or sums to 0; expected distributions"
        )
    level = torch.rand(len(cumulative), 1, dtype=torch.float64, generator=generator) * cumulative[:, -1:]
    token = torch.searchsorted(cumulative, level, right=True)
    # Rounding may put the level on the very end; the last token with any probability owns it.
    last = (cumulative < cumulative[:, -1:]).sum(dim=-1, keepdim=True)
    return torch.minimum(token, last).squeeze(-1).to(probabilities.device)
