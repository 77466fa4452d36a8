"""The patches of section 9 and the table of weights of section 8."""

import re

import numpy as np
import torch

from transformer_book.figures import WeightsTable, patch_figure
from transformer_book.models import image_patches


def _image(height=12, width=8):
    return np.random.default_rng(0).random((height, width, 3)).astype(np.float32)


def _patches(image, size):
    return image_patches(torch.tensor(image).permute(2, 0, 1)[None], size)[0]


def test_pulled_apart_patches_keep_their_places_and_colours():
    image = _image()
    picture = patch_figure(image, _patches(image, 4), 4)
    drawn = picture.figure.axes[1].images[0].get_array()
    tiles = [
        drawn[6 * row : 6 * row + 4, 6 * column : 6 * column + 4] for row in range(3) for column in range(2)
    ]
    expected = [
        image[4 * row : 4 * row + 4, 4 * column : 4 * column + 4] for row in range(3) for column in range(2)
    ]
    np.testing.assert_allclose(tiles, expected, err_msg="a patch is turned, or stands in another's place")


def test_table_shows_keys_as_rows_and_queries_as_columns():
    table = WeightsTable([[0.25, 1.0], [0.75, 0.0], [0.0, 0.0]], ["三", "百", "<"], ["3", "00"])
    rows = re.findall(r"<tr>.*?</tr>", table._repr_html_())
    assert [re.sub(r"<[^>]+>", " ", row).split() for row in rows] == [
        ["3", "00"],
        ["三", "0.25", "1.00"],
        ["百", "0.75", "0.00"],
        ["&lt;", "0.00", "0.00"],
    ]
    assert repr(table).splitlines()[1] == "三\t0.25\t1.00"


def test_darker_cells_have_more_weight_and_black_text_stays_readable():
    cells = re.findall(
        r"rgb\((\d+),(\d+),(\d+)\)", WeightsTable([[0.0, 0.4, 1.0]], ["a"], "xyz")._repr_html_()
    )
    red = [int(cell[0]) for cell in cells]
    assert red == sorted(red, reverse=True)
    linear = [((int(c) / 255 + 0.055) / 1.055) ** 2.4 for c in cells[-1]]
    luminance = np.dot([0.2126, 0.7152, 0.0722], linear)
    assert (luminance + 0.05) / 0.05 > 4.5
