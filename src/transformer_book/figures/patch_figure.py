"""A photograph and the patches that a Vision Transformer cuts it into (section 9; not numbered)."""

import numpy as np

from transformer_book.checks.numbers import check_whole

from .picture import WIDTH, Picture, drawing

_GAP = 2  # pixels between patches that are pulled apart


def patch_figure(image, patches, patch_size: int) -> Picture:
    """Draw the image with the cutting lines, and its patches pulled apart.

    image: (height, width, 3), numbers from 0 to 1. patches: (N, 3 · patch_size²) of that image, row by row,
    as `models.image_patches` gives them. Raises ValueError when the image is none, or their number does
    not fit it.
    """
    check_whole("patch_size", patch_size)
    image, patches = np.asarray(image), np.asarray(patches)
    if image.ndim != 3 or image.shape[2] != 3 or min(image.shape[:2]) < patch_size:
        raise ValueError(f"image must be (height, width, 3), a patch or larger; got {image.shape}.")
    rows, columns = image.shape[0] // patch_size, image.shape[1] // patch_size
    if patches.shape != (rows * columns, 3 * patch_size**2):
        raise ValueError(
            f"patches must be ({rows * columns}, {3 * patch_size**2}) for this image; got {patches.shape}."
        )
    tiles = patches.reshape(rows, columns, 3, patch_size, patch_size).transpose(0, 1, 3, 4, 2)
    with drawing(WIDTH, 2.6) as figure:
        whole, apart = figure.subplots(1, 2)
        whole.imshow(image)
        for line in range(1, rows):
            whole.axhline(line * patch_size - 0.5, color="white", linewidth=0.5)
        for line in range(1, columns):
            whole.axvline(line * patch_size - 0.5, color="white", linewidth=0.5)
        apart.imshow(_pulled_apart(tiles))
        whole.set_title(f"${image.shape[0]} \\times {image.shape[1]}$")
        apart.set_title(f"$N = {rows * columns}$")
        for axes in (whole, apart):
            axes.axis("off")
        return Picture(figure, photograph=True)


def _pulled_apart(tiles):
    """Tiles (rows, columns, P, P, 3) as one picture with white between them."""
    rows, columns, size, _, _ = tiles.shape
    step = size + _GAP
    picture = np.ones((rows * step - _GAP, columns * step - _GAP, 3))
    for row in range(rows):
        for column in range(columns):
            top, left = row * step, column * step
            picture[top : top + size, left : left + size] = tiles[row, column]
    return picture
