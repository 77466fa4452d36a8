"""Pictures compared pixel by pixel, within the stated tolerance."""

import base64
import io

import numpy as np
from PIL import Image

from book_tools.notebooks.pictures import CHANNEL_TOLERANCE, difference


def png(pixels):
    stream = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(stream, "png")
    return base64.b64encode(stream.getvalue()).decode()


WHITE = np.full((40, 70, 3), 255)


def test_same_pixels_in_other_bytes_are_the_same_picture():
    stream = io.BytesIO()
    Image.fromarray(WHITE.astype(np.uint8)).save(stream, "png", compress_level=0)
    assert difference(png(WHITE), base64.b64encode(stream.getvalue()).decode()) is None


def test_a_shade_within_the_tolerance_is_the_same_picture():
    assert difference(png(WHITE), png(WHITE - CHANNEL_TOLERANCE)) is None


def test_one_black_pixel_is_named_with_its_place():
    changed = WHITE.copy()
    changed[3, 5] = 0
    assert "rows 3–3 and columns 5–5" in difference(png(WHITE), png(changed))


def test_another_size_is_named():
    assert "70×40 pixels, a fresh one 60×40" in difference(png(WHITE), png(WHITE[:, :60]))


def test_a_text_that_is_not_a_picture_is_named():
    assert "not a PNG" in difference("bm90IGEgcGljdHVyZQ==", png(WHITE))
