"""A Vision Transformer on handwritten digits, beside logistic regression (section 9)."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from transformer_book.data import DigitImages
from transformer_book.models import VisionConfig, VisionTransformer
from transformer_book.training import TrainingResult, TrainingSettings, class_loss, train
from transformer_book.training.loop import Batch, BatchSource

DIGIT_VIT = VisionConfig(
    image_size=8, patch_size=2, channels=1, num_classes=10, dim=48, num_layers=2, num_heads=4, dropout=0.1
)


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
    inputs, targets = image_tensor(images), torch.from_numpy(labels)

    def draw(generator: torch.Generator) -> Batch:
        k = torch.randint(len(inputs), (batch_size,), generator=generator)
        return {"inputs": inputs[k], "labels": targets[k]}

    return draw


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
