"""Small decoders trained with and without √D_q under the scores (section 4).

The text is that of `number_text`. Query and key maps are drawn
with variance 1/D, which keeps the elements of queries and keys at variance one, or with GPT-2's standard
deviation 0.02. All else is the same. Several times in training every query's gradient is looked at.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import product

import torch
from torch import nn

from transformer_book.experiments.experiment import Grid, Measurement, Outcome
from transformer_book.experiments.number_text import LENGTH, VOCABULARY, number_stream, validation_loss
from transformer_book.experiments.text_stream import window_batches
from transformer_book.models import Decoder, DecoderConfig
from transformer_book.training import TrainingSettings, next_token_loss, train
from transformer_book.training.loop import Batch, BatchSource

WIDTH = 64
LAYERS = 2
STARTS = {"wide": 1 / math.sqrt(WIDTH), "gpt2": 0.02}  # standard deviation of query and key maps
SIZES = {"wide": (16, 64, 256), "gpt2": (64, 256)}  # D_q
DIVISORS = {"scaled": True, "unscaled": False}
SEEDS = (0, 1, 2, 3, 4)
BATCH_SIZE = 8
SETTINGS = TrainingSettings(steps=200, learning_rate=3e-3, warmup=20)
WATCHED = (0, 20, 60, 200)  # steps before which the queries are looked at; the last is after training
QUANTILES = (0.1, 0.5, 0.9, 0.99, 1.0)
PROBED = 16  # windows


@dataclass
class Watch:
    """A loss for `train` that looks at the queries before some of its steps, and keeps what it saw.

    seen: name to one entry for each look (see `look_at_queries`). losses: the mean loss of each batch.
    """

    seen: dict[str, list] = field(default_factory=dict)
    losses: list[float] = field(default_factory=list)

    def loss(self, model: Decoder, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        if len(self.losses) in WATCHED:
            self.look(model)
        total, tokens = next_token_loss(model, batch)
        self.losses.append(total.item() / int(tokens))
        return total, tokens

    def look(self, model: Decoder) -> None:
        for name, value in look_at_queries(model).items():
            self.seen.setdefault(name, []).append(value)


def small_decoder(D_q: int, start: str, *, scaled: bool, seed: int = 0) -> Decoder:
    """Return the untrained decoder with one head of D_q in each layer; start: one of STARTS."""
    torch.manual_seed(seed)
    model = Decoder(
        DecoderConfig(
            vocabulary_size=len(VOCABULARY),
            context_length=LENGTH,
            dim=WIDTH,
            num_layers=LAYERS,
            num_heads=1,
            head_dim=D_q,
            scale=scaled,
            form="written_out",
        )
    )
    for layer in model.layers:
        for matrix in (layer.attention.query, layer.attention.key):
            nn.init.normal_(matrix.weight, std=STARTS[start])
    return model


def text_batches() -> BatchSource:
    """Return a source of windows of the numbers for training."""
    return window_batches(number_stream("train"), LENGTH, BATCH_SIZE)


def query_gradients(model: Decoder, rows: torch.Tensor) -> torch.Tensor:
    """Return the length of the gradient at each query of each layer (layers · B · N,).

    The loss is the sum over the tokens of rows (B, N + 1); it is derived by the query's D_q elements.
    """
    queries: list[torch.Tensor] = []

    def keep(_module: nn.Module, _inputs: tuple, query: torch.Tensor) -> None:
        queries.append(query)

    hooks = [layer.attention.query.register_forward_hook(keep) for layer in model.layers]
    total, _ = next_token_loss(model, {"tokens": rows})
    for hook in hooks:
        hook.remove()
    return torch.cat([g.norm(dim=-1).flatten() for g in torch.autograd.grad(total, queries)])


def look_at_queries(model: Decoder) -> dict[str, float | list[float]]:
    """Return what the queries of the probed windows get and do.

    gradient: QUANTILES of the lengths of `query_gradients`. top: the share that the longest hundredth has in
    the sum of their squares. score: standard deviation of a query's scores, and weight: its largest weight,
    both as means over queries with at least half a window before them.
    """
    rows = number_stream("validation").unfold(0, LENGTH + 1, LENGTH)[:PROBED]  # (B, 33)
    lengths = query_gradients(model, rows)
    squares = lengths.square().sort(descending=True).values
    with torch.no_grad():
        attention = model(rows[:, :-1], return_weights=True).attention
    half = LENGTH // 2
    scores = torch.stack([one.scores[..., half:, :half] for one in attention])  # keys that all of them see
    weights = torch.stack([one.weights[..., half:, :] for one in attention])
    return {
        "gradient": torch.quantile(lengths, torch.tensor(QUANTILES)).tolist(),
        "top": (squares[: len(squares) // 100].sum() / squares.sum()).item(),
        "score": scores.std(dim=-1).mean().item(),
        "weight": weights.amax(dim=-1).mean().item(),
    }


def experiment(D_q: int, start: str, *, scaled: bool) -> Measurement:
    """Return the experiment of one condition: it leaves numbers, and no weights."""

    def measure(seed: int) -> Outcome:
        model, watch = small_decoder(D_q, start, scaled=scaled, seed=seed), Watch()
        train(model, text_batches(), watch.loss, replace(SETTINGS, seed=seed))
        watch.look(model)
        first = watch.losses[: WATCHED[1]]
        values = {"loss": validation_loss(model), "loss_at_first": sum(first) / len(first)}
        return Outcome(values | watch.seen)

    return Measurement(measure=measure, settings=SETTINGS)


def name_of(D_q: int, start: str, divisor: str) -> str:
    """Return the name of a condition, such as wide_64_unscaled."""
    return f"{start}_{D_q}_{divisor}"


GRID = Grid(
    conditions={
        name_of(D_q, start, divisor): experiment(D_q, start, scaled=DIVISORS[divisor])
        for start in STARTS
        for D_q, divisor in product(SIZES[start], DIVISORS)
    },
    seeds=SEEDS,
)
