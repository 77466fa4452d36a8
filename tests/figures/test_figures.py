"""The figures show the numbers that they are given, the same way every time."""

import dataclasses
import io

import matplotlib
import numpy as np
import pytest
from matplotlib.text import Text
from PIL import Image

from transformer_book.equations import (
    causal_mask,
    largest_weight,
    sample_scores,
    sample_scores_by_law,
    self_attention,
    softmax,
    worked_example,
)
from transformer_book.figures import attention_figure, cost_figure, layer_figure, scaling_figure
from transformer_book.figures.picture import TEXT

SIZES = [1, 16]


def attention():
    return attention_figure(
        self_attention(*worked_example()), self_attention(*worked_example(), mask=causal_mask(3))
    )


def scaling_data():
    sampled = [sample_scores(size, draws=50, seed=1, keys=8) for size in SIZES]
    by_law = [sample_scores_by_law(size, draws=50, seed=1, keys=8) for size in SIZES]
    return {
        "sizes": SIZES,
        "plain": [largest_weight(s) for s in sampled],
        "scaled": [largest_weight(s, D_q) for s, D_q in zip(sampled, SIZES, strict=True)],
        "law_plain": [largest_weight(s) for s in by_law],
        "law_scaled": [largest_weight(s, D_q) for s, D_q in zip(by_law, SIZES, strict=True)],
        "one_plain": softmax(sampled[1][:, :1])[:, 0],
        "one_scaled": softmax(sampled[1][:, :1] / 4)[:, 0],
    }


def scaling():
    return scaling_figure(**scaling_data())


def cost():
    return cost_figure([128, 512], [3, 12], [1, 16])


FIGURES = [attention, scaling, layer_figure, cost]


def texts(picture, panel):
    return [text.get_text() for text in picture.figure.axes[panel].texts]


@pytest.mark.parametrize("figure", FIGURES)
def test_same_bytes_whatever_the_readers_settings(figure):
    first = figure()
    with matplotlib.rc_context({"font.size": 20, "savefig.dpi": 50, "lines.linewidth": 9}):
        assert figure().png == first.png, "a setting of the reader leaks into the figure"


@pytest.mark.parametrize("figure", FIGURES)
def test_png_carries_no_time_and_suits_a_phone(figure):
    picture = figure()
    with Image.open(io.BytesIO(picture.png)) as image:
        assert set(image.info) == {"dpi"}, "a date or a program's name in the file changes its bytes"
        assert repr(picture) == f"Picture({image.width} × {image.height})"
    assert picture.figure.get_size_inches()[0] <= 4.8, "wider figures have letters too small at 350 pixels"
    sizes = [text.get_fontsize() for text in picture.figure.findobj(Text) if text.get_text().strip()]
    assert min(sizes) >= TEXT, "letters of less than 11 pixels on a phone"


def test_attention_figure_shows_scores_weights_and_causal_weights():
    picture = attention()
    assert texts(picture, 0) == ["1", "0", "1", "2", "2", "4", "3", "2", "5"]
    assert texts(picture, 1)[:3] == ["0.090", "0.063", "0.013"], "rows are keys, columns are queries"
    assert texts(picture, 2) == ["1.000", "0.119", "0.013", "0", "0.881", "0.265", "0", "0", "0.721"]


def test_attention_figure_refuses_two_different_texts():
    step = self_attention(*worked_example())
    other = dataclasses.replace(step, weights=step.weights[:, :2])
    with pytest.raises(ValueError, match="same tokens"):
        attention_figure(step, other)


def test_scaling_figure_draws_what_it_is_given():
    data = scaling_data()
    lines = scaling_figure(**data).figure.axes[0].lines
    drawn = [list(line.get_ydata()) for line in lines]
    for name in ("plain", "scaled", "law_plain", "law_scaled"):
        assert [estimate.mean for estimate in data[name]] in drawn, f"{name} is not drawn"
    weights = scaling_figure(**data).figure.axes[1].lines[0].get_ydata()
    np.testing.assert_array_equal(weights, np.sort(data["one_plain"])[::-1])


def test_scaling_figure_needs_one_estimate_a_size():
    with pytest.raises(ValueError, match="plain must be an estimate for each of 2 sizes; got 1"):
        scaling_figure(**scaling_data() | {"plain": scaling_data()["plain"][:1]})


def test_cost_figure_needs_one_count_a_length():
    with pytest.raises(ValueError, match="must be 2 counts, one per length; got 1 and 2"):
        cost_figure([1, 2], [1], [1, 2])


def test_picture_is_saved_whole(tmp_path):
    picture = layer_figure()
    picture.save(tmp_path / "layer.png")
    assert (tmp_path / "layer.png").read_bytes() == picture.png
    assert [path.name for path in tmp_path.iterdir()] == ["layer.png"]
