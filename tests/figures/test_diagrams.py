"""The diagrams draw the library's numbers, large enough for a phone, the same way every time."""

import functools

import matplotlib
import numpy as np
import pytest
import torch
from matplotlib.backends.backend_agg import FigureCanvasAgg

from transformer_book import equations as eq
from transformer_book import figures
from transformer_book.attention import tiled_attention
from transformer_book.attention.tiled import Tiling
from transformer_book.experiments import numerals
from transformer_book.figures.picture import TEXT
from transformer_book.models import EncoderDecoder

RNG = np.random.default_rng(3)
EXAMPLE = eq.worked_example()
STEP = eq.self_attention(*EXAMPLE)
IDS, TABLE = [464, 3797, 11], RNG.normal(size=(4, 4000))
HEADS = [eq.Head(*RNG.normal(size=(3, 2, 6))) for _ in range(3)]
OMEGA_C = RNG.normal(size=(6, 6))
MIXED = eq.multi_head(RNG.normal(size=(6, 4)), HEADS, OMEGA_C)
KEYS, VALUES = RNG.normal(size=(2, 3, 4))
SCORES = RNG.normal(size=(6, 4))
KEY, QUERY, THETA = [1.0, 2.0], [0.5, -1.0], 0.3


@functools.cache
def columns():
    return figures.columns_figure(["The", " cat", " $"], IDS, TABLE[:, IDS])


@functools.cache
def flow():
    return figures.attention_flow_figure(EXAMPLE.X, STEP)


@functools.cache
def shadow():
    return figures.shadow_figure(STEP.queries[:, 0], STEP.keys)


@functools.cache
def shapes():
    return figures.shapes_figure(D=6, D_q=4, N=5)


@functools.cache
def turn():
    return figures.turn_figure(KEY, QUERY, THETA, [(2, 5), (6, 9), (5, 2)])


@functools.cache
def heads():
    return figures.stacked_heads_figure(MIXED, OMEGA_C)


@functools.cache
def masks():
    return figures.masks_figure({"a": np.ones((3, 3), bool), "b": eq.causal_mask(3)})


@functools.cache
def wiring():
    return figures.wiring_figure(numerals.NUMERAL_TRANSLATOR, 8, 6)


@functools.cache
def cache():
    return figures.growing_cache_figure([KEYS[:, :n] for n in (1, 2, 3)], [VALUES[:, :n] for n in (1, 2, 3)])


@functools.cache
def tiling():
    return figures.tiling_figure(SCORES, query_block=3, key_block=2)


DIAGRAMS = [columns, flow, shadow, shapes, turn, heads, masks, wiring, cache, tiling]


def texts(picture, panel=0):
    return [text.get_text() for text in picture.figure.axes[panel].texts if text.get_text()]


def below(picture):
    return [axes.get_xlabel() for axes in picture.figure.axes]


@pytest.mark.parametrize("diagram", DIAGRAMS)
def test_same_bytes_whatever_the_readers_settings(diagram):
    first, settings = diagram.__wrapped__(), {"font.size": 20, "savefig.dpi": 50, "lines.linewidth": 9}
    with matplotlib.rc_context(settings | {"svg.fonttype": "path", "svg.hashsalt": "x"}):
        again = diagram.__wrapped__()
    assert (again.png, again.svg) == (first.png, first.svg), "a setting of the reader leaks into the figure"


@pytest.mark.parametrize("diagram", DIAGRAMS)
def test_letters_are_large_enough_on_a_phone_and_stay_on_the_sheet(diagram):
    figure = diagram().figure
    assert figure.get_size_inches()[0] == 4.8, "a point is a pixel on a phone at 4.8 inches"
    FigureCanvasAgg(figure).draw()  # lays out
    width, height = figure.get_size_inches() * figure.dpi
    for text in figure.findobj(matplotlib.text.Text):
        if not text.get_text() or not text.get_visible():
            continue
        assert text.get_fontsize() >= TEXT, f"{text.get_text()!r} is too small on a phone"
        box = text.get_window_extent()
        inside = box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height
        assert inside, f"{text.get_text()!r} leaves the sheet"


@pytest.mark.parametrize("diagram", DIAGRAMS)
def test_labels_hold_no_prose(diagram):
    words = {"The", "softmax"}
    for text in diagram().figure.findobj(matplotlib.text.Text):
        plain = text.get_text().strip()
        assert plain in words or not any(len(word) > 4 and word.isalpha() for word in plain.split()), plain


def test_each_id_picks_its_column():
    drawn = texts(columns())
    assert [text for text in drawn if text.isdigit()] == ["464", "3797", "11"]
    numbers = [text for text in drawn if "." in text]
    expected = [f"{value:.1f}" for value in TABLE[:, IDS].ravel()]
    assert [float(n) for n in numbers] == [float(e) for e in expected], "entries do not run row by row"
    assert "␣cat" in drawn
    assert r"␣\$" in drawn, "a dollar sign would begin a formula"


def test_the_flow_shows_every_matrix_of_the_example():
    drawn = texts(flow())
    weights = [f"{value:.3f}" for value in STEP.weights.ravel()]
    output = [f"{value:.3f}" for value in STEP.output.ravel()]
    assert [text for text in drawn if text.startswith("0.")] == weights + output
    whole = [int(text) for text in drawn if text.isdigit()]
    expected = [EXAMPLE.X, STEP.keys, STEP.queries, STEP.values, STEP.scores]
    assert whole == [int(entry) for part in expected for entry in part.ravel()]


def test_shadow_times_length_is_the_score():
    for m, caption in enumerate(below(shadow())):
        shadow_, length, score = (float(part.strip("$ ")) for part in
                                  caption.replace("\n", r"\times").replace("=", r"\times").split(r"\times")
                                  if "s_" not in part)  # fmt: skip
        assert score == STEP.scores[m, 0]
        assert shadow_ * length == pytest.approx(score, abs=0.02), "the factors do not give the score"


def test_blocks_have_the_shapes_that_the_matrices_have():
    X, omega = np.ones((6, 5)), np.ones((4, 6))
    step = eq.self_attention(X, omega, omega, np.ones((6, 6)))
    drawn = [text for text in texts(shapes()) if r"\times" in text]
    matrices = [step.queries, omega, X, np.ones((4, 1)), np.ones((1, 5)), step.scores, step.keys.T,
                step.queries, step.output, step.values, step.weights]  # fmt: skip
    assert drawn == [rf"${part.shape[0]} \times {part.shape[1]}$" for part in matrices]


def test_turned_scores_are_the_librarys_and_depend_on_the_offset():
    scores = [float(text.split("=")[1].strip("$ ")) for text in below(turn())]
    exact = [
        (eq.rotation(m * THETA) @ KEY) @ (eq.rotation(n * THETA) @ QUERY) for m, n in [(2, 5), (6, 9), (5, 2)]
    ]
    np.testing.assert_allclose(scores, exact, atol=0.0005)
    assert scores[0] == scores[1] != scores[2]


def filled(axes, size):
    """The shades of the boxes of one size, in the order drawn."""
    boxes = [patch for patch in axes.patches if type(patch).__name__ == "Rectangle"]
    return [b.get_facecolor() for b in boxes if b.get_facecolor()[3] and np.isclose(b.get_width(), size)]


def test_each_head_meets_its_own_columns_of_omega_c():
    drawn = filled(heads().figure.axes[0], 0.175)
    once = 6 * 6 + 6 * 4 + 6 * 4
    assert len(drawn) == once + 6 * 6 + 6 * 4, "a block or a head is missing"
    densest = np.argmax([shade[3] for shade in drawn[:12]])
    assert densest == np.argmax(OMEGA_C[:, :2]), "the first block is not the first columns of Omega_c"


def test_closed_cells_are_hatched_below_the_diagonal():
    closed = [patch.get_hatch() is not None for patch in masks().figure.axes[1].patches]
    assert closed == [m > n for m in range(3) for n in range(3)], "keys and queries have changed places"


def test_wiring_has_the_shapes_of_the_model():
    torch.manual_seed(0)
    model = EncoderDecoder(numerals.NUMERAL_TRANSLATOR).eval()
    result = model(
        torch.ones(1, 8, dtype=torch.long), torch.ones(1, 6, dtype=torch.long), return_weights=True
    )
    drawn = " ".join(texts(wiring()))
    rows, columns = result.cross_attention[0].weights.shape[-1], result.cross_attention[0].weights.shape[-2]
    assert rf"{rows} \times {columns}" in drawn, "keys are rows, queries are columns"
    assert rf"D \times M = {result.memory.shape[2]} \times {result.memory.shape[1]}" in drawn
    assert rf"{result.logits.shape[2]} \times {result.logits.shape[1]}" in drawn


def test_a_step_adds_one_column_and_keeps_the_others():
    drawn = filled(cache().figure.axes[0], 0.2)
    assert len(drawn) == 2 * 3 * (1 + 2 + 3)
    with pytest.raises(ValueError, match=r"keys\[1\] must be keys\[0\] and one column more"):
        figures.growing_cache_figure([KEYS[:, :1], KEYS[:, 1:3]], [VALUES[:, :1], VALUES[:, :2]])


def test_what_the_loop_carries_ends_at_the_softmax_of_the_column():
    drawn = texts(tiling())
    assert [text for text in drawn if text.isdigit()] == ["1", "2", "3", "4", "5", "6"]
    largest, total = SCORES[:, 0].max(), np.exp(SCORES[:, 0] - SCORES[:, 0].max()).sum()
    assert [float(text) for text in drawn if "." in text][-2:] == [round(largest, 2), round(total, 2)]


def test_the_loop_visits_the_tiles_of_the_librarys_tiled_attention(monkeypatch):
    seen = []
    original = Tiling.key_blocks

    def noted(self, rows):
        seen.append((rows, original(self, rows)))
        return seen[-1][1]

    monkeypatch.setattr(Tiling, "key_blocks", noted)
    query, key = torch.randn(1, 1, 4, 2), torch.randn(1, 1, 6, 2)
    tiled_attention(query, key, key, query_block=3, key_block=2)
    of_library = list(seen)
    seen.clear()
    tiling.__wrapped__()
    assert seen[: len(of_library)] == of_library


@pytest.mark.parametrize(
    ("draw", "sentence"),
    [
        (lambda: figures.columns_figure(["a"], [1, 2], TABLE[:, :1]), "tokens must be 1 to 5"),
        (lambda: figures.columns_figure(["a", "b"], [1, 2], TABLE[:, :3]), "X must be a matrix of any × 2"),
        (lambda: figures.attention_flow_figure(np.eye(4), STEP), "X must be at most 3 × 3"),
        (lambda: figures.attention_flow_figure(np.eye(2), STEP), "step.queries must be a matrix of any × 2"),
        (lambda: figures.shadow_figure([0, 0], np.eye(2)), "query must be two numbers, not both 0"),
        (lambda: figures.shadow_figure([1, 0], np.ones((2, 4))), "keys must be at most 3; got 4"),
        (lambda: figures.shapes_figure(6, 0, 5), "D_q must be a whole number"),
        (lambda: figures.shapes_figure(6, 4, 8), "N must be at most 7"),
        (lambda: figures.turn_figure([1], QUERY, 1, [(1, 2)]), "key and query must be two numbers each"),
        (lambda: figures.turn_figure(KEY, QUERY, 1, []), "positions must be 1 to 3 pairs"),
        (lambda: figures.stacked_heads_figure(MIXED, np.eye(5)), "Omega_c must be a matrix of any × 6"),
        (lambda: figures.masks_figure({"a": np.eye(2)}), "masks must be boolean matrices; a is float64"),
        (lambda: figures.wiring_figure(numerals.NUMERAL_TRANSLATOR, 0, 6), "num_sources must be a whole"),
        (lambda: figures.growing_cache_figure([KEYS[:, :1]], []), "keys must be 1 to 4 steps"),
        (lambda: figures.tiling_figure(np.zeros((7, 2)), 1, 1), "scores must be at most 6 × 6"),
        (lambda: figures.tiling_figure(SCORES, 0, 1), "query_block must be a whole number"),
    ],
)
def test_the_argument_that_cannot_be_drawn_is_named(draw, sentence):
    with pytest.raises(ValueError, match=sentence):
        draw()
