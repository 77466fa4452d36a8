"""The output layer: a score for every token of the vocabulary, and the loss without holding all of them."""

import torch
import torch.nn.functional as F

from transformer_book.attention.attention_checks import check_beside_weights
from transformer_book.attention.autocast import autocast
from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_whole
from transformer_book.checks.tensors import check_device, check_kind, shapes

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
    Gradients of gradients hold all scores. Raises TypeError for an argument that is not a tensor, ValueError
    when shapes, types or devices do not fit, or a label is outside the vocabulary.
    """
    check_whole("tokens_at_once", tokens_at_once)
    shapes(weight=(weight, "V D"), labels=(labels, "..."), hidden=(hidden, "... D"))
    check_beside_weights("hidden", hidden, weight)
    check_kind("labels", labels, "int64 or int32")
    check_device("labels", labels, weight.device, "the weights")
    hidden, weight = autocast(hidden, weight)
    rows, labels = hidden.reshape(-1, hidden.shape[-1]), labels.flatten().long()
    real = (labels != ignore_index).nonzero().squeeze(1)
    if len(real) < len(labels):  # what is skipped needs no scores
        rows, labels = rows.index_select(0, real), labels.index_select(0, real)
    wrong = labels[(labels < 0) | (labels >= len(weight))]
    if len(wrong):
        wanted = f"numbers from 0 to {len(weight) - 1}, or ignore_index = {ignore_index}"
        raise ValueError(must_be("labels", wanted, int(wrong[0])))
    return _ChunkedCrossEntropy.apply(rows, weight, labels, tokens_at_once)


class _ChunkedCrossEntropy(torch.autograd.Function):
    """The gradient is made during the forward pass, while each chunk's scores are there."""

    @staticmethod
    def forward(ctx, hidden, weight, labels, tokens_at_once):
        wants_hidden, wants_weight = ctx.needs_input_grad[:2]
        total = hidden.new_zeros((), dtype=torch.promote_types(hidden.dtype, torch.float32))
        grad_hidden = torch.empty_like(hidden) if wants_hidden else None
        grad_weight = torch.zeros_like(weight, dtype=total.dtype) if wants_weight else None
        for start in range(0, len(hidden), tokens_at_once):
            rows = slice(start, start + tokens_at_once)
            scores = F.linear(hidden[rows], weight).to(total.dtype)  # (tokens, V)
            log_chances = torch.log_softmax(scores, dim=1)
            total += F.nll_loss(log_chances, labels[rows], reduction="sum")
            if not (wants_hidden or wants_weight):
                continue
            label = labels[rows, None]
            minus_one = torch.full_like(label, -1, dtype=total.dtype)
            gradient = log_chances.exp_().scatter_add_(1, label, minus_one).to(hidden.dtype)
            if wants_hidden:
                torch.mm(gradient, weight, out=grad_hidden[rows])
            if wants_weight:
                _add_product(grad_weight, gradient.T, hidden[rows])
        ctx.save_for_backward(hidden, weight, labels, grad_hidden, grad_weight)
        return total

    @staticmethod
    def backward(ctx, grad):
        hidden, weight, labels, grad_hidden, grad_weight = ctx.saved_tensors
        if torch.is_grad_enabled():  # create_graph=True: the gradients will be differentiated themselves
            gradient = (_gradient_of_scores(hidden, weight, labels) * grad).to(hidden.dtype)
            return gradient @ weight, gradient.T @ hidden, None, None
        return (
            None if grad_hidden is None else (grad_hidden * grad).to(hidden.dtype),
            None if grad_weight is None else (grad_weight * grad).to(weight.dtype),
            None,
            None,
        )


def _add_product(total, left, right):
    """total += left @ right, in total's type: sums of half-precision numbers are kept in float32."""
    if total.dtype == left.dtype:
        total.addmm_(left, right)
    else:
        total.add_(left @ right)


def _gradient_of_scores(hidden, weight, labels):
    """Softmax less 1 at the label, (T, V), for all tokens at once."""
    chances = torch.softmax(F.linear(hidden, weight).to(torch.promote_types(hidden.dtype, torch.float32)), 1)
    return chances - F.one_hot(labels, len(weight))
