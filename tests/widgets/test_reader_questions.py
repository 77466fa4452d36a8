"""Ten questions of a reader, answered by using the page's own controls and reading what it shows."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from transformer_book.experiments.quatrains import VOCABULARY
from transformer_book.widgets import CircuitExplorer, DigitsExplorer, GenerationExplorer


@pytest.fixture
def open_for_reader(explore_once):
    """`open_for_reader(kind)`: the explorer; its models are asked for where it has any."""

    def start(kind, *, model=False):
        explorer = explore_once(kind, reduced_motion="reduce")
        if model:
            explorer.load_model()
        return explorer

    return start


def press(explorer, name):
    explorer.element.get_by_role("button", name=name, exact=True).click()


def write(explorer, field, text):
    box = explorer.element.get_by_role("textbox", name=field, exact=True)
    box.fill(text)
    box.press("Enter")
    explorer.answered()


def numbers(locator) -> list[float]:
    return [float(text.replace("−", "-")) for text in re.findall(r"[-−+]?\d+\.\d+", locator.inner_text())]


def test_what_does_it_write_after_moon(open_for_reader):
    explorer = open_for_reader("generation", model=True)
    write(explorer, "开头", "明月")
    likely = VOCABULARY.decode([int(GenerationExplorer(text="明月").probabilities.argmax())])
    expect(explorer.element.get_by_role("rowheader").first).to_have_text(likely)


def test_does_a_low_temperature_make_it_surer(open_for_reader):
    explorer = open_for_reader("generation", model=True)
    first = explorer.element.locator(".candidates tbody tr").first
    [given, _] = numbers(first)
    explorer.element.get_by_role("slider", name="温度 T").press("Home")
    explorer.answered()
    expect(first.locator("td").nth(1)).to_have_text("1.000")
    assert numbers(first)[0] == given, "the model itself has not changed"


def test_how_is_a_numeral_written_in_digits(open_for_reader):
    explorer = open_for_reader("translation", model=True)
    write(explorer, "要翻译的数", "四万零七十")
    expect(explorer.element.locator(".verdict")).to_have_text("对：40070")


def test_why_does_it_fail_on_nine_digits(open_for_reader):
    explorer = open_for_reader("translation", model=True)
    write(explorer, "要翻译的数", "123456789")
    expect(explorer.element.locator(".verdict")).to_contain_text("不对")
    expect(explorer.element.get_by_text("训练时的数都小于")).to_be_visible()


def test_which_of_the_two_readers_minds_the_order_of_the_patches(open_for_reader):
    explorer = open_for_reader("digits", model=True)
    rows = explorer.element.locator("table.bars tbody")
    before = np.reshape(numbers(rows), (10, 2))
    explorer.element.get_by_role("switch", name="打乱图像块").check()
    explorer.answered()
    after = np.reshape(numbers(rows), (10, 2))
    assert before[:, 0].argmax() == DigitsExplorer().probabilities[0].argmax()
    assert (after[:, 1] == before[:, 1]).all()
    assert (after[:, 0] != before[:, 0]).any()


def test_which_head_copies(open_for_reader):
    explorer = open_for_reader("circuit", model=True)
    names = [f"L{layer}H{head}" for layer in range(2) for head in range(2)]
    found = [numbers(text)[0] for text in explorer.element.locator(".maps small").all()]
    [copies] = [name for name, score in zip(names, found, strict=True) if score == max(found)]
    rises = {}
    for name in ("L1H0", "L1H1"):
        parts = CircuitExplorer(model="copying", deleted=[name]).copying
        rises[name] = (parts["deleted.loss"] - parts["loss"]).mean()
    assert rises[copies] == max(rises.values())
    expect(explorer.element.get_by_text("归纳得分是 L1H0、L1H1 的平均。")).to_be_visible()


def test_do_the_weights_explain_the_answer(open_for_reader):
    explorer = open_for_reader("weights", model=True)
    press(explorer, "找最远的一组")
    own, now, change, divergence = (numbers(line)[-1] for line in explorer.element.locator("dd").all())
    assert own == pytest.approx(now, abs=0.0015)
    assert abs(change) <= 0.001
    assert divergence > 0.3, "very different weights give the same prediction"


def test_does_a_score_depend_on_anything_but_the_distance(open_for_reader):
    explorer = open_for_reader("rotary")
    score = explorer.element.locator("output.score")
    query = explorer.element.get_by_role("slider", name="查询的位置 n")
    before, place = score.inner_text(), int(query.input_value())
    press(explorer, "一起前进一位")
    expect(query).to_have_value(str(place + 1))
    expect(score).to_have_text(before)
    query.press("ArrowRight")
    expect(score).not_to_have_text(before)


def test_what_does_the_first_token_see_under_a_causal_mask(open_for_reader):
    explorer = open_for_reader("attention")
    explorer.radio("因果")
    weights = explorer.cells("A = softmax")
    assert [row[0] for row in weights] == ["1.000", "0.000", "0.000"]


def test_why_divide_by_the_root_of_the_dimension(open_for_reader):
    explorer = open_for_reader("scaling")
    slider = explorer.element.get_by_role("slider", name="维数")
    largest_weights = []
    for key in ("Home", "End"):
        slider.press(key)
        largest_weights.append(numbers(explorer.element.locator(".spoken")))
    (plain, scaled), (plain_of_many, scaled_of_many) = largest_weights
    assert plain_of_many > 0.9 > plain, "without the root one key wins everything"
    assert abs(scaled_of_many - scaled) < 0.1
