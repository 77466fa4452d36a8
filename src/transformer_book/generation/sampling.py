"""Which token next: from scores to probabilities to one draw."""

import math
import numbers

import torch

from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_whole, is_number
from transformer_book.checks.tensors import shapes

_COLDEST = 1e-6


def next_token_probabilities(
    logits: torch.Tensor, *, temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None
) -> torch.Tensor:
    """Turn logits (B, V) into the probabilities (B, V) to draw from.

    temperature divides the logits; 0 is greedy, all probability on the largest. top_k keeps the k largest
    (Fan et al., 2018), of equal ones those with the smallest numbers; top_p then keeps the fewest whose
    probabilities reach p (Holtzman et al., 2020); what is kept is scaled to sum 1. Raises ValueError for
    numbers out of range and logits without a largest, TypeError for logits that are not a tensor.
    """
    sizes = shapes(logits=(logits, "B V"))
    if not sizes["V"]:
        raise ValueError(must_be("logits", "of at least 1 token", tuple(logits.shape)))
    check_options(temperature, top_k, top_p)
    best = _largest(logits)
    if temperature == 0:
        dtype = torch.promote_types(logits.dtype, torch.float32)
        return torch.zeros_like(logits, dtype=dtype).scatter_(-1, best[:, None], 1.0)
    return _probabilities(logits, temperature, top_k, top_p)


def check_options(temperature: float, top_k: int | None, top_p: float | None):
    """Raise ValueError for a temperature, top_k or top_p out of range."""
    # Scores divided by less than this would overflow, and every draw would be token 0.
    if not is_number(temperature) or (temperature != 0 and temperature < _COLDEST):
        raise ValueError(must_be("temperature", f"0 (greedy) or at least {_COLDEST}", repr(temperature)))
    if top_k is not None:
        check_whole("top_k", top_k)
    if top_p is not None and not (is_number(top_p) and 0 < top_p <= 1):
        raise ValueError(must_be("top_p", "a number above 0 and up to 1", repr(top_p)))


def as_generator(generator: torch.Generator | int | None) -> torch.Generator | None:
    """Return a CPU generator for a seed, and a generator or None as it is; TypeError for anything else.

    Raises ValueError for a seed of more than 64 bits.
    """
    if isinstance(generator, numbers.Integral) and not isinstance(generator, bool):
        if not -(2**63) <= generator < 2**64:
            raise ValueError(must_be("a seed", "a number of 64 bits", generator))
        return torch.Generator().manual_seed(int(generator))
    if generator is not None and not isinstance(generator, torch.Generator):
        wanted = "a torch.Generator, a seed or None"
        raise TypeError(must_be("generator", wanted, f"a {type(generator).__name__}"))
    return generator


def choose(
    logits: torch.Tensor,
    *,
    temperature: float,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: torch.Generator | None = None,
) -> torch.Tensor:
    """Choose each text's next token (B,) from logits (B, V): the largest at temperature 0, else a draw.

    The options are those of `next_token_probabilities`, checked before. Raises ValueError for logits without
    a largest.
    """
    best = _largest(logits)
    return best if temperature == 0 else _draw(_probabilities(logits, temperature, top_k, top_p), generator)


def sample(probabilities: torch.Tensor, generator: torch.Generator | int | None = None) -> torch.Tensor:
    """Draw one token from each row of probabilities (B, V), giving (B,).

    One uniform number per row is drawn on the CPU and looked up in the cumulative sum, so a seed gives the
    same tokens on every device, as far as the probabilities agree. generator: on the CPU, or a seed. Raises
    TypeError for probabilities that are not a tensor, ValueError for another shape or a row that is not a
    distribution.
    """
    sizes = shapes(probabilities=(probabilities, "B V"))
    total = probabilities.sum(dim=-1)
    if not sizes["V"] or not bool(((total > 0) & total.isfinite() & (probabilities >= 0).all(dim=-1)).all()):
        raise ValueError(must_be("probabilities", "distributions", "a row that is NaN, negative or all 0"))
    return _draw(probabilities, as_generator(generator))


def _largest(logits):
    """The number of the largest logit of each text (B,), of equal ones the first."""
    largest, token = logits.max(dim=-1)  # NaN counts as largest
    found = largest.tolist()
    if not all(map(math.isfinite, found)):
        raise ValueError(must_be("logits", "numbers with a finite largest", found))
    return token


def _probabilities(logits, temperature, top_k, top_p):
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    # The largest becomes 0, so that a small temperature makes no score too large for its type.
    logits = (logits - logits.amax(dim=-1, keepdim=True)) / temperature
    if top_k is not None and top_k < logits.shape[-1]:
        logits = logits.masked_fill(~_largest_k(logits, top_k), float("-inf"))
    probabilities = torch.softmax(logits, dim=-1)
    return probabilities if top_p in (None, 1) else _nucleus(probabilities, top_p)


def _largest_k(logits, k):
    """True at the k largest logits of each text, (B, V); of equal ones the first are taken."""
    least = logits.topk(k, dim=-1).values[:, -1:]
    above, equal = logits > least, logits == least
    left = k - above.sum(dim=-1, keepdim=True)
    return above | (equal & (equal.cumsum(dim=-1) <= left))


def _nucleus(probabilities, top_p):
    """Keep the fewest likely tokens that reach top_p together, as far as the probabilities are exact."""
    ordered, order = probabilities.sort(dim=-1, descending=True, stable=True)
    exact = ordered.double()
    before = exact.cumsum(dim=-1) - exact  # what the likelier tokens have together
    enough = before >= top_p - torch.finfo(probabilities.dtype).eps
    enough[:, 0] = False  # the likeliest token stays, however small top_p is
    ordered = ordered.masked_fill(enough, 0.0)
    kept = torch.zeros_like(probabilities).scatter_(-1, order, ordered)
    return kept / kept.sum(dim=-1, keepdim=True)


def _draw(probabilities, generator):
    cumulative = probabilities.double().cpu().cumsum(dim=-1)
    level = torch.rand(len(cumulative), 1, dtype=torch.float64, generator=generator) * cumulative[:, -1:]
    token = torch.searchsorted(cumulative, level, right=True)
    # Rounding may put the level on the very end; the last token with any probability owns it.
    last = (cumulative < cumulative[:, -1:]).sum(dim=-1, keepdim=True)
    return torch.minimum(token, last).squeeze(-1).to(probabilities.device)
