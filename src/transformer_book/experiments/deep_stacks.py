"""Pre-norm and post-norm stacks, trained deep with AdamW and with SGD (section 7; Xiong et al., 2020).

The same decoder and data each time; weights are drawn by Glorot's rule, as in that paper. The text is
`三千零七=3007`, one number after another: what follows the sign can be worked out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import torch
from torch import nn

from transformer_book.experiments.experiment import Grid, Measurement, Outcome
from transformer_book.experiments.number_text import (
    LENGTH,
    VOCABULARY,
    number_stream,
    validation_loss,
)
from transformer_book.experiments.text_stream import window_batches
from transformer_book.models import Decoder, DecoderConfig
from transformer_book.training import next_token_loss

DEPTH = 12
DIM = 32
SEEDS = (0, 1, 2, 3, 4)
PLACEMENTS = ("pre", "post")
MATRICES = {
    "query": "attention.query",
    "key": "attention.key",
    "value": "attention.value",
    "output": "attention.output",
    "expand": "mlp.expand",
    "contract": "mlp.contract",
}


@dataclass(frozen=True, kw_only=True)
class StackSettings:
    """How a stack is trained: a constant learning rate after its warm-up, no clipping, no weight decay."""

    placement: str
    optimizer: str
    learning_rate: float
    warmup: int
    steps: int = 200
    batch_size: int = 8
    betas: tuple[float, float] = (0.9, 0.98)  # of AdamW


RATES = {"adamw": 1e-3, "sgd": 0.1}
CONDITIONS = {
    f"{placement}_{optimizer}_{warmup}": StackSettings(
        placement=placement, optimizer=optimizer, learning_rate=rate, warmup=warmup
    )
    for placement, warmup in (("pre", 0), ("post", 0), ("post", 100))
    for optimizer, rate in RATES.items()
}


def deep_decoder(placement: str, seed: int = 0, depth: int = DEPTH) -> Decoder:
    """Return a decoder with Glorot-uniform matrices and zero biases in its layers."""
    torch.manual_seed(seed)
    model = Decoder(
        DecoderConfig(
            vocabulary_size=len(VOCABULARY),
            context_length=LENGTH,
            dim=DIM,
            num_layers=depth,
            num_heads=4,
            norm_placement=placement,
        )
    )
    for name, parameter in model.layers.named_parameters():
        if parameter.ndim == 2:
            nn.init.xavier_uniform_(parameter)
        elif name.endswith("bias"):
            nn.init.zeros_(parameter)
    return model


@torch.no_grad()
def differences(model: Decoder) -> list[float]:
    """Return how much the positions of a window differ: after the embedding, and after each layer.

    That is the share of the vectors' mean square that is left when the mean over each window is taken away,
    of normalised vectors, over the first 32 windows of the validation numbers: 0 means that all positions of
    a window are one vector.
    """
    rows = number_stream("validation").unfold(0, LENGTH, LENGTH)[:32]  # (W, 32)
    return [difference(hidden) for hidden in model.eval()(rows, return_hidden=True).hidden]


def difference(vectors: torch.Tensor) -> float:
    """Return the share of the mean square of normalised vectors (W, N, D) that the means over N leave."""
    x = nn.functional.layer_norm(vectors, vectors.shape[-1:])
    return ((x - x.mean(dim=1, keepdim=True)).square().mean() / x.square().mean()).item()


@torch.no_grad()
def weaken(model: Decoder, part: str, factor: float) -> Decoder:
    """Multiply what one part of every layer adds, "attention" or "mlp", by the factor; its biases are zero.

    With 0 that part is silent: without attention each position is worked on alone.
    """
    last = {"attention": MATRICES["output"], "mlp": MATRICES["contract"]}[part]
    for layer in model.layers:
        layer.get_submodule(last).weight.mul_(factor)
    return model


def gradients(model: Decoder, windows: int = 16) -> dict[str, list[float]]:
    """Return, for each kind of matrix, the gradient's norm in each layer (L,), for the first windows."""
    model.train()
    rows = number_stream("train").unfold(0, LENGTH + 1, LENGTH)[:windows]
    total, count = next_token_loss(model, {"tokens": rows})
    (total / count).backward()
    norms = {
        kind: [layer.get_submodule(place).weight.grad.norm().item() for layer in model.layers]
        for kind, place in MATRICES.items()
    }
    model.zero_grad(set_to_none=True)
    return norms


def train_stack(settings: StackSettings, seed: int, steps: int | None = None) -> tuple[Decoder, list[float]]:
    """Return the trained decoder and the loss before each update; `steps` ends the training earlier."""
    model = deep_decoder(settings.placement, seed)
    draw = window_batches(number_stream("train"), LENGTH, settings.batch_size)
    if settings.optimizer == "sgd":
        optimizer = torch.optim.SGD(model.parameters(), lr=settings.learning_rate)
    else:
        optimizer = torch.optim.AdamW(model.parameters(), betas=settings.betas, weight_decay=0.0, fused=True)
    losses = []
    for step in range(settings.steps if steps is None else steps):
        rise = min(1.0, (step + 1) / max(1, settings.warmup))
        optimizer.param_groups[0]["lr"] = settings.learning_rate * rise
        total, count = next_token_loss(model, draw(torch.Generator().manual_seed(seed * 1_000_003 + step)))
        loss = total / count
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return model, losses


def measure(settings: StackSettings, seed: int) -> Outcome:
    """Train, and return the loss, how much positions still differ, and the gradients of query matrices."""
    model, losses = train_stack(settings, seed)
    values = {
        "loss": validation_loss(model),
        "difference": differences(model)[-1],
        "query_gradients": gradients(model)["query"],  # (L,)
    }
    points = torch.tensor(losses).unflatten(0, (-1, 10)).mean(dim=1)  # ten updates a point
    return Outcome(values, {"loss": points.tolist()})


GRID = Grid(
    conditions={
        name: Measurement(measure=partial(measure, settings), settings=settings)
        for name, settings in CONDITIONS.items()
    },
    seeds=SEEDS,
)
