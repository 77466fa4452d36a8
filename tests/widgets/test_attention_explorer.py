"""AttentionExplorer on a page: values, toggles, edits, tokens and the trace."""

import itertools

import numpy as np
import pytest
from playwright.sync_api import expect

from transformer_book.widgets import AttentionExplorer

MASKS = {"none": "无", "causal": "因果", "padding": "填充", "window": "滑动窗口"}
TOLERANCE = 1e-12
STATE = AttentionExplorer.state_names


def python_twin(explorer) -> AttentionExplorer:
    """The Python explorer in the state that the page is in."""
    return AttentionExplorer(**{name: explorer.state(name) for name in STATE})


def assert_same(explorer) -> None:
    twin = python_twin(explorer)
    for index, step in enumerate(twin.steps):
        for ours, theirs in (("scores", step.scores), ("weights", step.weights), ("output", step.output)):
            np.testing.assert_allclose(
                explorer.array("heads", str(index), ours), theirs, rtol=0, atol=TOLERANCE, err_msg=ours
            )
    np.testing.assert_allclose(explorer.array("output"), twin.output, rtol=0, atol=TOLERANCE)
    if len(twin.tokens) > 12:
        return  # in colours
    shown = explorer.cells("A")
    weights = twin.steps[0].weights
    whole = bool((weights == weights.round()).all())
    assert shown == [[str(int(x)) if whole else format(x, ".3f") for x in row] for row in weights]


@pytest.mark.parametrize("place", [0, 1], ids=["one head", "three heads"])
def test_every_combination_of_toggles_equals_the_library(explore_once, place):
    explorer = explore_once("attention", place)
    heads = explorer.state("heads")
    switch = explorer.element.get_by_role("switch")
    for mask, label in MASKS.items():
        explorer.radio(label)
        for scaled, head in itertools.product((False, True), range(heads + 1) if heads > 1 else (0,)):
            switch.set_checked(scaled)
            if heads > 1:
                explorer.radio("全部" if head == 0 else str(head))
            assert [explorer.state(n) for n in ("mask", "scaled", "head")] == [mask, scaled, head]
            assert_same(explorer)


@pytest.mark.parametrize("seed", range(4))
def test_random_matrices_give_the_library_s_values_and_digits(explore_once, seed):
    random = np.random.default_rng(seed)
    N, D, size, heads = random.integers([2, 1, 1, 1], [9, 5, 4, 4])
    shapes = {
        "X": (D, N),
        "Omega_q": (heads * size, D),
        "Omega_k": (heads * size, D),
        "Omega_v": (heads * 2, D),
    }
    explorer = explore_once("attention")
    explorer.set(
        **{name: random.normal(scale=2, size=shape).tolist() for name, shape in shapes.items()},
        tokens=[f"t{n}" for n in range(N)],
        heads=int(heads),
        mask=str(random.choice(list(MASKS))),
        scaled=bool(seed % 2),
    )
    assert_same(explorer)


def test_it_starts_with_the_worked_example(explore_once):
    explorer = explore_once("attention")
    column = [row[0] for row in explorer.cells("A")]
    assert column == ["0.090", "0.245", "0.665"]
    assert explorer.cells("S =") == [["1", "0", "1"], ["2", "2", "4"], ["3", "2", "5"]]
    assert explorer.cells("Sa(X)") == [["0.755", "0.532", "0.735"], ["0.910", "0.937", "0.987"]]
    explorer.element.get_by_role("switch").check()
    assert [row[1] for row in explorer.cells("A")] == ["0.108", "0.446", "0.446"]


def test_masked_scores_are_marked_without_colour(explore_once):
    explorer = explore_once("attention")
    explorer.radio("因果")
    assert [row[0] for row in explorer.cells("S =")] == ["1", "−∞", "−∞"]


def test_folded_steps_are_filled_as_they_unfold_and_for_paper(explore):
    shown = "e => e.shadowRoot.querySelector('.scores td[data-row]')?.textContent"
    explorer = explore("attention")
    assert explorer.element.evaluate(shown) is None, "half of all numbers, for readers who do not look"
    explorer.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert explorer.element.evaluate(shown) == "1"
    explorer.set(scaled=True)
    assert explorer.element.evaluate(shown) == "1"
    explorer.unfold()
    assert explorer.element.evaluate(shown) == "0.707"
    explorer.set(scaled=False)
    assert explorer.element.evaluate(shown) == "1"


@pytest.mark.parametrize("matrix", ["X", "Omega q", "Omega k", "Omega v"])
def test_a_bad_entry_is_refused_with_a_reason(explore_once, matrix):
    explorer = explore_once("attention")
    explorer.unfold()
    before = explorer.values()
    entry = explorer.element.get_by_label(f"{matrix} 2, 1", exact=True)
    kept = entry.input_value()
    for bad in ("abc", "", "1e9", "NaN", "0x10", "-1001", "Infinity"):
        entry.fill(bad)
        entry.press("Enter")
        assert explorer.complaint.strip().endswith("保留原来的设置。")
        assert bad in explorer.complaint
        assert explorer.values() == before
        assert entry.input_value() == bad, "what was typed stays to be mended"
    entry.press("Escape")
    assert entry.input_value() == kept
    assert explorer.complaint == ""


def test_phones_offer_a_keyboard_with_a_minus(explore_once):
    modes = (
        explore_once("attention")
        .element.get_by_role("textbox")
        .evaluate_all("all => all.map(e => e.inputMode)")
    )
    assert not {"decimal", "numeric"} & set(modes), "these keyboards have no minus on some phones"


def test_a_good_entry_changes_everything_behind_it(explore_once):
    explorer = explore_once("attention")
    entry = explorer.element.get_by_label("X 2, 1", exact=True)
    entry.fill("-2.5")
    entry.press("Enter")
    assert explorer.state("X")[1][0] == -2.5
    entry.press("ArrowUp")
    assert explorer.state("X")[1][0] == -1.5
    for typed in ("-01.50", "−1.5", "－１．５"):
        entry.fill("0")
        entry.fill(typed)
        entry.press("Enter")
        assert entry.input_value() == "-1.5", "an entry shows what was read"
    assert_same(explorer)


def test_a_token_is_added_renamed_and_removed(explore_once):
    explorer = explore_once("attention")
    maps = [explorer.state(name) for name in ("Omega_q", "Omega_k", "Omega_v")]
    explorer.element.get_by_role("button", name="加一个词元").click()
    assert np.shape(explorer.values("heads", "0", "weights")) == (4, 4)
    assert [explorer.state(name) for name in ("Omega_q", "Omega_k", "Omega_v")] == maps
    assert_same(explorer)
    name = explorer.element.get_by_label("词元 2", exact=True)
    name.fill("猫")
    name.press("Enter")
    assert explorer.state("tokens")[1] == "猫"
    name.fill(" ")
    name.press("Enter")
    assert explorer.state("tokens")[1] == "猫"
    assert "不能为空" in explorer.complaint
    explorer.element.get_by_role("button", name="删去 猫").click()
    assert explorer.state("tokens") == ["dog", "fell", "x₄"]
    assert_same(explorer)


def test_the_choice_of_heads_follows_their_number(explore_once):
    explorer = explore_once("attention")
    explorer.set(heads=2)
    explorer.radio("2")
    assert explorer.state("head") == 2
    assert_same(explorer)


def test_a_new_token_takes_a_name_that_is_free(explore_once):
    explorer = explore_once("attention")
    explorer.element.get_by_role("button", name="删去 cat").click()
    explorer.element.get_by_role("button", name="加一个词元").click()
    explorer.element.get_by_role("button", name="加一个词元").click()
    assert explorer.state("tokens") == ["dog", "fell", "x₃", "x₄"]


def test_removing_by_key_keeps_the_focus_in_the_row(explore_once):
    explorer = explore_once("attention")
    focused = "e => e.shadowRoot.activeElement?.getAttribute('aria-label')"
    explorer.element.get_by_role("button", name="删去 fell").press("Enter")
    assert explorer.element.evaluate(focused) == "删去 cat"
    explorer.page.keyboard.press("Enter")
    assert explorer.state("tokens") == ["dog"]
    assert explorer.element.evaluate(focused) == "词元 1"


def test_the_other_tokens_keep_their_elements_when_one_goes(explore_once):
    explorer = explore_once("attention")
    set_tokens(explorer, 14)
    last = explorer.element.get_by_label("词元 14", exact=True)
    last.focus()
    element = last.element_handle()
    explorer.set(tokens=[f"t{n + 1}" for n in range(14) if n != 1], X=[[0] * 13, [1] * 13], query=1)
    assert element.evaluate("e => e.getRootNode().activeElement === e"), "the field was made anew"
    assert element.get_attribute("aria-label") == "词元 13"
    names = colour_map(explorer, "A = softmax").locator(".columns")
    assert names.text_content().split("\n") == explorer.state("tokens")
    rows = explorer.element.locator(".trace tbody th").all_text_contents()
    assert rows == [f"{m + 1} {token}" for m, token in enumerate(explorer.state("tokens"))]
    last = explorer.element.get_by_label("词元 13", exact=True)
    last.fill("猫")
    last.press("Enter")
    assert explorer.state("tokens")[12] == "猫"
    explorer.element.get_by_role("button", name="移动 t3").press("ArrowLeft")
    assert explorer.state("tokens")[:3] == ["t3", "t1", "t4"]
    explorer.element.get_by_role("button", name="删去 t4").press("Enter")
    assert explorer.state("tokens")[:3] == ["t3", "t1", "t5"]
    assert_same(explorer)


@pytest.mark.parametrize("how", ["keys", "drag"])
def test_outputs_move_with_the_tokens(explore_once, how):
    explorer = explore_once("attention")
    before = explorer.array("output")
    grip = explorer.element.get_by_role("button", name="移动 dog")
    if how == "keys":
        grip.press("ArrowRight")
        explorer.element.get_by_role("button", name="移动 dog").press("ArrowRight")
    else:
        grip.scroll_into_view_if_needed()
        start = grip.bounding_box()
        goal = explorer.element.get_by_role("button", name="移动 fell").bounding_box()
        mouse = explorer.page.mouse
        mouse.move(start["x"] + 8, start["y"] + 8)
        mouse.down()
        mouse.move(goal["x"] + 40, goal["y"] + 8, steps=9)
        mouse.up()
    assert explorer.state("tokens") == ["cat", "fell", "dog"]
    focused = explorer.element.evaluate("e => e.shadowRoot.activeElement.getAttribute('aria-label')")
    assert focused == "移动 dog", "the focus moves with its token"
    assert explorer.state("query") == 3, "the query that is followed moves with its token"
    np.testing.assert_allclose(explorer.array("output"), before[:, [1, 2, 0]], rtol=0, atol=TOLERANCE)


def trace(explorer) -> list[str]:
    return explorer.element.locator(".trace tr").all_inner_texts()


def test_pointing_at_an_output_traces_its_query(explore_once):
    explorer = explore_once("attention")
    explorer.element.locator("table.matrix", has_text="Sa(X)").locator("tbody td").nth(1).hover()
    lines = [line.split("\t") for line in trace(explorer)]
    assert [line[3] for line in lines[1:4]] == ["0.063", "0.468", "0.468"]
    assert lines[1][4] == "0.063 (1, 0)"
    assert lines[4][-1] == "(0.532, 0.937)"
    assert explorer.state("query") == 1, "pointing does not pin"


def test_tabbing_to_an_output_traces_it_and_says_so(explore_once):
    explorer = explore_once("attention")
    buttons = explorer.element.locator("table.matrix", has_text="Sa(X)").get_by_role("button")
    buttons.nth(0).focus()
    explorer.page.keyboard.press("Tab")
    assert "(0.532, 0.937)" in trace(explorer)[-1]
    assert "0.468" in explorer.element.get_by_role("status").text_content()
    explorer.page.keyboard.press("Enter")
    assert explorer.state("query") == 2
    assert buttons.nth(1).get_attribute("aria-pressed") == "true"


def set_tokens(explorer, N: int, **state) -> None:
    explorer.set(
        tokens=[f"t{n + 1}" for n in range(N)],
        X=[[n % 5 - 2 for n in range(N)], [n % 3 for n in range(N)]],
        **state,
    )


def colour_map(explorer, title: str):
    return explorer.element.locator(".colour-map", has_text=title)


PIXELS = """(canvas, [values, limit]) => {
  const { shadeColour, stepOf } = globalThis.explorerParts;
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const theme = canvas.closest(".dark") ? "dark" : "light";
  const expected = values.flat().flatMap((x) => (x === null ? [0, 0, 0, 0]
    : [...shadeColour(theme, x < 0 ? "negative" : "positive", stepOf(x, limit)), 255]));
  return [canvas.width, canvas.height, expected.findIndex((x, i) => x !== data[i])];
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_matrices_of_more_than_12_tokens_are_drawn_in_colours(explore_once, scheme):
    explorer = explore_once("attention", color_scheme=scheme)
    set_tokens(explorer, 12, mask="causal")
    expect(explorer.element.locator(".colour-map")).to_have_count(0)
    set_tokens(explorer, 13, mask="causal")
    explorer.unfold()
    assert_same(explorer)
    expect(explorer.element.locator("table.matrix:visible")).to_have_count(3)  # the maps, of 2 columns
    largest = np.abs(explorer.array("heads", "0", "scores")).max()
    for title, limit, *path in (
        ("S = K", largest, "heads", "0", "masked"),
        ("A = softmax", 1, "heads", "0", "weights"),
        ("Q =", np.abs(explorer.array("Q")).max(), "Q"),
    ):
        values = explorer.values(*path)
        found = colour_map(explorer, title).locator("canvas").evaluate(PIXELS, [values, float(limit)])
        assert found == [13, len(values), -1], f"{title}: another size, or a pixel of another colour"
    set_tokens(explorer, 12)
    expect(explorer.element.locator(".colour-map:visible")).to_have_count(0)
    assert_same(explorer)


def test_the_number_of_a_cell_in_colours_is_shown_and_spoken(explore_once):
    explorer = explore_once("attention")
    set_tokens(explorer, 40, mask="causal", query=5)
    explorer.unfold()
    weights = colour_map(explorer, "A = softmax")
    stage, number = weights.get_by_role("group"), weights.get_by_role("status")
    values = explorer.values("heads", "0", "weights")
    stage.focus()
    expect(number).to_have_text(f"(1, 5)  t1, t5: {values[0][4]:.3f}")
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft", "ArrowUp", "ArrowRight"):
        stage.press(key)
    expect(number).to_have_text(f"(2, 6)  t2, t6: {values[1][5]:.3f}")
    expect(explorer.element.locator(".trace .pointed")).to_contain_text("2 t2")
    assert "t6" in explorer.element.locator(".trace-query").text_content()
    said = explorer.element.locator(".spoken").text_content()
    assert said.count("t") <= 5, "40 weights are too many to listen to"
    stage.press("Enter")
    assert explorer.state("query") == 6
    masked = colour_map(explorer, "S = K").get_by_role("group")
    masked.evaluate("e => e.scrollIntoView({ block: 'center' })")
    box = masked.bounding_box()
    masked.hover(position={"x": box["width"] * 2.5 / 40, "y": box["height"] * 39.5 / 40})
    expect(colour_map(explorer, "S = K").get_by_role("status")).to_have_text("(40, 3)  t40, t3: −∞")
    masked.click(position={"x": box["width"] * 8.5 / 40, "y": 3})
    assert explorer.state("query") == 9
    expect(number).to_have_text("")


def test_an_entry_in_colours_is_chosen_and_changed(explore_once):
    explorer = explore_once("attention")
    set_tokens(explorer, 30)
    place = explorer.element.locator(".inputs .colour-map")
    stage, entry = place.get_by_role("group"), place.get_by_role("textbox")
    stage.focus()
    stage.press("ArrowRight")
    stage.press("ArrowDown")
    expect(place.get_by_role("status")).to_have_text("(2, 2)  2, t2: 1")
    stage.press("Enter")
    expect(entry).to_be_focused()
    expect(entry).to_have_accessible_name("X 2, 2")
    entry.fill("-2.5")
    entry.press("Enter")
    assert explorer.state("X")[1][1] == -2.5
    expect(place.get_by_role("status")).to_have_text("(2, 2)  2, t2: -2.5")
    entry.fill("abc")
    entry.press("Enter")
    assert "不是数" in explorer.complaint
    expect(entry).to_have_value("abc")
    assert explorer.state("X")[1][1] == -2.5
    box = stage.bounding_box()
    stage.click(position={"x": box["width"] * 29.5 / 30, "y": 2})
    expect(entry).to_have_accessible_name("X 1, 30")
    expect(entry).to_be_focused()
    entry.press("ArrowUp")
    assert explorer.state("X")[0][29] == 29 % 5 - 2 + 1
    assert_same(explorer)


def test_colours_fit_on_a_phone_and_have_no_faults_for_axe(explore_once, barriers):
    explorer = explore_once("attention", width=390, height=844, has_touch=True, is_mobile=True)
    set_tokens(explorer, 64, mask="padding", padding=3)
    assert explorer.page.evaluate("document.documentElement.scrollWidth") == 390
    stage = colour_map(explorer, "A = softmax").get_by_role("group")
    stage.press("ArrowLeft")
    for _ in range(63):
        stage.press("ArrowRight")
    expect(colour_map(explorer, "A = softmax").locator(".cell")).to_be_in_viewport()
    assert not barriers(explorer.page, "attention-explorer")


def test_at_most_64_tokens(explore_once):
    explorer = explore_once("attention")
    set_tokens(explorer, 64)
    assert_same(explorer)
    assert explorer.element.get_by_role("button", name="加一个词元").is_disabled()


def test_padding_leaves_a_real_token(explore_once):
    explorer = explore_once("attention")
    explorer.radio("填充")
    more = explorer.element.get_by_role("button", name="填充 +1")
    more.click()
    assert explorer.state("padding") == 2
    assert more.is_disabled()
    explorer.element.get_by_role("button", name="删去 fell").click()
    assert explorer.state("padding") == 1
    assert_same(explorer)


def in_view(explorer, selector: str) -> bool:
    """Whether all of an element stands between the upper and the lower edge of the screen."""
    return explorer.element.locator(selector).evaluate(
        "e => { const box = e.getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight; }"
    )


def test_it_stands_within_one_screen(explore_once):
    explorer = explore_once("attention")
    assert explorer.element.bounding_box()["height"] < 800
    explorer.element.evaluate("e => e.scrollIntoView()")
    assert all(in_view(explorer, part) for part in (".tokens", ".result", ".outputs", ".trace"))
    order = explorer.element.locator("table.matrix caption").all_text_contents()
    assert [text[0] for text in order[:3]] == ["X", "A", "S"], (
        "the input, the weights and the output come first"
    )
    expect(explorer.element.get_by_label("Omega k 1, 1", exact=True)).to_be_hidden()


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("place", [0, 1], ids=["one head", "three heads"])
def test_the_result_stays_in_view_while_one_edits(explore_once, width, place):
    explorer = explore_once("attention", place, width=width, height=844)
    explorer.unfold()
    entry = explorer.element.get_by_label("Omega v 2, 1", exact=True)
    entry.scroll_into_view_if_needed()
    entry.focus()
    entry.fill("2")
    entry.press("Enter")
    assert in_view(explorer, ".outputs")
    above, below = explorer.element.locator(".outputs").bounding_box(), entry.bounding_box()
    assert above["y"] + above["height"] <= below["y"], "the result lies over what is being edited"


def animated(explorer) -> list[str]:
    """How often each part of the flow is lit up."""
    return explorer.element.evaluate(
        """e => [...e.shadowRoot.querySelector(".result").children]
          .map((part) => getComputedStyle(part))
          .filter((style) => style.animationName !== "none").map((style) => style.animationIterationCount)"""
    )


def test_the_flow_lights_up_once_it_is_seen(explore_once):
    explorer = explore_once("attention")
    explorer.element.evaluate("e => e.scrollIntoView()")
    explorer.wait("e.shadowRoot.querySelector('.lights-up')")
    assert animated(explorer) == ["1"] * 5
    explorer.wait("e.shadowRoot.querySelector('.result').getAnimations({ subtree: true }).length === 0")
    explorer.radio("因果")
    assert explorer.element.evaluate("e => e.shadowRoot.getAnimations().length") == 0, "it lights up again"


def test_nothing_lights_up_for_a_reader_who_wants_stillness(explore_once):
    explorer = explore_once("attention", reduced_motion="reduce")
    explorer.element.evaluate("e => e.scrollIntoView()")
    explorer.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert animated(explorer) == []
