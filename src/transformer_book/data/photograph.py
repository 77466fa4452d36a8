"""A photograph to cut into patches: china.jpg of scikit-learn (by danielbuechele, CC BY 2.0)."""

from __future__ import annotations

import numpy as np

from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_whole


def load_photograph(size: int = 224) -> np.ndarray:
    """Return the photograph's central square as (size, size, 3), float32 from 0 to 1.

    ViT-B/16 cuts 224×224 pixels into 196 patches of 16×16×3 = 768 numbers. Raises ValueError for a size below
    1 or above the photograph's height, 427.
    """
    from sklearn.datasets import load_sample_image

    image = load_sample_image("china.jpg")  # (427, 640, 3)
    height, width, _ = image.shape
    check_whole("size", size)
    if size > height:
        raise ValueError(must_be("size", f"1 to {height}, the photograph's height", size))
    from PIL import Image

    left = (width - height) // 2
    square = Image.fromarray(image).crop((left, 0, left + height, height))
    resized = square.resize((size, size), Image.Resampling.BICUBIC)
    return np.asarray(resized, dtype=np.float32) / 255
