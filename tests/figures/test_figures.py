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
    sinusoidal,
    softmax,
    worked_example,
)
from transformer_book.figures import (
    activation_figure,
    attention_figure,
    code_similarity_figure,
    cost_figure,
    gradient_figure,
    head_dots_figure,
    head_map_figure,
    layer_figure,
    loss_figure,
    position_code_figure,
    query_gradient_figure,
    scaling_figure,
    subject_head_figure,
    token_weights_figure,
)
from transformer_book.figures.picture import TEXT

SIZES = [1, 16]
CODES = sinusoidal(np.arange(20), 6)
WEIGHTS = softmax(np.arange(9.0).reshape(3, 3))


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


def codes():
    return position_code_figure(CODES, sinusoidal(np.arange(3), 4))


def similarity():
    return code_similarity_figure(CODES.T @ CODES, longest=7)


def losses():
    return loss_figure([1, 2, 3], [{"a": [3, 2, 1]}, {"a": [3, 3, 4]}], "$t$", boundary=2, titles=("x", "y"))


def heads():
    return head_map_figure({"a": np.eye(4, 5), "b": np.ones((3, 5))}, marked=[(1, 2), None])


def dots():
    return head_dots_figure({"a": np.arange(12.0).reshape(4, 3), "b": -np.ones((4, 3))}, (2, 1), line=5)


def tokens():
    return token_weights_figure(["the", " cat", "\n"], {"L0H0": WEIGHTS})


def subjects():
    return subject_head_figure({"A": [[0.9, 0.1], [0.2, 0.7]], "B": [[0.8, 0.3]]})


def activation():
    return activation_figure(np.linspace(-3, 3, 7), np.zeros(7))


def gradients():
    return gradient_figure({2: [1, 2], 4: [1, 2, 3, 4]}, {2: [4, 3], 4: [4, 3, 2, 1]})


def query_gradients():
    return query_gradient_figure([0, 5, 9], {"a": np.geomspace(1e-9, 1, 15).reshape(3, 5)})


FIGURES = [attention, scaling, layer_figure, cost, codes, similarity, losses, heads, dots, tokens, subjects]
FIGURES += [activation, gradients, query_gradients]


def texts(picture, panel):
    return [text.get_text() for text in picture.figure.axes[panel].texts]


def lines(picture, panel=0):
    return [np.asarray(line.get_xydata()) for line in picture.figure.axes[panel].lines]


@pytest.mark.parametrize("figure", FIGURES)
def test_same_bytes_whatever_the_readers_settings(figure):
    first, settings = figure(), {"font.size": 20, "savefig.dpi": 50, "lines.linewidth": 9}
    with matplotlib.rc_context(settings | {"svg.fonttype": "path", "svg.hashsalt": "x"}):
        again = figure()
    assert again.png == first.png, "a setting of the reader leaks into the figure"
    assert again.svg == first.svg, "a setting of the reader, a date or a random id is in the file"


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


def test_hands_point_where_cosine_and_sine_say():
    clock = lines(codes(), panel=3)  # after the heat map and two clocks; the colour bar comes last
    tip = clock[1][-1]
    np.testing.assert_allclose(tip, [np.cos(2), np.sin(2)], err_msg="sine and cosine have changed places")


def test_similarity_curve_starts_at_half_the_dimension():
    curve = lines(similarity(), panel=1)[0]
    assert curve[0].tolist() == [0, 3], "the dot product of a code with itself is D/2"
    assert len(curve) == 8, "distances 0 to longest"


def test_each_loss_panel_has_its_own_lines_and_the_boundary():
    second = lines(losses(), panel=1)
    assert second[0][:, 1].tolist() == [3, 3, 4], "panels are mixed up"
    assert second[1][:, 0].tolist() == [2, 2], "the boundary is not where it was asked for"


def test_mark_frames_row_layer_and_column_head():
    frame = lines(heads())[0]
    assert frame.mean(axis=0).round().tolist() == [2, 1], "layer and head have changed places"


def test_rows_are_keys_and_columns_are_queries():
    shown = tokens().figure.axes[0].images[0].get_array()
    np.testing.assert_allclose(shown.sum(axis=0), 1, err_msg="the matrix is transposed")


def test_line_is_orange_where_the_distractor_wins():
    colours = [line.get_color() for line in subjects().figure.axes[0].lines if len(line.get_xdata()) == 2][:3]
    assert colours[0] != colours[1], "a wrong sentence looks like a right one"


def test_losses_have_bands_of_two_errors_and_levels():
    picture = loss_figure([1, 2], {"a": [3.0, 2.0]}, "$n$", errors={"a": [0.5, 0.25]}, levels={"b": 4.0})
    band = picture.figure.axes[0].collections[0].get_paths()[0].vertices
    assert {(1, 2.0), (1, 4.0), (2, 1.5), (2, 2.5)} <= set(map(tuple, band)), "not two errors on either side"
    assert lines(picture)[1][:, 1].tolist() == [4.0, 4.0]


def test_query_gradients_show_median_and_hundredth():
    median, last = lines(query_gradients())
    np.testing.assert_allclose(median[1:, 1], np.geomspace(1e-9, 1, 15).reshape(3, 5)[1:, 1])
    np.testing.assert_allclose(last[:, 1], np.geomspace(1e-9, 1, 15).reshape(3, 5)[:, 3])
    assert median[0, 1] >= 1e-8, "a logarithmic axis has no place for zero"


def test_the_marked_head_stands_at_its_layer_and_number():
    line, others, marked = lines(dots())
    assert line[:, 1].tolist() == [5, 5]
    assert others[7].tolist() == marked[0].tolist() == [2, 7], "layer and head have changed places"


def test_small_gradients_show_on_a_logarithmic_axis():
    picture = gradient_figure({2: [1e-2, 1e-3]}, {2: [1e-7, 1e-5]}, logarithmic=True)
    axes = picture.figure.axes[0]
    assert axes.get_yscale() == "log"
    np.testing.assert_allclose(lines(picture)[0], [[1, 1e-7], [2, 1e-5]])
