"""Beam search: keep the few likeliest beginnings at each step, instead of one (section 8)."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_whole
from transformer_book.generation.generate import as_batch, check_call


@dataclass(frozen=True)
class Beams:
    """The likeliest texts found, best first.

    tokens (W, N + T), the prompt first; new_tokens (W, T); log_probabilities (W,) of the new tokens in nats;
    finished (W,), True where a stop token came. After its stop token a row is filled up with it.
    """

    tokens: torch.Tensor
    new_tokens: torch.Tensor
    log_probabilities: torch.Tensor
    finished: torch.Tensor


@torch.no_grad()
def beam_search(
    model,
    prompt: torch.Tensor | Sequence[int],
    max_new_tokens: int,
    *,
    width: int,
    stop_tokens: Sequence[int] = (),
) -> Beams:
    """Continue one prompt (N,) by up to max_new_tokens tokens, keeping the `width` likeliest beginnings.

    At each step every beginning is extended by every token, and the `width` extensions of the largest summed
    log-probability go on; the cache's rows follow them. width 1 is greedy. The sum is not divided by the
    length, so a text that ends early has an advantage. model: as in `stream`. Raises ValueError and TypeError
    as `stream` does, ValueError for more than one prompt and for a width that is not a whole number of at
    least 1 and at most the vocabulary.
    """
    prompt = as_batch(prompt)
    stops = check_call(model, prompt, None, max_new_tokens, stop_tokens)
    if len(prompt) != 1:
        raise ValueError(must_be("prompt", "one text, (N,) or (1, N)", f"{len(prompt)} texts"))
    check_whole("width", width)
    cache = model.new_cache(prompt.shape[1] + max_new_tokens)
    text, tokens = prompt, prompt  # what the model reads next; all so far, (W, N + t)
    total, finished = prompt.new_zeros(1, dtype=torch.float32), prompt.new_zeros(1, dtype=torch.bool)
    for _ in range(max_new_tokens):
        logits = model(text, cache=cache, logits_at="last").logits[:, -1]  # (W, V)
        if width > logits.shape[-1]:
            raise ValueError(must_be("width", f"at most the vocabulary, {logits.shape[-1]}", width))
        dtype = torch.promote_types(logits.dtype, torch.float32)
        steps = logits.log_softmax(dim=-1, dtype=dtype)  # (W, V)
        # A finished text has one extension, its last token once more, and it costs nothing.
        steps[finished] = -torch.inf
        steps[finished, text[finished, -1]] = 0.0
        total, best = (total[:, None] + steps).flatten().topk(width)  # (W,)
        parents, chosen = best // logits.shape[-1], (best % logits.shape[-1]).to(prompt.dtype)
        cache.reorder(parents)
        text = chosen[:, None]
        tokens = torch.cat([tokens[parents], text], dim=1)
        finished = finished[parents] | torch.isin(chosen, stops)
        if len(stops) and bool(finished.all()):
            break
    return Beams(tokens, tokens[:, prompt.shape[1] :], total, finished)
