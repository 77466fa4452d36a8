"""A Vision Transformer on handwritten digits, beside logistic regression (section 9)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from torch import nn

from transformer_book.data import DigitImages, load_digit_images
from transformer_book.experiments.experiment import Experiment, Measurement, Outcome, Training, random_rows
from transformer_book.models import VisionConfig, VisionTransformer
from transformer_book.training import TrainingResult, TrainingSettings, class_loss, train
from transformer_book.training.loop import BatchSource

DIGIT_VIT = VisionConfig(
    image_size=8, patch_size=2, channels=1, num_classes=10, dim=48, num_layers=2, num_heads=4, dropout=0.1
)

SETTINGS = TrainingSettings(steps=1500, learning_rate=3e-3, warmup=100)
CURVE_SETTINGS = replace(SETTINGS, steps=400)
SIZES = (50, 100, 200, 400, 800, 1437)
SEEDS = (0, 1, 2)


def make_vit(seed: int, *, positions: bool = True) -> VisionTransformer:
    """Return an untrained ViT; positions=False sets its positions to zero and keeps them there."""
    torch.manual_seed(seed)
    model = VisionTransformer(DIGIT_VIT)
    if not positions:
        nn.init.zeros_(model.positions.weight)
        model.positions.weight.requires_grad_(False)
    return model


def image_tensor(images: np.ndarray) -> torch.Tensor:
    """Return images (N, 8, 8) as a tensor (N, 1, 8, 8)."""
    return torch.from_numpy(images)[:, None]


def image_batches(images: np.ndarray, labels: np.ndarray, batch_size: int = 64) -> BatchSource:
    """Return a source of batches for `train` with `class_loss`."""
    return random_rows({"inputs": image_tensor(images), "labels": torch.from_numpy(labels)}, batch_size)


def train_vit(
    model: VisionTransformer, images: np.ndarray, labels: np.ndarray, settings: TrainingSettings
) -> TrainingResult:
    """Train on these images."""
    return train(model, image_batches(images, labels), class_loss, settings)


@torch.no_grad()
def vit_accuracy(model: VisionTransformer, images: np.ndarray, labels: np.ndarray) -> float:
    """Return the share of images whose digit is right."""
    guesses = model(image_tensor(images).to(next(model.parameters()).device)).logits.argmax(dim=-1).cpu()
    return (guesses == torch.from_numpy(labels)).double().mean().item()


def logistic_regression_accuracy(
    images: np.ndarray, labels: np.ndarray, test_images: np.ndarray, test_labels: np.ndarray
) -> float:
    """Fit scikit-learn's logistic regression to the 64 pixels, with its defaults; return its accuracy."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(max_iter=5000).fit(images.reshape(len(images), -1), labels)
    return float(model.score(test_images.reshape(len(test_images), -1), test_labels))


def shuffle_patches(images: np.ndarray, seed: int) -> np.ndarray:
    """Return images (N, 8, 8) with their 16 patches of 2×2 in another order, the same for all."""
    number, side = len(images), DIGIT_VIT.patch_size
    grid = DIGIT_VIT.image_size // side
    patches = (
        images.reshape(number, grid, side, grid, side).swapaxes(2, 3).reshape(number, grid**2, side, side)
    )
    patches = patches[:, np.random.default_rng(seed).permutation(grid**2)]
    return np.ascontiguousarray(
        patches.reshape(number, grid, grid, side, side).swapaxes(2, 3).reshape(images.shape)
    )


def first_of_each_class(data: DigitImages, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return `size` training images and their labels, the ten digits as equally often as can be."""
    order = np.argsort(np.argsort(data.train_labels, kind="stable"), kind="stable")
    rank = order - np.searchsorted(
        np.sort(data.train_labels), data.train_labels
    )  # 0 for the first 7, 1 for the next
    chosen = np.sort(np.argsort(rank, kind="stable")[:size])
    return data.train[chosen], data.train_labels[chosen]


def measure(model: VisionTransformer) -> Outcome:
    """Measure a trained ViT on the test images, as they are and with their patches shuffled."""
    data = load_digit_images()
    values = {
        "parameters": sum(p.numel() for p in model.parameters()),
        "tested": len(data.test),
        "accuracy": vit_accuracy(model, data.test, data.test_labels),
        "accuracy_shuffled": vit_accuracy(model, shuffle_patches(data.test, seed=0), data.test_labels),
        "accuracy_logistic_regression": logistic_regression_accuracy(
            data.train, data.train_labels, data.test, data.test_labels
        ),
    }
    return Outcome(values)


def experiment(*, positions: bool) -> Experiment:
    """Return the ViT on all 1,437 training images; without positions an image is a bag of patches."""

    def start(seed: int) -> Training:
        data = load_digit_images()
        batches = image_batches(data.train, data.train_labels)
        return Training(
            make_vit(seed, positions=positions), batches, class_loss, replace(SETTINGS, seed=seed)
        )

    return Experiment(start=start, measure=measure, packages=("scikit-learn",))


def curve_point(size: int, seed: int) -> float:
    """Return the test accuracy of a ViT trained on `size` images, the digits equally often."""
    data = load_digit_images()
    model = make_vit(seed)
    train_vit(model, *first_of_each_class(data, size), replace(CURVE_SETTINGS, seed=seed))
    return vit_accuracy(model, data.test, data.test_labels)


def learning_curve(seed: int) -> Outcome:
    """Train on fewer images, three seeds each, beside logistic regression on the same images."""
    data = load_digit_images()
    vit, logistic = [], []
    for size in SIZES:
        vit.append([curve_point(size, seed + k) for k in SEEDS])
        images, labels = first_of_each_class(data, size)
        logistic.append(logistic_regression_accuracy(images, labels, data.test, data.test_labels))
    curves = {"size": list(SIZES), "vit": vit, "logistic_regression": logistic}
    return Outcome({"tested": len(data.test), "seeds": len(SEEDS)}, curves)


CURVE = Measurement(measure=learning_curve, settings=CURVE_SETTINGS, packages=("scikit-learn",))
