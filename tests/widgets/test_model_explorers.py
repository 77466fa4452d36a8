"""Translation, digits, weights and vectors: what the page shows is what the library computes."""

import numpy as np
import pytest
from playwright.sync_api import expect

from transformer_book.numerals import chinese
from transformer_book.widgets import (
    DigitsExplorer,
    TranslationExplorer,
    VectorExplorer,
    WeightsExplorer,
    bundle,
)

NEAR = {"rtol": 0, "atol": 1e-5}  # the page computes in float64, the library in float32
EXACT = {"rtol": 0, "atol": 1e-12}


def press(explorer, name):
    explorer.element.get_by_role("button", name=name, exact=True).click()


@pytest.fixture
def loaded(explore_once):
    """`loaded(kind)`: an explorer with its models loaded."""

    def start(kind, **options):
        explorer = explore_once(kind, reduced_motion="reduce", **options)
        explorer.load_model()
        return explorer

    return start


# Translation


def test_translations_and_alignments_are_the_library_s(explore):
    explorer = explore("translation")
    explorer.load_model()
    for text, layer, head in (("三万零二百零五", 1, -1), ("30205", 0, 2), ("123456789", 1, 0)):
        explorer.set(text=text, layer=layer, head=head)
        explorer.answered()
        twin = TranslationExplorer(text=text, layer=layer, head=head)
        assert explorer.values("translation") == twin.translation
        ours = explorer.array("alignment")
        np.testing.assert_allclose(ours, twin.alignment[:, : ours.shape[1]], **NEAR)


def test_right_and_wrong_answers_are_told_apart(loaded):
    explorer = loaded("translation")
    verdict = explorer.element.locator(".verdict")
    expect(verdict).to_have_text("对：30205")
    explorer.element.get_by_role("combobox").select_option("123456789")
    expect(verdict).to_contain_text("不对，应该是 一亿二千三百四十五万六千七百八十九。")
    assert explorer.element.get_by_text("训练时的数都小于").is_visible()
    field = explorer.element.get_by_role("textbox")
    for text, says in (("三亿", "词表里没有“亿”"), ("", "请先写一个数"), ("1" * 16, "最多 15 个字")):
        field.fill(text)
        field.press("Enter")
        assert says in explorer.complaint
        assert explorer.state("text") == "123456789"
        assert "下面还是“123456789”的译文。" in explorer.complaint
    expect(explorer.element.get_by_text("“123456789”的译文", exact=True)).to_be_visible()
    field.fill("１２")
    field.press("Enter")
    assert explorer.state("text") == "12"
    field.fill("三三")
    field.press("Enter")
    expect(verdict).to_contain_text("没有标准答案")
    expect(explorer.element.get_by_text("“三三”的译文", exact=True)).to_be_visible()
    assert explorer.complaint == ""


def test_right_answers_are_those_of_the_library(read):
    page = read().page
    page.add_script_tag(content=bundle.source("js/translation/numerals.js"))
    random = np.random.default_rng(9)
    numbers = {0, 10, 12, 100, 110, 1001, 10_000, 100_000, 100_001, 1_000_010, 10_000_000, 100_000_000, 10**9}
    numbers |= {
        int(n) for digits in range(1, 12) for n in random.integers(10 ** (digits - 1), 10**digits, 40)
    }
    numbers |= set((random.choice([0, 1], (60, 9)) @ 10 ** np.arange(9)).tolist())  # many zeros
    digits = [str(n) for n in sorted(numbers)]
    shown = page.evaluate(
        "all => all.map((digits) => [rightAnswer(digits), rightAnswer(rightAnswer(digits))])", digits
    )
    wrong = [
        (d, *found) for d, found in zip(digits, shown, strict=True) if found != [chinese.write(int(d)), d]
    ]
    assert not wrong
    for text in ("", "三三", "007", "十零", "一百零二十", "万", "9" * 13):
        assert page.evaluate("rightAnswer", text) is None, text


def test_the_translation_is_played_back_character_by_character(explore_once):
    explorer = explore_once("translation")
    explorer.load_model()
    # The page notes each step itself: from outside, a busy machine may look when the first has gone.
    explorer.element.evaluate(
        """e => {
          const target = e.shadowRoot.querySelector(".target");
          window.played = [];
          const shown = () => [...target.querySelectorAll("b")].map((b) => b.textContent).join("");
          const note = () => played.push(shown());
          new MutationObserver(note).observe(target, { subtree: true, childList: true, characterData: true });
        }"""
    )
    press(explorer, "逐字播放")
    expect(explorer.element.locator(".target b")).to_have_text(["3", "0", "2", "0", "5", "完"])
    assert explorer.page.evaluate("played") == ["3·····", "30····", "302···", "3020··", "30205·", "30205完"]


# Digits


def test_readings_and_attention_are_the_library_s(explore):
    explorer = explore("digits")
    explorer.load_model()
    random = np.random.default_rng(10)
    for shuffled, layer, head, query in ((False, 1, -1, 0), (True, 0, 3, 7), (False, 0, 1, 16)):
        state = {"shuffled": shuffled, "layer": layer, "head": head, "query": query}
        state["pixels"] = random.integers(17, size=64).tolist()
        explorer.set(**state)
        explorer.answered()
        twin = DigitsExplorer(**state)
        np.testing.assert_allclose(explorer.array("seen").reshape(8, 8) / 16, twin.seen, **EXACT)
        np.testing.assert_allclose(explorer.array("probabilities"), twin.probabilities, **NEAR)
        weights = [explorer.values("classWeight"), *explorer.array("patchWeights").ravel()]
        np.testing.assert_allclose(weights, twin.weights, **NEAR)


def test_only_the_model_with_positions_minds_the_order_of_the_patches(loaded):
    explorer = loaded("digits")
    before = explorer.array("probabilities")
    explorer.element.get_by_role("switch", name="打乱图像块").check()
    explorer.answered()
    after = explorer.array("probabilities")
    np.testing.assert_allclose(after[1], before[1], **NEAR)
    assert np.abs(after[0] - before[0]).max() > 0.1


def test_a_digit_is_drawn_by_key_and_by_pointer(loaded):
    explorer = loaded("digits")
    press(explorer, "清空")
    board = explorer.element.locator(".board").first
    board.press("ArrowRight")
    board.press("ArrowDown")
    board.press(" ")
    pixels = np.array(explorer.state("pixels")).reshape(8, 8)
    assert pixels[4, 4] == 16
    assert [pixels[p] for p in ((3, 4), (5, 4), (4, 3), (4, 5))] == [4] * 4
    box = board.bounding_box()
    explorer.page.mouse.move(box["x"] + box["width"] / 16, box["y"] + box["height"] / 16)
    explorer.page.mouse.down()
    explorer.page.mouse.move(box["x"] + box["width"] * 3 / 16, box["y"] + box["height"] / 16)
    explorer.page.mouse.up()
    assert explorer.state("pixels")[:2] == [16, 16]
    explorer.element.get_by_role("switch", name="橡皮").check()
    board.press(" ")
    assert explorer.state("pixels")[:2] == [16, 0]


def test_a_drawing_is_shifted_by_a_pixel(explore_once):
    explorer = explore_once("digits")
    before = np.array(explorer.state("pixels")).reshape(8, 8)
    for name, axis, step in (("左移一格", 1, -1), ("下移一格", 0, 1)):
        press(explorer, name)
        before = np.roll(before, step, axis)
        before[(slice(None), -1) if axis else (0, slice(None))] = 0
        np.testing.assert_array_equal(np.array(explorer.state("pixels")).reshape(8, 8), before)


def test_ink_that_leaves_the_picture_is_told(explore_once):
    explorer = explore_once("digits")
    pixels = [0] * 64
    pixels[6] = 1  # faint: two steps from the right edge
    explorer.set(pixels=pixels)
    press(explorer, "右移一格")
    assert explorer.complaint == "", "nothing is lost yet"
    press(explorer, "右移一格")
    assert "有笔画移出了画面" in explorer.complaint
    press(explorer, "左移一格")
    assert explorer.complaint == "", "an empty picture has nothing to lose"


# Weights


def test_weights_votes_and_answers_are_the_library_s(explore):
    explorer = explore("weights")
    explorer.load_model()
    for text in ("房间很干净，下次还会来。", "服务太差了，再也不来鬯"):
        explorer.set(text=text, weights=[])
        explorer.answered()
        for button in ("找最远的一组", "打乱权重", "平均分配"):
            twin = WeightsExplorer(text=text)
            np.testing.assert_allclose(explorer.array("own"), twin.own, **NEAR)
            np.testing.assert_allclose(explorer.array("votes"), twin.votes, rtol=0, atol=1e-4)
            press(explorer, button)
            twin.weights = explorer.state("weights")
            assert abs(explorer.values("chance") - twin.chance) < 1e-4
            assert abs(explorer.values("divergence") - twin.divergence) < 1e-5
        press(explorer, "用回自己的")
        press(explorer, "找最远的一组")
        assert abs(explorer.values("chance") - explorer.values("ownChance")) < 1e-12
        twin.find()
        np.testing.assert_allclose(explorer.state("weights"), twin.weights, rtol=0, atol=1e-4)


def test_a_dragged_weight_leaves_the_rest_to_the_others(loaded):
    explorer = loaded("weights")
    own = explorer.array("own")
    slider = explorer.element.get_by_role("slider").nth(2)
    slider.press("End")
    assert explorer.state("weights") == [0, 0, 1] + [0] * 9
    slider.press("Home")
    assert explorer.state("weights") == pytest.approx([1 / 11, 1 / 11, 0] + [1 / 11] * 9)
    press(explorer, "用回自己的")
    slider.press("ArrowRight")
    moved = explorer.array("present")
    np.testing.assert_allclose(
        np.delete(moved, 2) / np.delete(own, 2), (1 - moved[2]) / (1 - own[2]), **EXACT
    )


def test_characters_that_the_vocabulary_lacks_are_named_at_the_field(loaded):
    explorer = loaded("weights")
    lacks = explorer.element.locator("p.problem[role=status]")
    expect(lacks).to_have_text("")
    for text, says in (("鬯好鬯饕", "词表里没有“鬯”“饕”，都读成同一个生字。"), ("很好", "")):
        explorer.element.get_by_role("textbox").fill(text)
        press(explorer, "读")
        explorer.answered()
        expect(lacks).to_have_text(says)


def test_shuffled_weights_are_the_same_weights(loaded):
    explorer = loaded("weights")
    press(explorer, "打乱权重")
    assert sorted(explorer.state("weights")) == sorted(explorer.values("own"))
    assert explorer.state("weights") != explorer.values("own")


def test_each_chance_names_its_weights(loaded):
    explorer = loaded("weights")
    explorer.element.get_by_role("slider").first.press("End")  # all weight on one character
    named = explorer.element.locator("dl")
    for name, key in (("用模型自己的权重", "ownChance"), ("用现在的权重", "chance")):
        value = named.locator("dt", has_text=name).locator("xpath=following-sibling::dd[1]")
        expect(value).to_have_text(f"{explorer.values(key):.3f}")
    assert explorer.values("chance") != explorer.values("ownChance")


# Vectors


def test_scores_shadows_and_weights_are_the_library_s(explore):
    explorer = explore("vectors")
    for q, K in (([1, 1], [[1, 1, 2], [0, 1, 1]]), ([-2, 0.5], [[3, -4], [1, 2]]), ([0, 0], [[1], [2]])):
        explorer.set(q=q, K=K, key=1)
        twin = VectorExplorer(q=q, K=K, key=1)
        for name in ("scores", "shadows", "weights"):
            np.testing.assert_allclose(explorer.array(name), getattr(twin, name), **EXACT)


def test_a_shadow_is_a_length_times_a_cosine(explore_once):
    explorer = explore_once("vectors")
    explorer.set(q=[1, 1], K=[[3, 0.5], [0, 0.5]], key=1)
    shadow = explorer.element.locator(".side .hint")
    expect(shadow).to_have_text("影子 = |k₁| × 夹角的余弦 = 3.000 × 0.707 = 2.121")
    explorer.set(key=2)
    expect(shadow).to_have_text("影子 = |k₂| × 夹角的余弦 = 0.707 × 1.000 = 0.707")
    explorer.set(q=[0, 0])
    expect(shadow).to_have_text("影子 = |k₂| × 夹角的余弦 = 0.707 × – = 0.000")


def test_an_arrow_is_dragged_and_typed(explore_once):
    explorer = explore_once("vectors")
    assert explorer.element.locator(".sentence").text_content().endswith("= 3.000")
    box = explorer.element.locator("svg").bounding_box()
    unit = box["width"] / (2 * (4 * 40 + 24)) * 40
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    explorer.page.mouse.move(middle[0] + unit, middle[1])  # the first key, (1, 0)
    explorer.page.mouse.down()
    explorer.page.mouse.move(middle[0] - 2 * unit, middle[1] - 1.5 * unit)
    explorer.page.mouse.up()
    assert [row[0] for row in explorer.state("K")] == [-2, 1.5]
    assert explorer.state("key") == 1, "the dragged key is the one in view"
    entry = explorer.element.get_by_role("textbox").first
    entry.press("ArrowUp")
    assert explorer.state("q") == [2, 1]
    entry.fill("9")
    entry.press("Enter")
    assert "超出范围" in explorer.complaint


def test_keys_are_added_and_removed(explore_once):
    explorer = explore_once("vectors")
    for _ in range(3):
        press(explorer, "加一个键")
    assert explorer.element.get_by_role("button", name="加一个键").is_disabled()
    assert len(explorer.state("K")[0]) == 6
    for _ in range(5):
        press(explorer, "减一个键")
    assert (explorer.state("K"), explorer.state("key")) == ([[1], [0]], 1)
