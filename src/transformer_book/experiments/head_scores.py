"""What the heads of a model do, as one number per head: two patterns known from real models (section 6)."""

from __future__ import annotations

import torch
from torch import nn


@torch.no_grad()
def attention_weights(model: nn.Module, ids: list[int]) -> torch.Tensor:
    """Return the weights of every layer and head on one text (L, H, N, N), on the CPU; rows are queries."""
    device = next(model.parameters()).device
    output = model(torch.tensor([ids], device=device), return_weights=True)
    return torch.stack([layer.weights[0] for layer in output.attention]).cpu()


def previous_token_scores(weights: torch.Tensor) -> torch.Tensor:
    """Mean weight on the token right before the query (L, H), over all queries that have one."""
    return torch.diagonal(weights, offset=-1, dim1=-2, dim2=-1).mean(dim=-1)


def induction_scores(weights: torch.Tensor, period: int) -> torch.Tensor:
    """Mean weight on the token that followed the query's earlier copy (L, H), in a text that repeats itself.

    period: tokens until the text starts again; the queries are those of the repetitions. A head of score 1
    continues what it has seen before (Olsson et al., 2022).
    """
    followers = torch.diagonal(weights, offset=1 - period, dim1=-2, dim2=-1)  # key n - period + 1
    return followers[..., 1:].mean(dim=-1)  # the first of them belongs to the end of the first round


def repeated_tokens(vocabulary_size: int, period: int, rounds: int = 2, seed: int = 0) -> list[int]:
    """Return random ids, the same ones again and again: nothing but the repetition can be predicted."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(vocabulary_size, (period,), generator=generator).tolist() * rounds


@torch.no_grad()
def loss_by_position(model: nn.Module, ids: list[int]) -> torch.Tensor:
    """Return a decoder's loss in nats at each token but the first (N - 1,), on the CPU."""
    tokens = torch.tensor([ids], device=next(model.parameters()).device)
    logits = model(tokens[:, :-1]).logits[0]
    return nn.functional.cross_entropy(logits, tokens[0, 1:], reduction="none").cpu()


@torch.no_grad()
def copied_tokens(model: nn.Module, ids: list[int], period: int) -> torch.Tensor:
    """Say of each token of the second round but its first (period - 1,) whether the decoder copies it.

    That is, whether it gets the largest score among the tokens of the first round: guessing among those
    alone is right for one in `period`. ids: two rounds of different tokens.
    """
    tokens = torch.tensor([ids], device=next(model.parameters()).device)
    scores = model(tokens).logits[0, period:-1][:, ids[:period]]  # (period - 1, period)
    return scores.argmax(dim=-1).cpu() == torch.arange(1, period)
