"""Sentences classified with few labels: a pretrained encoder against the same one from scratch (section 8).

Pretraining is masked modelling on the training reviews, whose labels nobody looks at. Fine-tuning then sees a
few labelled ones. Counting characters is the baseline: logistic regression on which of them occur.
"""

from __future__ import annotations

import copy
import functools
from dataclasses import replace

import torch
from torch import nn

from transformer_book.data import load_reviews
from transformer_book.experiments.experiment import Grid, Measurement, Outcome, random_rows
from transformer_book.experiments.reviews import PAD, UNKNOWN, VOCABULARY, review_scores, review_tokens
from transformer_book.models import Encoder, EncoderConfig, EncoderOutput
from transformer_book.training import TrainingSettings, class_loss, mask_tokens, masked_token_loss, train
from transformer_book.training.loop import Batch

SEEDS = (0, 1, 2, 3, 4)
LABELS = (20, 100, 500)
MASK = len(VOCABULARY)  # one more id
MASKED = 0.3
ENCODER = EncoderConfig(
    vocabulary_size=len(VOCABULARY) + 1,
    context_length=40,
    dim=64,
    num_layers=2,
    num_heads=4,
    positions="rotary",
    norm_placement="pre",
    embedding_norm=False,
    token_types=0,
    pooler=False,
    masked_lm_head=True,
    dropout=0.1,
)
PRETRAINING = TrainingSettings(steps=600, learning_rate=3e-3, warmup=50, progress=False)
FINE_TUNING = TrainingSettings(steps=100, learning_rate=1e-3, warmup=10, progress=False)


class MeanClassifier(nn.Module):
    """An encoder, the mean of its vectors, and a map to the logits (B, 2)."""

    def __init__(self, encoder: Encoder):
        super().__init__()
        self.encoder = encoder
        self.encoder.masked_lm_head = None  # its task is over
        self.answer = nn.Linear(encoder.config.dim, 2)

    def forward(self, tokens: torch.Tensor) -> EncoderOutput:
        """Classify tokens (B, N); padding does not count."""
        real = tokens != PAD
        final = self.encoder(tokens, padding=real).final  # (B, N, D)
        mean = (final * real[..., None]).sum(dim=1) / real.sum(dim=1, keepdim=True)
        return EncoderOutput(final, logits=self.answer(mean))


def untrained(seed: int) -> Encoder:
    """Return the encoder as it starts."""
    torch.manual_seed(seed)
    return Encoder(ENCODER)


def masked_reviews(generator: torch.Generator) -> Batch:
    """Draw 64 training sentences and mask 30 % of their characters."""
    tokens = review_tokens(load_reviews().train)
    tokens = tokens[torch.randint(len(tokens), (64,), generator=generator)]
    options = {"mask_id": MASK, "random_ids": torch.arange(UNKNOWN + 1, MASK), "generator": generator}
    read, labels = mask_tokens(tokens, tokens > UNKNOWN, fraction=MASKED, **options)
    return {"tokens": read, "labels": labels, "real": tokens != PAD}


@functools.cache
def pretrained(seed: int) -> Encoder:
    """Return the encoder after masked modelling; the sentences' labels are not used."""
    model = untrained(seed)
    train(model, masked_reviews, masked_token_loss, replace(PRETRAINING, seed=seed))
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


def fine_tuned(encoder: Encoder, number: int, seed: int) -> MeanClassifier:
    """Return a classifier around a copy of `encoder`, trained on `number` labelled sentences."""
    torch.manual_seed(seed)
    model = MeanClassifier(copy.deepcopy(encoder))
    tokens, labels = labelled(number, seed)
    batches = random_rows({"inputs": tokens, "labels": labels}, batch_size=32)
    train(model, batches, class_loss, replace(FINE_TUNING, seed=seed))
    return model


def counting_accuracy(number: int, seed: int) -> float:
    """Return the same of logistic regression on which characters occur in a sentence."""
    from sklearn.linear_model import LogisticRegression

    def occurring(tokens: torch.Tensor) -> torch.Tensor:
        return torch.zeros(len(tokens), MASK).scatter_(1, tokens, 1.0)[:, UNKNOWN + 1 :]

    data = load_reviews()
    tokens, labels = labelled(number, seed)
    fit = LogisticRegression(max_iter=1000).fit(occurring(tokens), labels)
    return float(fit.score(occurring(review_tokens(data.test)), data.test_labels))


def with_encoder(start, number: int) -> Measurement:
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
        **{f"scratch_{number}": with_encoder(untrained, number) for number in LABELS},
        **{f"pretrained_{number}": with_encoder(pretrained, number) for number in LABELS},
    },
    seeds=SEEDS,
    packages=("scikit-learn",),
)
