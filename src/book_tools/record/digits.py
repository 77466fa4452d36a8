"""A Vision Transformer on digits, also with less data or without positions (section 9)."""

from __future__ import annotations

from dataclasses import asdict, replace

from book_tools.record.outcome import Outcome, Training, train_and_measure
from transformer_book.data import load_digit_images
from transformer_book.experiments import digits as task
from transformer_book.models import VisionTransformer
from transformer_book.training import TrainingSettings, class_loss

SETTINGS = TrainingSettings(steps=1500, learning_rate=3e-3, warmup=100)
CURVE_SETTINGS = replace(SETTINGS, steps=400)
SIZES = (50, 100, 200, 400, 800, 1437)
SEEDS = (0, 1, 2)


def training(seed: int, positions: bool = True) -> Training:
    """All 1,437 training images."""
    data = load_digit_images()
    batches = task.image_batches(data.train, data.train_labels)
    return Training(
        task.make_vit(seed, positions=positions), batches, class_loss, replace(SETTINGS, seed=seed)
    )


def vit(seed: int) -> Outcome:
    """Train the ViT."""
    return train_and_measure("digits_vit", training(seed), values)


def vit_without_positions(seed: int) -> Outcome:
    """The same without positions: the image is a bag of patches."""
    return train_and_measure("digits_vit_no_positions", training(seed, positions=False), values)


def values(model: VisionTransformer) -> dict:
    """Measure a trained ViT on the test images, as they are and with their patches shuffled."""
    data = load_digit_images()
    shuffled = task.shuffle_patches(data.test, seed=0)
    return {
        "parameters": sum(p.numel() for p in model.parameters()),
        "tested": len(data.test),
        "accuracy": task.vit_accuracy(model, data.test, data.test_labels),
        "accuracy_shuffled": task.vit_accuracy(model, shuffled, data.test_labels),
        "accuracy_logistic_regression": task.logistic_regression_accuracy(
            data.train, data.train_labels, data.test, data.test_labels
        ),
    }


def learning_curve(seed: int) -> Outcome:
    """Train on fewer images, three seeds each, beside logistic regression on the same images."""
    data = load_digit_images()
    vit, logistic = [], []
    for size in SIZES:
        vit.append([curve_point(size, seed + k) for k in SEEDS])
        images, labels = task.first_of_each_class(data, size)
        logistic.append(task.logistic_regression_accuracy(images, labels, data.test, data.test_labels))
    curves = {"size": list(SIZES), "vit": vit, "logistic_regression": logistic}
    values = {"tested": len(data.test), "seeds": len(SEEDS)}
    return Outcome(values, curves, asdict(CURVE_SETTINGS))


def curve_point(size: int, seed: int) -> float:
    """Return the test accuracy of a ViT trained on the first `size` images."""
    data = load_digit_images()
    images, labels = task.first_of_each_class(data, size)
    model = task.make_vit(seed)
    task.train_vit(model, images, labels, replace(CURVE_SETTINGS, seed=seed))
    return task.vit_accuracy(model, data.test, data.test_labels)
