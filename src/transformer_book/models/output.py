"""The output layer: a score for every token of the vocabulary, and the loss without holding all of them."""

import torch
import torch.nn.functional as F
from torch.autograd.function import once_differentiable

from transformer_book.checks.numbers import check_whole

TOKENS_AT_ONCE = 512


def vocabulary_logits(hidden: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Score every token: hidden (B, N, D) times weight (V, D) transposed gives logits (B, N, V)."""
    return F.linear(hidden, weight)


def logits_where(final: torch.Tensor, weight: torch.Tensor, logits_at: str) -> torch.Tensor | None:
    """Logits of final (B, N, D) at "all" positions, (B, N, V), at the "last", (B, 1, V), or at "none"."""
    if logits_at == "none":
        return None
    return vocabulary_logits(final if logits_at == "all" else final[:, -1:], weight)


def chunked_cross_entropy(
    hidden: torch.Tensor,
    weight: torch.Tensor,
    labels: torch.Tensor,
    *,
    ignore_index: int = -100,
    tokens_at_once: int = TOKENS_AT_ONCE,
) -> torch.Tensor:
    """Sum of the cross-entropies that `F.cross_entropy(vocabulary_logits(hidden, weight), labels)` averages.

    The scores of a few hundred tokens at a time are made, turned into loss and gradient, and forgotten, so
    memory and time for a (B, N, V) tensor are saved. hidden (B, N, D) or (T, D), weight (V, D), labels (B, N)
    or (T,), ignore_index where there is nothing to predict. tokens_at_once: scores held at one time.
    Raises ValueError when shapes or types do not fit, or a label is outside the vocabulary.
    """
    check_whole("tokens_at_once", tokens_at_once)
    fits = hidden.ndim > 1 and weight.ndim == 2 and hidden.shape[-1] == weight.shape[1]
    if not fits or hidden.shape[:-1] != labels.shape:
        raise ValueError(
            f"hidden has shape {tuple(hidden.shape)}, labels {tuple(labels.shape)} and "
            f"weight {tuple(weight.shape)}, expected (..., D), (...) and (V, D)"
        )
    if labels.dtype not in (torch.int64, torch.int32):
        raise ValueError(f"labels has type {labels.dtype}, expected integers (int64 or int32)")
    if labels.device.type == "cpu":  # on a GPU, looking would make it wait
        wrong = labels[(labels != ignore_index) & ((labels < 0) | (labels >= len(weight)))]
        if len(wrong):
            raise ValueError(
                f"labels holds {int(wrong[0])}, expected numbers of the vocabulary, 0 to {len(weight) - 1}, "
                f"or ignore_index = {ignore_index}"
            )
    rows, labels = hidden.flatten(0, -2), labels.flatten()
    return _ChunkedCrossEntropy.apply(rows, weight, labels, ignore_index, tokens_at_once)


class _ChunkedCrossEntropy(torch.autograd.Function):
    """The gradient is made during the forward pass, while each chunk's scores are there."""

    @staticmethod
    def forward(ctx, hidden, weight, labels, ignore_index, tokens_at_once):
        wanted = ctx.needs_input_grad
        grad_hidden = torch.empty_like(hidden) if wanted[0] else None
        grad_weight = torch.zeros_like(weight) if wanted[1] else None
        total = hidden.new_zeros((), dtype=torch.float64 if hidden.dtype == torch.float64 else torch.float32)
        for start in range(0, len(hidden), tokens_at_once):
            rows = slice(start, start + tokens_at_once)
            scores = F.linear(hidden[rows], weight).to(total.dtype)  # (tokens, V)
            real = labels[rows] != ignore_index
            label = labels[rows].where(real, 0)[:, None]
            of_label = scores.gather(1, label)
            # softmax in place: the scores become probabilities, then the gradient.
            largest = scores.amax(dim=1, keepdim=True)
            sums = scores.sub_(largest).exp_().sum(dim=1, keepdim=True)
            losses = sums.log().add_(largest).sub_(of_label).squeeze(1)
            total += losses.masked_fill_(~real, 0.0).sum()
            if not any(wanted[:2]):
                continue
            scores.div_(sums).scatter_add_(1, label, -torch.ones_like(of_label)).mul_(real[:, None])
            gradient = scores.to(hidden.dtype)
            if wanted[0]:
                torch.mm(gradient, weight, out=grad_hidden[rows])
            if wanted[1]:
                grad_weight.addmm_(gradient.T, hidden[rows])
        ctx.save_for_backward(grad_hidden, grad_weight)
        return total

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        grad_hidden, grad_weight = ctx.saved_tensors
        return (
            None if grad_hidden is None else grad_hidden * grad.to(grad_hidden.dtype),
            None if grad_weight is None else grad_weight * grad.to(grad_weight.dtype),
            None,
            None,
            None,
        )
