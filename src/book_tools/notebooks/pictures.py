"""Compare two PNG pictures pixel by pixel, within a stated tolerance."""

import base64
import binascii
import io

import numpy as np
from PIL import Image, UnidentifiedImageError

# Anti-aliasing may move a grey edge a little between builds of FreeType; a changed digit moves more.
CHANNEL_TOLERANCE = 16  # of 255
PIXEL_SHARE = 2e-5  # share of pixels that may differ by more


def decode(text):
    """Turn the base64 text of a PNG into an array (height, width, 4) of bytes; ValueError for other text."""
    try:
        data = base64.b64decode("".join(text), validate=False)
        with Image.open(io.BytesIO(data)) as image:
            return np.asarray(image.convert("RGBA"))
    except (binascii.Error, UnidentifiedImageError, OSError, SyntaxError) as error:
        raise ValueError(f"not a PNG picture ({error})") from None


def difference(stored, fresh):
    """Return None if two base64 PNGs show the same picture, else one sentence saying how they differ."""
    try:
        old, new = decode(stored), decode(fresh)
    except ValueError as error:
        return str(error)
    if old.shape != new.shape:
        (old_height, old_width), (new_height, new_width) = old.shape[:2], new.shape[:2]
        return f"the stored picture is {old_width}×{old_height} pixels, a fresh one {new_width}×{new_height}"
    off = np.abs(old.astype(np.int16) - new.astype(np.int16)).max(axis=2) > CHANNEL_TOLERANCE
    if off.mean() <= PIXEL_SHARE:
        return None
    rows, columns = np.nonzero(off)
    return (
        f"{int(off.sum())} of {off.size} pixels differ from a fresh drawing, "
        f"between rows {rows.min()}–{rows.max()} and columns {columns.min()}–{columns.max()}"
    )
