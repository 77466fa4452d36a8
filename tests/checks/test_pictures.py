"""Pictures compared within the stated tolerances: PNG pixel by pixel, SVG element by element."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

from book_tools.notebooks.pictures import (
    CHANNEL_TOLERANCE,
    LENGTH_TOLERANCE,
    data_difference,
    difference,
    svg_difference,
)


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


def svg(style="fill:#0072b2", d="M 1 2.5 L 30 -4", text="0.25", image=WHITE):
    return (
        f'<svg><path d="{d}" style="{style}"/><text x="3">{text}</text>'
        f'<image href="data:image/png;base64,{png(image)}"/></svg>'
    )


def test_lengths_within_the_tolerance_are_the_same_drawing():
    assert svg_difference(svg(), svg(d=f"M 1 {2.5 + LENGTH_TOLERANCE / 2} L 30 -4")) is None


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        ({"d": "M 1 2.5 L 30 -5"}, "d of <path>: -4 is -5 in a fresh drawing"),
        ({"d": "M 1 2.5 C 30 -4"}, "d of <path>: M 1 2.5 L 30 -4 is M 1 2.5 C 30 -4"),
        ({"d": "M 1 2.5 L 30"}, "d of <path>"),
        ({"style": "fill:#0072b3"}, "fill:#0072b2 is fill:#0072b3"),
        ({"text": "0.26"}, "<text> 0.25 is <text> 0.26"),
        ({"image": WHITE - 99}, "href of <image>: 2800 of 2800 pixels differ"),
    ],
)
def test_another_drawing_is_named_with_its_element(other, sentence):
    assert sentence in svg_difference(svg(), svg(**other))


def test_an_element_too_many_an_attribute_too_many_and_no_svg_are_named():
    assert "has 4 elements, a fresh one 5" in svg_difference(svg(), svg().replace("</svg>", "<g/></svg>"))
    assert "has ['x'], in a fresh drawing ['rotate', 'x']" in svg_difference(
        svg(), svg().replace("<text", '<text rotate="3"')
    )
    assert "not an SVG" in svg_difference("<svg>", svg())


def test_a_png_is_not_an_svg():
    stored, fresh = {"image/png": png(WHITE)}, {"image/svg+xml": svg()}
    assert "is image/png, a fresh one image/svg+xml" in data_difference(stored, fresh)
    assert data_difference({"text/plain": "1"}, {"text/plain": "1"}) is None
    assert data_difference(fresh, fresh) is None
