"""Training in the page: gradients and steps are PyTorch's, and what a reader sees of them."""

import base64
import dataclasses
import re

import numpy as np
import pytest
import torch
from playwright.sync_api import expect

from transformer_book.models import Decoder, DecoderConfig
from transformer_book.storage.weights import model_tensors
from transformer_book.training import next_token_loss
from transformer_book.widgets import TrainingExplorer, bundle
from transformer_book.widgets.model_files import describe, model_file

# float64 on both sides, in sums of some 200 terms through two layers, of which many cancel.
EXACT = 1e-11
CONFIG = DecoderConfig(
    vocabulary_size=11, context_length=13, dim=12, num_layers=2, num_heads=3, mlp="none",
    attention_bias=False, positions="rotary", rope_base=50.0, tie_output=False,
)  # fmt: skip
GRADIENTS = """([file, causal, texts, counts]) => {
  const model = openModel(Uint8Array.from(atob(file), (c) => c.charCodeAt(0)).buffer);
  model.notes.causal = causal;
  const tensors = tensorsOf(model.parts);
  for (const tensor of tensors) tensor.gradient = new Float64Array(tensor.data.length);
  const total = counts.flatMap((row) => row.slice(1)).filter(Boolean).length;
  const loss = texts.reduce((sum, text, i) => sum + learnText(model, text, counts[i], 1 / total), 0) / total;
  const named = (part, name) => (part.data ? [[name, [...part.gradient]]]
    : Object.entries(part).flatMap(([key, child]) => named(child, name ? `${name}.${key}` : key)));
  return [loss, Object.fromEntries(named(model.parts, ""))];
}"""


@pytest.fixture(scope="module")
def worker(browser):
    """A blank page with what a worker that trains knows."""
    page = browser.new_page()
    source = f"{bundle.engine_source()}\nconst TASKS = {{}};\n{bundle.training_source()}"
    page.add_script_tag(content=source)
    yield page
    page.close()


@pytest.mark.parametrize("without", ["nothing", "mask", "scale", "positions"])
def test_gradients_are_those_of_torch(worker, without):
    torch.manual_seed(4)
    changes = {"scale": {"scale": False}, "positions": {"positions": "none"}}.get(without, {})
    model = Decoder(dataclasses.replace(CONFIG, **changes))
    for parameter in model.parameters():  # no weight is 1 and no bias 0, so that none can be forgotten
        torch.nn.init.normal_(parameter, std=0.6)
    for layer in model.layers:
        layer.attention.causal = without != "mask"
    tokens = torch.randint(CONFIG.vocabulary_size, (3, 10))
    real = torch.rand(3, 10) < 0.7
    file = model_file(model_tensors(model), describe(model.config))
    text = base64.b64encode(file).decode("ascii")
    loss, found = worker.evaluate(GRADIENTS, [text, without != "mask", tokens.tolist(), real.tolist()])
    total, count = next_token_loss(model.double(), {"tokens": tokens, "real": real})
    (total / count).backward()
    assert loss == pytest.approx((total / count).item(), rel=EXACT)
    expected = {name: parameter.grad for name, parameter in model.named_parameters()}
    assert found.keys() == expected.keys()
    for name, gradient in expected.items():
        largest = gradient.abs().max().item()
        error = np.abs(np.array(found[name]).reshape(gradient.shape) - gradient.numpy()).max()
        assert error <= EXACT * largest, f"{name}: {error / largest:.1e} of the largest"


def test_rows_that_do_not_count_have_no_gradient(worker):
    zero = worker.evaluate(
        """() => {
          const logits = { shape: [2, 3], data: Float64Array.from([1, 2, 0, 3, 1, 1]) };
          const { loss, gradient } = crossEntropy(logits, [0, 1], [false, true], 0.5);
          return [loss, [...gradient.data]];
        }"""
    )
    p = torch.tensor([3.0, 1, 1], dtype=torch.float64).softmax(0)
    assert zero[0] == pytest.approx(-p[1].log().item())
    expected = [0, 0, 0, *(0.5 * (p - torch.tensor([0, 1, 0]))).tolist()]
    np.testing.assert_allclose(zero[1], expected, rtol=1e-14)


def press(explorer, name):
    explorer.element.get_by_role("button", name=name, exact=True).click()


def trained_for(explorer, steps):
    """Train for at least some steps, and pause."""
    press(explorer, "开始训练")
    explorer.wait(f"e.values.step >= {steps}")
    press(explorer, "暂停")
    explorer.wait("!e.host.data.course.busy")
    return explorer.values("losses")


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"mask": False, "seed": 7},
        {"scale": False, "seed": 1},
        {"positions": False, "seed": 99},
    ],
)
def test_the_curve_is_that_of_torch(explore_once, state):
    explorer = explore_once("training", reduced_motion="reduce")
    explorer.set(**state)
    found = trained_for(explorer, 20)[:20]  # past the warm-up
    # Adam divides by the size of a gradient: where that is rounding alone, so is the step.
    np.testing.assert_allclose(found, TrainingExplorer(**state).losses(20), rtol=1e-7)


def test_a_paused_training_goes_on_and_a_new_start_repeats_it(explore_once):
    explorer = explore_once("training", reduced_motion="reduce")
    first = trained_for(explorer, 10)
    press(explorer, "继续")
    explorer.wait(f"e.values.step >= {len(first) + 10}")
    press(explorer, "暂停")
    explorer.wait("!e.host.data.course.busy")
    longer = explorer.values("losses")
    assert longer[: len(first)] == first
    spoken = explorer.element.locator(".spoken")
    expect(spoken).to_contain_text("最高归纳得分")
    spoken.evaluate(
        "e => new MutationObserver(() => (window.said ??= []).push(e.textContent))"
        ".observe(e, { subtree: true, childList: true, characterData: true })"
    )
    press(explorer, "从头再来")
    explorer.wait("e.values.step >= 10")
    assert explorer.page.evaluate("said[0]") == "第 0 步，共 300 步", "the last course is still told"
    again = explorer.values("losses")[:10]
    assert again == longer[:10], "the same seed gives another curve"
    explorer.element.get_by_role("button", name="种子 +1").click()
    assert (explorer.values("step"), explorer.values("running")) == (0, False)
    expect(spoken).to_have_text("模型还没有训练，权重是随机的。")
    expect(explorer.page).to_have_url(re.compile("training=seed:1"))
    other = trained_for(explorer, 10)
    assert other[0] != first[0]
    press(explorer, "继续")
    press(explorer, "撤销")
    assert (explorer.state("seed"), explorer.values("running")) == (0, False)
    trained_for(explorer, 5)
    press(explorer, "复原")
    assert (explorer.values("step"), explorer.values("running")) == (0, False), "no setting differed"


def test_the_heads_that_copy_form(explore):
    explorer = explore("training")
    press(explorer, "开始训练")
    explorer.wait("e.values.step >= 50 && Math.max(...e.values.induction.flat()) > 0.5")
    assert np.max(explorer.array("induction")[0]) < 0.1, "the first layer cannot copy"
    assert np.max(explorer.array("previous")[0]) > 0.3, "no head of the first layer looks one back"
    expect(explorer.element.get_by_role("img", name="层 1, 头").first).to_be_visible()
    press(explorer, "暂停")
    expect(explorer.element.locator("[role=status]").first).to_contain_text("最高归纳得分 0.")


def test_a_lost_worker_is_told_and_training_starts_anew(explore_once):
    explorer = explore_once("training", reduced_motion="reduce")
    trained_for(explorer, 5)
    explorer.element.evaluate("e => e.host.data.engine.fail('lost')")
    expect(explorer.element.locator(".complaint")).to_contain_text("后台程序停了")
    assert explorer.values("step") == 0
    assert len(trained_for(explorer, 5)) >= 5
    expect(explorer.element.locator(".complaint")).to_have_text("")


def test_a_worker_that_does_not_come_is_told_and_asked_for_again(read, explorer_site, serve, opened):
    reader = read(reduced_motion="reduce")
    reader.page.route("**/explorer-worker-*", lambda route: route.abort())
    explorer = opened(reader.open(f"{serve(explorer_site)}/bare-training.html"), "training")
    press(explorer, "开始训练")
    expect(explorer.element.locator(".complaint")).to_contain_text("没有下载成功")
    assert (explorer.values("step"), explorer.values("running")) == (0, False)
    reader.problems.clear()  # the browser's own report of the file that was taken away
    explorer.page.unroute("**/explorer-worker-*")
    press(explorer, "开始训练")
    explorer.wait("e.values.step >= 5")
    expect(explorer.element.locator(".complaint")).to_have_text("")
