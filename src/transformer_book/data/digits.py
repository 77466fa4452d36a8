"""Handwritten digits: 1,797 images of 8×8, from scikit-learn (Alpaydin and Kaynak, 1998; CC BY 4.0)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from transformer_book.checks.numbers import check_whole

_TEST_SIZE = 360


@dataclass(frozen=True)
class DigitImages:
    """Images (N, 8, 8) as float32 from 0 (paper) to 1 (ink), labels (N,) from 0 to 9."""

    train: np.ndarray
    train_labels: np.ndarray
    test: np.ndarray
    test_labels: np.ndarray


def load_digit_images(seed: int = 0) -> DigitImages:
    """Return 1,437 training and 360 test images, divided by a seeded shuffle; ValueError for no such seed."""
    check_whole("seed", seed, least=0)
    from sklearn.datasets import load_digits

    digits = load_digits()
    images = (digits.images / 16).astype(np.float32)
    order = np.random.default_rng(seed).permutation(len(images))
    test, train = order[:_TEST_SIZE], order[_TEST_SIZE:]
    labels = digits.target.astype(np.int64)
    return DigitImages(images[train], labels[train], images[test], labels[test])
