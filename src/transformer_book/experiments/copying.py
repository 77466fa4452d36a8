"""A decoder of two layers without MLPs that learns to copy (section 6).

The text is a few different tokens, again and again, with another period in each row: to go on, the model has
to look for the present token's earlier copy and read what followed it. One layer cannot do that (Olsson et
al., 2022). Only the repetitions count in the loss: nothing tells what the first round brings.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import nn

from transformer_book.experiments.experiment import Experiment, Grid, Outcome, Training
from transformer_book.experiments.head_scores import induction_scores, previous_token_scores
from transformer_book.models import Decoder, DecoderConfig
from transformer_book.training import TrainingSettings, next_token_loss
from transformer_book.training.loop import Batch

SIGNS = "ABCDEFGHIJKLMNOP"  # of the tokens
LENGTH = 24
PERIODS = (4, 12)  # the shortest and the longest
BATCH_SIZE = 16
CONFIG = DecoderConfig(
    vocabulary_size=len(SIGNS),
    context_length=LENGTH,
    dim=32,
    num_layers=2,
    num_heads=2,
    mlp="none",
    attention_bias=False,
    positions="rotary",
    tie_output=False,
)
SETTINGS = TrainingSettings(steps=300, learning_rate=1e-2, warmup=10, weight_decay=0.0)
SEEDS = (0, 1, 2, 3, 4)
DEVIATIONS = {"embedding": 1.0, "layers": 0.18, "output": 0.1}  # of the initial weights
MEASURED_TEXTS = 32

CHANGES = {
    "whole": {},
    "no_mask": {},
    "no_scale": {"scale": False},
    "no_positions": {"positions": "none"},
    "one_layer": {"num_layers": 1},
}


def make_decoder(condition: str = "whole", seed: int = 0) -> Decoder:
    """Return the untrained decoder of one of CHANGES; large embeddings make tokens differ at once."""
    torch.manual_seed(seed)
    model = Decoder(replace(CONFIG, **CHANGES[condition]))
    for name, parameter in model.named_parameters():
        if parameter.ndim == 2:
            nn.init.normal_(parameter, std=DEVIATIONS[name.split(".")[0]])
    for layer in model.layers:
        layer.attention.causal = condition != "no_mask"
    return model


def repeated_rows(
    generator: torch.Generator, count: int, periods: tuple[int, int] = PERIODS, length: int = LENGTH + 1
) -> Batch:
    """Return rows of tokens (count, length) that repeat themselves, with periods drawn between two bounds.

    The tokens of a round all differ. real (count, length): True at what the first round determines.
    """
    shortest, longest = periods
    period = torch.randint(shortest, longest + 1, (count, 1), generator=generator)
    order = torch.rand(count, len(SIGNS), generator=generator).argsort(dim=1)
    places = torch.arange(length)
    return {"tokens": order.gather(1, places % period), "real": places > period}


@torch.no_grad()
def measure(model: Decoder) -> Outcome:
    """Return what the decoder does with new texts of two rounds.

    loss: nats a token of the second round, of which nothing tells the first. induction, previous: the two
    scores of each head (L, H), means over the texts.
    """
    period = LENGTH // 2
    batch = repeated_rows(torch.Generator().manual_seed(2**40), MEASURED_TEXTS, (period, period))
    total, tokens = next_token_loss(model.eval(), batch)
    seen = model(batch["tokens"][:, :-1], return_weights=True)
    weights = torch.stack([layer.weights for layer in seen.attention], dim=1)  # (B, L, H, N, N)
    return Outcome(
        {
            "loss": (total / tokens).item(),
            "induction": induction_scores(weights, period).mean(dim=0).tolist(),
            "previous": previous_token_scores(weights).mean(dim=0).tolist(),
        }
    )


def experiment(condition: str = "whole") -> Experiment:
    """Return the experiment of one of CHANGES."""

    def start(seed: int) -> Training:
        def batches(generator: torch.Generator) -> Batch:
            return repeated_rows(generator, BATCH_SIZE)

        settings = replace(SETTINGS, seed=seed)
        return Training(make_decoder(condition, seed), batches, next_token_loss, settings)

    return Experiment(start=start, measure=measure, points=30)


GRID = Grid(conditions={condition: experiment(condition) for condition in CHANGES}, seeds=SEEDS)
