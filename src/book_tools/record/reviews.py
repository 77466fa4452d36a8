"""The review classifier, and other attention weights with the same answer (section 10)."""

from __future__ import annotations

import math
from dataclasses import asdict, replace

import torch

from book_tools.record.outcome import Outcome, Training, means, store
from transformer_book.data import load_reviews
from transformer_book.experiments import reviews as task
from transformer_book.training import TrainingSettings, class_loss, train

SETTINGS = TrainingSettings(steps=250, learning_rate=2e-3, warmup=50)
TOLERANCE = 0.01
FAR = 0.5


def training(seed: int) -> Training:
    """The classifier on the training sentences."""
    data = load_reviews()
    torch.manual_seed(seed)
    batches = task.review_batches(data.train, data.train_labels)
    return Training(task.ReviewClassifier(), batches, class_loss, replace(SETTINGS, seed=seed))


def classifier(seed: int) -> Outcome:
    """Train the classifier; look for other weights on every test sentence, and shuffle the weights."""
    start = training(seed)
    result = train(start.model, start.batches, start.loss, start.settings)
    checkpoint = store("reviews", start.model)
    found, curves = values(start.model)
    return Outcome(found, means(result.losses, parts=50) | curves, asdict(start.settings), checkpoint)


def values(model: task.ReviewClassifier) -> tuple[dict, dict]:
    """Measure a trained classifier; the curves hold each test sentence's divergence and median change."""
    data = load_reviews()
    tokens = task.review_tokens(data.test)
    other = task.find_other_weights(model, tokens, tolerance=TOLERANCE)
    shuffled = task.shuffled_change(model, tokens)
    test = task.review_scores(model, data.test, data.test_labels)
    summary = {
        "parameters": sum(p.numel() for p in model.parameters()),
        "tested": len(data.test),
        "loss": test["loss"],
        "accuracy": test["accuracy"],
        "accuracy_train": task.review_scores(model, data.train, data.train_labels)["accuracy"],
        "tolerance": TOLERANCE,
        "largest_divergence": math.log(2),
        "median_divergence": other.divergence.median().item(),
        "far": FAR,
        "sentences_far": int((other.divergence > FAR).sum()),
        "largest_change": other.change.max().item(),
        "median_shuffled_change": shuffled.median().item(),
    }
    return summary, {"divergence": other.divergence.tolist(), "shuffled_change": shuffled.tolist()}
