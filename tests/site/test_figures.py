"""A stored plot becomes a drawing of the page: the theme's colours, the edition's words, ids of its own."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from book_tools.language import LANGUAGES
from book_tools.site.figures import COLOURS, drawn, is_plot
from transformer_book.figures import accuracy_figure, cost_figure, masks_figure
from transformer_book.figures.svg import AXIS, SVG

COST = cost_figure([128, 512], [3, 12], [1, 16]).svg
WORDS = {"length": "长度", "examples": "样本数", "accuracy": "准确率", "query": "查询", "key": "键"}


def test_ground_and_black_give_way_to_the_page():
    page = drawn(COST, WORDS, "两条线")
    assert "#ffffff" not in page.replace(COLOURS["#ffffff"], ""), "a white box on a dark page"
    assert "#000000" not in page
    assert "stroke:currentColor" in page
    assert "fill:currentColor" in page[:400], "letters without a colour of their own are black on a dark page"
    assert COLOURS["#d55e00"] in page


def test_what_is_half_clear_keeps_its_hue():
    page = drawn(masks_figure({"a": np.ones((2, 2), bool)}).svg, WORDS, "")
    assert "fill:#0072b2;opacity:0.75" in page.replace("fill-opacity", "opacity")


def test_the_alt_text_names_the_drawing():
    root = ElementTree.fromstring(drawn(COST, WORDS, '两条"线"'))
    assert (root.get("role"), root.get("aria-label"), root.get("class")) == ("img", '两条"线"', "plot")


def test_a_word_stands_before_the_symbol_of_an_axis():
    page = drawn(COST, WORDS, "")
    group = next(g for g in ElementTree.fromstring(page).iter(f"{SVG}g") if "长度" in "".join(g.itertext()))
    symbol, word = group.findall(f".//{SVG}text")
    assert "".join(symbol.itertext()).strip() == "N"
    assert word.text == "长度"
    assert float(word.get("x")) < 0, "it would stand on the symbol"
    assert AXIS not in page


def test_a_name_of_code_gives_way_to_the_word():
    page = drawn(accuracy_figure([10, 20], {"a": [0.5, 0.75]}).svg, WORDS, "")
    assert "准确率" in page
    assert ">acc<" not in page


def test_ids_differ_between_drawings_and_each_reference_finds_its_part():
    other = cost_figure([128, 512], [3, 12], [2, 16]).svg
    pages = [drawn(svg, WORDS, "") for svg in (COST, other)]
    ids = [set(re.findall(r' id="([^"]+)"', page)) for page in pages]
    assert not ids[0] & ids[1]
    for page, known in zip(pages, ids, strict=True):
        assert set(re.findall(r"(?:href=\"|url\()#([^\")]+)", page)) == known


def test_a_colour_without_a_counterpart_is_named():
    with pytest.raises(KeyError, match="#123456"):
        drawn(COST.replace("#0072b2", "#123456"), WORDS, "")


def test_every_language_has_a_word_for_the_axes_of_all_others():
    names = [set(language.site.axes) for language in LANGUAGES.values()]
    assert all(name == names[0] for name in names)


def test_only_a_plot_of_the_library_is_drawn_in_the_page(tmp_path):
    for name, text in {"plot.svg": COST, "other.svg": "<svg/>"}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert is_plot(tmp_path / "plot.svg")
    assert not is_plot(tmp_path / "other.svg")
