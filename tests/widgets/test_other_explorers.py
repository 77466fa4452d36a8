"""Scaling, position and head explorers on a page: values, controls and what they refuse."""

import numpy as np
import pytest
from playwright.sync_api import expect

from transformer_book.widgets import HeadExplorer, PositionExplorer, RotaryExplorer, ScalingExplorer

TOLERANCE = {"rtol": 0, "atol": 1e-12}


def close(explorer, path, expected):
    np.testing.assert_allclose(explorer.array(*path), expected, **TOLERANCE, err_msg=".".join(path))


# Scaling


def test_draws_are_the_same_in_the_page_and_in_python(explore):
    explorer = explore("scaling")
    entry = explorer.element.get_by_role("textbox")
    for draws, dimension in enumerate((1, 7, 64, 1024), start=21):
        entry.fill(str(dimension))
        entry.press("Enter")
        explorer.element.get_by_role("button", name="再抽一次").click()
        twin = ScalingExplorer(dimension=dimension, draws=draws)
        for which, name in enumerate(("Unscaled", "Scaled")):
            close(explorer, [name.lower()], twin.weights[which])
            close(explorer, [f"running{name}"], twin.running_means[which])
            close(explorer, [f"gradient{name}"], twin.gradients[which])


def test_the_running_means_count_their_draws(explore_once):
    explorer = explore_once("scaling")
    chart = explorer.element.locator(".chart svg").bounding_box()
    last = explorer.element.locator(".chart .axis", has_text="20").bounding_box()
    assert chart["x"] + chart["width"] / 2 < last["x"] < chart["x"] + chart["width"]


def test_the_slider_reaches_both_ends(explore_once):
    explorer = explore_once("scaling")
    slider = explorer.element.get_by_role("slider")
    slider.press("Home")
    assert explorer.state("dimension") == 1
    slider.press("End")
    assert explorer.state("dimension") == 1024


def test_a_bad_dimension_is_refused(explore_once):
    explorer = explore_once("scaling")
    entry = explorer.element.get_by_role("textbox")
    for bad in ("", "x", "0", "1025", "1.5", "NaN", "1e9"):
        entry.fill(bad)
        entry.press("Enter")
        assert "保留原来的设置" in explorer.complaint
        assert bad in explorer.complaint
        assert explorer.state("dimension") == 64
        assert entry.input_value() == bad


@pytest.mark.parametrize(
    ("dimension", "expected"), [(1, 0.2075), (16, 0.6854), (256, 0.9227), (1024, 0.9615)]
)
def test_largest_weights_follow_their_law(dimension, expected):
    explorer = ScalingExplorer(dimension=dimension, draws=200)
    largest = [explorer.weights_of_draw(draw, scaled=False).max() for draw in range(1, 201)]
    error = np.std(largest, ddof=1) / np.sqrt(200)
    assert abs(np.mean(largest) - expected) < 3 * error, "the page's random numbers are not standard normal"


# Position


def test_codes_equal_the_library(explore):
    explorer = explore("position")
    for size in (2, 4, 8, 16):
        explorer.radio(str(size))
        close(explorer, ["encoding"], PositionExplorer(size=size).encoding)


def test_the_book_s_code_is_shown(explore_once):
    explorer = explore_once("position")
    assert "(0.841, 0.540, 0.010, 1.000)" in explorer.element.locator(".code").first.text_content()


@pytest.mark.parametrize("size", [4, 16])
def test_a_place_of_the_heat_map_is_a_position(explore_once, size):
    explorer = explore_once("position")
    explorer.set(size=size)
    grid = explorer.element.locator(".code-grid")
    box = grid.bounding_box()
    grid.click(position={"x": box["width"] * 40.5 / 64, "y": 5})
    assert explorer.state("position") == 40
    here = grid.locator("i").bounding_box()
    assert here["x"] + here["width"] / 2 - box["x"] == pytest.approx(box["width"] * 40.5 / 64, abs=2)
    assert grid.locator("canvas").evaluate("c => [c.width, c.height]") == [64, size]


def test_playing_walks_to_the_last_position_and_stops(explore_once):
    explorer = explore_once("position")
    explorer.set(position=61)
    explorer.element.get_by_role("button", name="播放").click()
    explorer.wait("e.state.position === 63")
    expect(explorer.element.get_by_role("button", name="播放")).to_be_visible()
    explorer.element.get_by_role("button", name="播放").click()
    explorer.wait("e.state.position > 0 && e.state.position < 63")
    explorer.element.get_by_role("button", name="暂停").click()
    expect(explorer.element.get_by_role("button", name="播放")).to_be_visible()


# Rotary


def test_moving_both_tokens_keeps_the_score(explore):
    explorer = explore("rotary")
    before = explorer.element.locator(".score").text_content()
    for step in range(1, 6):
        explorer.element.get_by_role("button", name="一起前进一位").click()
        twin = RotaryExplorer(n=5 + step, m=3 + step)
        close(explorer, ["score"], twin.score)
        assert explorer.element.locator(".score").text_content() == before
    sliders = explorer.element.get_by_role("slider")
    sliders.nth(0).press("ArrowRight")
    assert explorer.element.locator(".score").text_content() != before, "moving one alone changes the score"
    close(explorer, ["score"], RotaryExplorer(n=11, m=8).score)


def test_a_bad_vector_entry_is_refused(explore_once):
    explorer = explore_once("rotary")
    entry = explorer.element.get_by_role("textbox").first
    for bad in ("", "k", "1e9", "NaN"):
        entry.fill(bad)
        entry.press("Enter")
        assert bad in explorer.complaint
        assert "保留原来的设置" in explorer.complaint
        assert explorer.state("q") == [1, 0, 0.6, 0.8]


def test_playing_moves_both_and_keeps_the_score(explore_once):
    explorer = explore_once("rotary")
    before = explorer.element.locator(".score").text_content()
    explorer.element.get_by_role("button", name="一起播放").click()
    explorer.wait("e.state.n > 6")
    explorer.element.get_by_role("button", name="暂停").click()
    assert explorer.state("n") - explorer.state("m") == 2
    assert explorer.element.locator(".score").text_content() == before


def test_the_curve_has_a_scale(explore_once):
    explorer = explore_once("rotary")
    largest = max(abs(score) for score in explorer.values("scores"))
    marks = explorer.element.locator(".chart .axis").all_text_contents()
    assert {f"{largest:.1f}", "0", f"−{largest:.1f}"} <= set(marks)


# Heads


def wait_for_data(explorer):
    explorer.wait("e.values.weights")


def test_every_head_equals_python(explore):
    explorer = explore("heads")
    wait_for_data(explorer)
    twin = HeadExplorer()
    for model, title in (("smollm2", "SmolLM2"), ("minilm", "MiniLM")):
        explorer.radio(title)
        twin.sentence, twin.model = 0, model
        for sentence in range(len(twin.catalogue[model]["sentences"])):
            explorer.element.get_by_role("combobox").select_option(str(sentence))
            twin.sentence = sentence
            layers, heads, N, _ = twin.all_weights.shape
            close(explorer, ["maps"], twin.all_weights.reshape(layers * heads, N, N))
            explorer.set(layer=layers - 1, head=heads - 1)
            close(explorer, ["weights"], twin.all_weights[-1, -1])


def test_the_verb_attends_to_its_subject(explore_once):
    explorer = explore_once("heads")
    wait_for_data(explorer)
    assert explorer.element.locator(".keys .weight").nth(1).text_content() == "0.919"
    assert explorer.cells("A")[1][9] == "0.919"


@pytest.mark.parametrize(("model", "layers", "heads"), [("SmolLM2", 30, 9), ("MiniLM", 6, 12)])
def test_layers_go_to_the_right_and_heads_down_in_every_overview(explore_once, model, layers, heads):
    explorer = explore_once("heads")
    wait_for_data(explorer)
    explorer.radio(model)
    explorer.set(layer=1, head=2)
    stage = explorer.element.locator(".stage")
    N = len(explorer.values("tokens"))
    sizes = stage.locator("canvas").evaluate("c => [c.width, c.height]")
    assert sizes == [layers * (N + 1), heads * (N + 1)]
    around, chosen = (part.bounding_box() for part in (stage, stage.locator(".chosen")))
    assert chosen["x"] - around["x"] == pytest.approx(around["width"] / layers, abs=1)
    assert chosen["y"] - around["y"] == pytest.approx(2 * around["height"] / heads, abs=1)
    for key in ("ArrowRight", "ArrowDown"):
        explorer.element.get_by_role("group", name="所有层和头的小图").press(key)
    assert (explorer.state("layer"), explorer.state("head")) == (2, 3)


def test_heads_are_chosen_by_key_and_by_pointer(explore_once):
    explorer = explore_once("heads")
    wait_for_data(explorer)
    overview = explorer.element.get_by_role("group", name="所有层和头的小图")
    overview.press("ArrowRight")
    overview.press("ArrowUp")
    assert (explorer.state("layer"), explorer.state("head")) == (14, 7)
    box = explorer.element.locator(".stage").bounding_box()
    explorer.page.mouse.click(box["x"] + box["width"] * 2.5 / 30, box["y"] + box["height"] * 4.5 / 9)
    assert (explorer.state("layer"), explorer.state("head")) == (2, 4)
    explorer.element.locator(".queries button").nth(5).press("Enter")
    assert explorer.state("query") == 6


def test_presets_show_the_heads_that_they_are_named_for(explore_once):
    """No other head of the model does better, on the sentence shown, what the button says."""
    explorer = explore_once("heads")
    wait_for_data(explorer)

    def press(name):
        explorer.element.get_by_role("button", name=name, exact=True).click()
        place = {name: explorer.state(name) for name in ("model", "sentence", "layer", "head", "query")}
        return HeadExplorer(**place)

    def best(scores):
        return tuple(int(i) for i in np.unravel_index(scores.argmax(), scores.shape))

    for model in ("SmolLM2", "MiniLM"):
        explorer.radio(model)
        twin = press("看前一个词元")
        previous = np.diagonal(twin.all_weights, offset=1, axis1=2, axis2=3).mean(axis=-1)
        assert best(previous) == (twin.layer, twin.head)
    expect(explorer.element.get_by_role("button", name="归纳", exact=True)).to_be_hidden()
    explorer.radio("SmolLM2")
    twin = press("归纳")
    seen = twin.tokens.index(twin.tokens[twin.query - 1])
    assert seen < twin.query - 1, "the token has not stood there before"
    assert best(twin.all_weights[:, :, seen + 1, twin.query - 1]) == (twin.layer, twin.head)
    twin = press("找主语")
    cat, dog, fell = (twin.tokens.index(word) for word in (" cat", " dog", " fell"))
    assert fell == twin.query - 1
    gap = twin.all_weights[:, :, cat, fell] - twin.all_weights[:, :, dog, fell]
    assert best(gap) == (twin.layer, twin.head)


def test_a_head_s_name_stands_at_the_pointer(explore_once):
    explorer = explore_once("heads")
    wait_for_data(explorer)
    stage = explorer.element.locator(".stage")
    box = stage.bounding_box()
    at = {"x": box["width"] * 20.5 / 30, "y": box["height"] * 4.5 / 9}
    stage.hover(position=at)
    expect(explorer.element.locator(".hovered")).to_have_text("L20H4")
    stage.click(position=at)
    assert (explorer.state("layer"), explorer.state("head")) == (20, 4)
    explorer.page.mouse.move(1, 1)
    expect(explorer.element.locator(".hovered")).to_be_hidden()


def test_weights_of_zero_are_left_blank(explore_once):
    explorer = explore_once("heads")
    wait_for_data(explorer)
    cells = explorer.cells("A")
    assert [row[0] for row in cells[1:]] == [""] * (len(cells) - 1), "keys behind the query of a causal model"
    assert "0.000" not in [text for row in cells for text in row]


def test_a_phone_shows_every_head_at_once(explore_once):
    explorer = explore_once("heads", width=390)
    wait_for_data(explorer)
    for model in ("MiniLM", "SmolLM2"):
        explorer.radio(model)
        stage = explorer.element.locator(".stage").bounding_box()
        assert stage["x"] >= 0
        assert stage["x"] + stage["width"] <= 390
        assert stage["height"] < 844


def test_bars_reach_as_far_as_the_largest(explore_once):
    explorer = explore_once("heads")
    wait_for_data(explorer)
    shares = explorer.element.locator(".keys .weight").evaluate_all(
        "all => all.map(e => Number(e.style.getPropertyValue('--share')))"
    )
    assert max(shares) == 1
