"""The page's GPT trained, by steps and seeds: its loss, its poems' form, what its parts are worth.

Sections 8 and 10. One training's weights are kept: the other rows say how far one differs from another.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

from transformer_book.data import load_quatrains
from transformer_book.experiments import quatrains
from transformer_book.experiments.ablations import losses_without
from transformer_book.experiments.experiment import Experiment, Grid, Measurement, Outcome
from transformer_book.experiments.poem_forms import Sampling, form_scores
from transformer_book.models import Decoder
from transformer_book.training import TrainingSettings, train

SEEDS = (0, 1, 2, 3, 4)
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


def measure_gpt(model: Decoder) -> Outcome:
    """Its loss beside uniform guess and bigrams, its poems, and its loss with parts left out.

    gain_bigram: nats by which it is ahead of the bigrams, the mean over unseen poems. form, copied_lines: of
    100 sampled poems, those in form, and the share of their lines that stand in a training poem. share: the
    seven shares of `form_scores`, of 200 poems.
    """
    data = load_quatrains()
    lines = {line for poem in data.train for line in quatrains.lines_of(poem)}
    own, bigram = quatrains.gpt_losses(model, data.validation), quatrains.bigram_losses()
    gains = [one.mean() - other.mean() for one, other in zip(bigram, own, strict=True)]
    values = {
        "parameters": sum(p.numel() for p in model.parameters()),
        "loss_validation": torch.cat(own).mean().item(),
        "loss_train": quatrains.gpt_loss(model, data.train[: len(data.validation)]),
        "loss_uniform": quatrains.uniform_loss(),
        "loss_bigram": torch.cat(bigram).mean().item(),
        "gain_bigram": torch.stack(gains).mean().item(),
        "samples": 100,
    }
    for temperature in quatrains.TEMPERATURES:
        texts = quatrains.sample_poems(model, 100, temperature=temperature, seed=0)
        formed = [text for text in texts if quatrains.has_form(text)]
        copied = sum(line in lines for text in formed for line in quatrains.lines_of(text))
        values[f"form_{temperature}"] = len(formed)
        values[f"copied_lines_{temperature}"] = copied / max(1, 4 * len(formed))
    sampling = Sampling()
    poems = quatrains.sample_poems(model, sampling.poems, temperature=sampling.temperature, seed=0)
    shares = {f"share_{name}": share for name, share in form_scores(poems).items()}
    return Outcome(values | shares | ablation_losses(model, data.validation))


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


GPT = Experiment(start=quatrains.start_gpt, measure=measure_gpt, seeds=SEEDS)
GRID = Grid(conditions={f"steps_{steps}": trained_for(steps) for steps in STEPS}, seeds=SEEDS)
