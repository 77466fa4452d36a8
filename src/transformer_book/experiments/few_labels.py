"""Sentences classified with few labels: a pretrained model against the same one from scratch (section 8).

Pretraining predicts the next character of the training reviews, whose labels nobody looks at. Fine-tuning
takes the causal mask out and sees a few labelled sentences. Counting characters is the baseline: logistic
regression on which of them occur.
"""

from __future__ import annotations

import copy
import functools
from dataclasses import replace

import torch
from torch import nn

from transformer_book.data import load_reviews
from transformer_book.experiments.experiment import Grid, Measurement, Outcome, random_rows
from transformer_book.experiments.masked_poems import two_way
from transformer_book.experiments.reviews import PAD, UNKNOWN, VOCABULARY, review_scores, review_tokens
from transformer_book.models import Decoder, DecoderConfig, DecoderOutput
from transformer_book.training import TrainingSettings, class_loss, next_token_loss, train

SEEDS = (0, 1, 2, 3, 4)
LABELS = (20, 100, 500)
CONFIG = DecoderConfig(
    vocabulary_size=len(VOCABULARY),
    context_length=40,
    dim=64,
    num_layers=2,
    num_heads=4,
    positions="rotary",
    dropout=0.1,
)
BATCH_SIZE = 32
PRETRAINING = TrainingSettings(steps=300, learning_rate=4e-3, warmup=50, progress=False)
FINE_TUNING = TrainingSettings(steps=60, learning_rate=2e-3, warmup=10, progress=False)


class MeanClassifier(nn.Module):
    """A decoder without its causal mask, the mean of its vectors, and a map to the logits (B, 2)."""

    def __init__(self, body: Decoder):
        super().__init__()
        self.body = two_way(body)
        self.answer = nn.Linear(body.config.dim, 2)

    def forward(self, tokens: torch.Tensor) -> DecoderOutput:
        """Classify tokens (B, N); padding does not count."""
        real = tokens != PAD
        final = self.body(tokens, padding=real, logits_at="none").final  # (B, N, D)
        mean = (final * real[..., None]).sum(dim=1) / real.sum(dim=1, keepdim=True)
        return DecoderOutput(self.answer(mean), final)


def untrained(seed: int) -> Decoder:
    """Return the model as it starts."""
    torch.manual_seed(seed)
    return Decoder(CONFIG)


@functools.cache
def pretrained(seed: int) -> Decoder:
    """Return the model that has learnt the next character; the sentences' labels are not used."""
    model, tokens = untrained(seed), review_tokens(load_reviews().train)
    batches = random_rows({"tokens": tokens, "real": tokens != PAD}, BATCH_SIZE)
    train(model, batches, next_token_loss, replace(PRETRAINING, seed=seed))
    return model


def labelled(number: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return tokens (number, 40) and labels of training sentences, half of them positive."""
    data = load_reviews()
    labels = torch.tensor(data.train_labels)
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(seed))
    halves = [order[labels[order] == label][: number // 2] for label in (0, 1)]
    chosen = torch.cat(halves)
    return review_tokens([data.train[k] for k in chosen.tolist()]), labels[chosen]


def accuracy(model: MeanClassifier) -> float:
    """Return the share of test sentences whose label the model gives."""
    data = load_reviews()
    return review_scores(model, data.test, data.test_labels)["accuracy"]


def fine_tuned(body: Decoder, number: int, seed: int) -> MeanClassifier:
    """Return a classifier around a copy of `body`, trained on `number` labelled sentences."""
    torch.manual_seed(seed)
    model = MeanClassifier(copy.deepcopy(body))
    tokens, labels = labelled(number, seed)
    batches = random_rows({"inputs": tokens, "labels": labels}, BATCH_SIZE)
    train(model, batches, class_loss, replace(FINE_TUNING, seed=seed))
    return model


def counting_accuracy(number: int, seed: int) -> float:
    """Return the same of logistic regression on which characters occur in a sentence."""
    from sklearn.linear_model import LogisticRegression

    def occurring(tokens: torch.Tensor) -> torch.Tensor:
        return torch.zeros(len(tokens), len(VOCABULARY)).scatter_(1, tokens, 1.0)[:, UNKNOWN + 1 :]

    data = load_reviews()
    tokens, labels = labelled(number, seed)
    fit = LogisticRegression(max_iter=1000).fit(occurring(tokens), labels)
    return float(fit.score(occurring(review_tokens(data.test)), data.test_labels))


def with_body(start, number: int) -> Measurement:
    """Return the measure of fine-tuning what `start` makes of a seed."""
    return Measurement(
        measure=lambda seed: Outcome({"accuracy": accuracy(fine_tuned(start(seed), number, seed))}),
        settings=FINE_TUNING,
    )


def by_counting(number: int) -> Measurement:
    """Return the measure of the baseline."""
    return Measurement(
        measure=lambda seed: Outcome({"accuracy": counting_accuracy(number, seed)}), settings=FINE_TUNING
    )


GRID = Grid(
    conditions={
        **{f"counting_{number}": by_counting(number) for number in LABELS},
        **{f"scratch_{number}": with_body(untrained, number) for number in LABELS},
        **{f"pretrained_{number}": with_body(pretrained, number) for number in LABELS},
    },
    seeds=SEEDS,
    packages=("scikit-learn",),
)
