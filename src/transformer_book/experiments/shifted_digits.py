"""A ViT, an MLP and a CNN of one size on digits at random places and in the middle (section 9)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace

import numpy as np
import torch
from torch import nn

from transformer_book.data import load_digit_images
from transformer_book.experiments.digits import first_of_each_class, image_batches, image_tensor
from transformer_book.experiments.experiment import Grid, Measurement, Outcome
from transformer_book.models import VisionConfig, VisionTransformer
from transformer_book.training import TrainingSettings, class_loss, train

CANVAS = 12
DIGIT = 8
PLACES = (CANVAS - DIGIT + 1) ** 2
VIT = VisionConfig(
    image_size=CANVAS, patch_size=4, channels=1, num_classes=10, dim=32, num_layers=2, num_heads=4
)
SIZES = (200, 500, 1437)
LONGER = 2000  # steps, for the question whether a network was trained enough
SEEDS = (0, 1, 2, 3, 4)
TEST_SEED = 99  # of the places of the test digits


@dataclass(frozen=True, kw_only=True)
class DigitSettings:
    """One condition: which model, how many training images, and whether the digits move."""

    model: str
    size: int
    moved: bool
    steps: int = 500
    learning_rate: float = 3e-3
    warmup: int = 50
    batch_size: int = 32


class Classifier(nn.Module):
    """A network whose output is the logits of the ten digits."""

    def __init__(self, *parts: nn.Module):
        super().__init__()
        self.network = nn.Sequential(*parts)

    def forward(self, images: torch.Tensor) -> SimpleNamespace:
        """Return .logits (B, 10) for images (B, 1, 12, 12)."""
        return SimpleNamespace(logits=self.network(images))


def make_vit() -> VisionTransformer:
    """Return a ViT with Glorot-uniform matrices; positions and class token are drawn with deviation 0.3."""
    model = VisionTransformer(VIT)
    for parameter in model.parameters():
        if parameter.ndim == 2:
            nn.init.xavier_uniform_(parameter)
    nn.init.normal_(model.positions.weight, std=0.3)
    nn.init.normal_(model.class_token, std=0.3)
    return model


def make_mlp(units: int = 103) -> Classifier:
    """Return a network with two hidden layers that sees the image as a row of 144 pixels."""
    pixels = CANVAS**2
    hidden = [nn.Linear(pixels, units), nn.GELU(), nn.Linear(units, units), nn.GELU()]
    return Classifier(nn.Flatten(), *hidden, nn.Linear(units, 10))


def make_cnn(channels: tuple[int, int, int] = (20, 40, 52)) -> Classifier:
    """Return three 3×3 convolutions, the first two with max pooling, a mean over all places, and a map."""
    first, second, third = channels
    return Classifier(
        *(nn.Conv2d(1, first, 3, padding=1), nn.GELU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(first, second, 3, padding=1), nn.GELU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(second, third, 3, padding=1), nn.GELU(), nn.AdaptiveAvgPool2d(1)),
        *(nn.Flatten(), nn.Linear(third, 10)),
    )


MODELS = {"vit": make_vit, "mlp": make_mlp, "cnn": make_cnn}


def placed(images: np.ndarray, seed: int, *, moved: bool) -> np.ndarray:
    """Return images (N, 8, 8) on a canvas (N, 12, 12): each at a place drawn at random, or in the middle."""
    room = CANVAS - DIGIT
    corners = np.random.default_rng(seed).integers(0, room + 1, size=(len(images), 2))
    if not moved:
        corners[:] = room // 2
    canvas = np.zeros((len(images), CANVAS, CANVAS), dtype=images.dtype)
    for k, (row, column) in enumerate(corners):
        canvas[k, row : row + DIGIT, column : column + DIGIT] = images[k]
    return canvas


def train_classifier(settings: DigitSettings, seed: int, steps: int | None = None):
    """Return the trained model and the loss before each update.

    steps: an earlier end, not before that of the warm-up; behind the warm-up the cosine is then shorter.
    """
    images, labels = first_of_each_class(load_digit_images(), settings.size)
    torch.manual_seed(seed)
    model = MODELS[settings.model]()
    batches = image_batches(placed(images, seed, moved=settings.moved), labels, settings.batch_size)
    choices = TrainingSettings(
        steps=settings.steps if steps is None else steps,
        learning_rate=settings.learning_rate,
        warmup=settings.warmup,
        seed=seed,
    )
    return model, train(model, batches, class_loss, choices).losses


@torch.no_grad()
def right_answers(model: nn.Module, *, moved: bool) -> int:
    """Return how many of the 360 test digits, at places drawn apart from training, the model gets right."""
    data = load_digit_images()
    images = image_tensor(placed(data.test, TEST_SEED, moved=moved))
    return int((model.eval()(images).logits.argmax(dim=-1).numpy() == data.test_labels).sum())


def measure(settings: DigitSettings, seed: int) -> Outcome:
    """Train on images at one place each; return the loss at the end and the number of right answers."""
    model, losses = train_classifier(settings, seed)
    values = {
        "right": right_answers(model, moved=settings.moved),
        "loss_training": float(np.mean(losses[-20:])),
    }
    return Outcome(values, {"loss": np.mean(np.reshape(losses, (-1, 20)), axis=1).tolist()})


CONDITIONS = {
    f"{model}_{size}_{'moved' if moved else 'still'}": DigitSettings(model=model, size=size, moved=moved)
    for moved, size in ((True, 1437), (False, 1437), (True, 200), (False, 200), (True, 500))
    for model in MODELS
}
CONDITIONS |= {
    f"{model}_1437_moved_longer": DigitSettings(model=model, size=1437, moved=True, steps=LONGER)
    for model in MODELS
}
GRID = Grid(
    conditions={
        name: Measurement(measure=partial(measure, settings), settings=settings)
        for name, settings in CONDITIONS.items()
    },
    seeds=SEEDS,
    packages=("scikit-learn",),
)
