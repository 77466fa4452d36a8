"""GenerationExplorer: the quatrain GPT in the page, its draws, its attention, the form of its poems."""

import itertools

import numpy as np
import pytest
from playwright.sync_api import expect

from transformer_book.experiments.quatrains import END, LENGTH, QUATRAIN_GPT, START
from transformer_book.generation import generate
from transformer_book.models import Decoder
from transformer_book.recorded import trained
from transformer_book.widgets import GenerationExplorer
from transformer_book.widgets.poem_form import poem_form

NEAR = {"rtol": 0, "atol": 1e-5}  # the page computes in float64, the library in float32


@pytest.fixture
def writer(explore_once):
    """The explorer with its model loaded."""
    explorer = explore_once("generation", reduced_motion="reduce")
    explorer.load_model()
    return explorer


def press(explorer, name):
    explorer.element.get_by_role("button", name=name, exact=True).click()


def test_any_poem_is_answered_as_the_library_answers(explore):
    explorer = explore("generation")
    explorer.load_model()
    settings = itertools.product((0, 0.8, 2), (0, 5), (0.35, 1), ("", "床前明月光，疑是"))
    for number, (temperature, top_k, top_p, text) in enumerate(settings):
        state = {"temperature": temperature, "top_k": top_k, "top_p": top_p, "text": text}
        state |= {"layer": number % 3, "head": number % 4}
        explorer.set(**state)
        explorer.answered()
        twin = GenerationExplorer(**state)
        np.testing.assert_allclose(explorer.array("probabilities"), twin.probabilities, **NEAR)
        np.testing.assert_allclose(explorer.array("weights"), twin.weights, **NEAR)
        assert explorer.array("probabilities").astype(bool).sum() == twin.probabilities.astype(bool).sum()


@pytest.mark.parametrize("seed", [1, 5, 123_456])
def test_drawing_to_the_end_is_what_the_library_generates(writer, seed):
    model = trained("quatrain_gpt", Decoder(QUATRAIN_GPT))
    written = generate(model, [START], LENGTH - 1, temperature=0.8, stop_tokens=[END], generator=seed)
    writer.set(seed=seed)
    press(writer, "抽到底")
    writer.wait("e.values.ended")
    assert writer.values("ids") == written.new_tokens[0].tolist()
    assert writer.element.locator(".notice").text_content() == "诗写完了。"


def test_a_beginning_is_typed_and_taken_back(writer):
    field = writer.element.get_by_role("textbox", name="开头")
    field.fill("明月,")
    field.press("Enter")
    assert writer.state("text") == "明月，", "a comma of the keyboard is the poem's"
    writer.answered()
    press(writer, "抽一个字")
    assert len(writer.state("text")) == 4
    press(writer, "退一步")
    press(writer, "退一步")
    assert writer.state("text") == "明月"
    field.fill("OK")
    field.press("Enter")
    assert "词表里没有“O”" in writer.complaint
    field.fill("一" * 34)
    field.press("Enter")
    assert "最多 33 个字" in writer.complaint
    assert writer.state("text") == "明月"


@pytest.mark.parametrize("name", ["撤销", "复原"])
def test_drawing_to_the_end_stops_for_a_reader_who_takes_it_back(explore_once, name):
    explorer = explore_once("generation")
    explorer.load_model()
    press(explorer, "抽一个字")
    explorer.answered()
    press(explorer, "抽到底")
    explorer.wait("[...e.state.text].length > 3")
    press(explorer, name)
    assert explorer.element.evaluate("e => e.host.view.running") is False
    expect(explorer.element.get_by_role("button", name="抽到底")).to_be_visible()


def test_a_poem_is_kept_beside_another(writer):
    writer.set(text="明月出")
    press(writer, "留作对照")
    writer.set(text="明月照")
    assert writer.element.locator(".beside .common").text_content() == "明月"
    assert writer.element.locator(".beside b").text_content() == "出"
    press(writer, "换过来")
    assert (writer.state("text"), writer.state("beside")) == ("明月出", "明月照")


def test_the_cut_of_the_filters_is_seen(writer):
    writer.set(top_k=5)
    expect(writer.element.locator(".odds .hint")).to_have_text("能抽到的字：5 / 2498")
    assert writer.element.locator(".candidates .cut").count() == 12 - 5


def test_the_right_end_of_both_filters_keeps_everything(writer):
    for label, name, everything in (("top-k", "top_k", 0), ("top-p", "top_p", 1)):
        slider = writer.element.get_by_role("slider", name=label)
        slider.press("Home")
        assert writer.state(name) == (1 if name == "top_k" else 0.05)
        slider.press("End")
        assert writer.state(name) == everything


POEMS = (
    "",
    "春眠",
    "春眠不觉晓，处处闻啼鸟。夜来风雨声，花落知多少。∎",
    "白日依山尽，黄河入海流。欲穷千里目，更上一层楼。",
    "春眠不觉晓，处处闻啼。夜来风雨声夜来，花落知多少",
    "，。，。",
)


@pytest.mark.parametrize("poem", POEMS)
def test_lines_and_rhyme_are_marked_as_python_marks_them(writer, poem):
    writer.set(text=poem)
    writer.wait("e.values.form")
    form = GenerationExplorer(text=poem).form
    shown = writer.values("form")
    assert (["".join(line) for line in shown["lines"]], shown["right"], shown["rhyme"]) == (
        form.lines,
        form.right,
        form.rhyme,
    )
    assert writer.element.locator(".marks span").count() == len(form.right)


def test_rhymes_are_those_of_mandarin():
    assert poem_form("白日依山尽，黄河入海流。欲穷千里目，更上一层楼。").rhyme == "尤"
    assert poem_form("春眠不觉晓，处处闻啼鸟。夜来风雨声，花落知多少。").rhyme == "豪"
    assert poem_form("白日依山尽，黄河入海流。欲穷千里目，更上一层山。").rhyme == ""
    assert poem_form("白日依山尽，黄河入海流。").rhyme is None


def test_no_weights_are_fetched_before_a_reader_asks(read, explorer_site, serve):
    reader = read()
    asked = []
    reader.page.on("request", lambda request: asked.append(request.url))
    page = reader.open(f"{serve(explorer_site)}/generation.html")
    explorer = page.locator("generation-explorer")
    expect(explorer.locator(".loader")).to_contain_text("1.9 MB")
    assert not [url for url in asked if "/models/" in url or "worker" in url]
    explorer.get_by_role("button", name="载入模型").click()
    expect(explorer.locator(".loader")).to_contain_text("模型已载入")
    assert [sum(part in url for url in asked) for part in ("/models/", "explorer-worker-")] == [1, 1]


FAILURES = {
    "cut off": (lambda body: body[:-7], "模型文件是坏的"),
    "not a model": (lambda body: b"x" * len(body), "模型文件是坏的"),
}


@pytest.mark.parametrize("what", FAILURES)
def test_a_broken_file_says_so_and_can_be_asked_for_again(read, explorer_site, serve, what):
    change, says = FAILURES[what]
    page = read().open(f"{serve(explorer_site)}/bare-generation.html")
    (file,) = (explorer_site / "_static" / "models").glob("quatrain_gpt-*.safetensors")
    page.route("**/models/*", lambda route: route.fulfill(body=change(file.read_bytes())))
    explorer = page.locator("generation-explorer")
    explorer.get_by_role("button", name="载入模型").click()
    expect(explorer.locator(".loader")).to_contain_text(says)
    explorer.get_by_role("slider", name="温度").press("Home")
    assert explorer.evaluate("e => e.state.temperature") == 0, "the rest of the explorer works"
    page.unroute("**/models/*")
    explorer.get_by_role("button", name="再试一次").click()
    expect(explorer.locator(".loader")).to_contain_text("模型已载入")


@pytest.mark.parametrize("what", ["models/*", "explorer-worker-*"])
@pytest.mark.parametrize("how", ["http", "file"])
def test_a_missing_file_says_so(read, explorer_site, serve, how, what):
    reader = read()
    base = serve(explorer_site) if how == "http" else explorer_site.as_uri()
    reader.page.route(f"**/{what}", lambda route: route.abort())  # before a page is there: files need that
    page = reader.open(f"{base}/bare-generation.html")
    explorer = page.locator("generation-explorer")
    explorer.get_by_role("button", name="载入模型").click()
    expect(explorer.locator(".loader")).to_contain_text("没有下载成功")
    reader.problems.clear()  # the browser's own report of the file that was taken away


@pytest.mark.parametrize("how", ["never starts", "dies at work"])
def test_a_lost_worker_says_so_and_can_be_started_again(read, explorer_site, how):
    reader = read()
    if how == "never starts":
        reader.page.add_init_script(
            "window.OwnWorker = Worker; window.Worker = function () { throw new Error('no worker here'); };"
        )
    page = reader.open(f"{explorer_site.as_uri()}/bare-generation.html")
    explorer = page.locator("generation-explorer")
    explorer.get_by_role("button", name="载入模型").click()
    if how == "dies at work":
        expect(explorer.locator(".loader")).to_contain_text("模型已载入")
        explorer.evaluate("e => e.host.data.engine.worker.dispatchEvent(new ErrorEvent('error'))")
    expect(explorer.locator(".loader")).to_contain_text("后台程序停了")
    page.evaluate("() => { window.Worker = window.OwnWorker ?? window.Worker; }")
    explorer.get_by_role("button", name="再试一次").click()
    expect(explorer.locator(".loader")).to_contain_text("模型已载入")


def test_progress_is_shown_while_a_slow_file_comes(read, explorer_site):
    page = read().open(f"{explorer_site.as_uri()}/bare-generation.html")
    explorer = page.locator("generation-explorer")
    explorer.evaluate(
        """e => { const { engine } = e.host.data; const [file] = engine.files; const { get } = file;
        file.get = async (report) => {
          report(0.25);
          await new Promise((go) => (window.goOn = go));
          return get(report);
        }; }"""
    )
    explorer.get_by_role("button", name="载入模型").click()
    expect(explorer.locator(".loader")).to_contain_text("25%")
    assert explorer.locator("progress").evaluate("bar => bar.value") == 0.25
    page.evaluate("window.goOn()")
    expect(explorer.locator(".loader")).to_contain_text("模型已载入")


def test_a_download_that_was_given_up_does_not_disturb_the_next(read, explorer_site):
    page = read().open(f"{explorer_site.as_uri()}/bare-generation.html")
    explorer = page.locator("generation-explorer")
    explorer.evaluate(
        """e => { const [file] = e.host.data.engine.files; const { get } = file;
        file.get = async (...all) => {
          file.get = get;
          await new Promise((go) => (window.goOn = go));
          return get(...all);
        }; }"""
    )
    explorer.get_by_role("button", name="载入模型").press("Enter")
    assert explorer.evaluate("e => e.shadowRoot.activeElement.className") == "card loader", "focus is lost"
    explorer.evaluate("e => e.host.data.engine.fail('lost')")
    explorer.get_by_role("button", name="再试一次").click()
    expect(explorer.locator(".loader")).to_contain_text("模型已载入")
    late = """async e => {
      window.goOn();
      await e.host.data.engine.files[0].get(() => {});
      return e.host.data.engine.status;
    }"""
    assert explorer.evaluate(late) == "ready"
    assert explorer.evaluate("e => e.host.data.engine.waiting.size") == 0


def test_a_poem_in_the_address_waits_for_the_model(explore_once):
    explorer = explore_once("generation", query="?generation=text:%E6%98%8E%E6%9C%88")
    assert explorer.state("text") == "明月"
    explorer.load_model()
    assert explorer.values("known")


def test_a_text_that_is_no_poem_is_refused_once_the_vocabulary_is_there(explore_once):
    explorer = explore_once("generation", query="?generation=text:XYZ")
    explorer.element.get_by_role("button", name="载入模型").click()
    expect(explorer.element.locator(".complaint")).to_contain_text("链接里的设置读不懂")
    assert explorer.state("text") == ""
