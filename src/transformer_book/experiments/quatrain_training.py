"""The page's GPT trained anew, by steps and seeds: its loss, its poems' form, what its parts are worth.

Sections 8 and 10. No weights are kept: the rows say how far one training differs from another.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import nn

from transformer_book.data import load_quatrains
from transformer_book.experiments import quatrains
from transformer_book.experiments.ablations import losses_without
from transformer_book.experiments.experiment import Grid, Measurement, Outcome
from transformer_book.experiments.poem_forms import Sampling, form_scores
from transformer_book.training import TrainingSettings, train

SEEDS = (0, 1, 2)
STEPS = (30, 100, 300)
FIRST_LOSSES = 10  # kept of the first seed's training, so that a test can repeat them
ABLATIONS = (
    ("attention", False),
    ("mlp", False),
    ("residual", False),
    ("attention", True),
    ("mlp", True),
)  # the part left out, and whether its mean is put in its place


@dataclass(frozen=True)
class TrainedAnew:
    """How a GPT is trained from the start, and the poems that it then writes."""

    training: TrainingSettings
    sampling: Sampling


def ablation_losses(model: nn.Module, poems: list[str]) -> dict[str, float]:
    """Return the mean loss of poems in nats, with nothing left out and with each of ABLATIONS."""
    tokens = quatrains.poem_tokens(poems)
    real = tokens != quatrains.PAD
    losses = {"without_nothing": losses_without(model, tokens, real, "nothing")}
    for part, mean in ABLATIONS:
        name = f"mean_{part}" if mean else f"without_{part}"
        losses[name] = losses_without(model, tokens, real, part, mean=mean)
    return {name: loss.mean().item() for name, loss in losses.items()}


def trained_for(steps: int) -> Measurement:
    """Return the measure of a GPT trained for `steps`; the seed is its training's and its sampling's."""
    settings = TrainedAnew(quatrains.gpt_settings(steps), Sampling())

    def measure(seed: int) -> Outcome:
        training, sampling = quatrains.start_gpt(seed, settings.training), settings.sampling
        losses = train(training.model, training.batches, training.loss, training.settings).losses
        options = {"temperature": sampling.temperature, "seed": seed}
        poems = quatrains.sample_poems(training.model, sampling.poems, **options)
        unseen = load_quatrains().validation
        values = {"loss": quatrains.gpt_loss(training.model, unseen), **form_scores(poems)}
        parts = ablation_losses(training.model, unseen)
        return Outcome(values | parts, {"loss": losses[:FIRST_LOSSES]})

    return Measurement(measure=measure, settings=settings)


GRID = Grid(conditions={f"steps_{steps}": trained_for(steps) for steps in STEPS}, seeds=SEEDS)
