"""A Vision Transformer on handwritten digits, with positions and without (section 9)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from torch import nn

from transformer_book.data import DigitImages, load_digit_images
from transformer_book.experiments.experiment import Experiment, Outcome, Training, random_rows
from transformer_book.models import VisionConfig, VisionTransformer
from transformer_book.training import TrainingSettings, class_loss
from transformer_book.training.loop import BatchSource

DIGIT_VIT = VisionConfig(
    image_size=8, patch_size=2, channels=1, num_classes=10, dim=48, num_layers=2, num_heads=4, dropout=0.1
)

ORDERS = 40  # of the patches, in which a trained model sees the test images
SETTINGS = TrainingSettings(steps=1500, learning_rate=3e-3, warmup=100)


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


@torch.no_grad()
def vit_accuracy(model: VisionTransformer, images: np.ndarray, labels: np.ndarray) -> float:
    """Return the share of images whose digit is right."""
    guesses = model(image_tensor(images).to(next(model.parameters()).device)).logits.argmax(dim=-1).cpu()
    return (guesses == torch.from_numpy(labels)).double().mean().item()


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
    """Measure a trained ViT on the test images as they are, and over all ORDERS of their patches the mean."""
    data = load_digit_images()
    shuffled = [shuffle_patches(data.test, seed) for seed in range(ORDERS)]
    values = {
        "parameters": sum(p.numel() for p in model.parameters()),
        "tested": len(data.test),
        "accuracy": vit_accuracy(model, data.test, data.test_labels),
        "accuracy_shuffled": float(
            np.mean([vit_accuracy(model, images, data.test_labels) for images in shuffled])
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

    return Experiment(start=start, measure=measure, seeds=(0, 1, 2, 3, 4), packages=("scikit-learn",))
