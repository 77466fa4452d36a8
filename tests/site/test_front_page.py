"""The cover: the first sentence's arcs are a real head's weights, and every section has its card."""

import json
import re

import pytest
from playwright.sync_api import expect

from book_tools.language import CHINESE
from book_tools.notebooks.files import pages
from book_tools.site import front_page
from book_tools.site.pictograms import pictogram


@pytest.fixture
def reader(site, read):
    """A reader of the cover."""
    reader = read()
    reader.open(f"{site.as_uri()}/index.html")
    return reader


@pytest.fixture
def cover(reader):
    return reader.page


def test_arcs_are_the_weights_of_the_head_that_finds_subjects():
    tokens, weights = front_page.sentence()
    fell, cat = tokens.index("fell"), tokens.index("cat")
    assert max(range(len(tokens)), key=weights[fell].__getitem__) == cat, "rows must be queries"
    assert all(sum(row) == pytest.approx(1, abs=1e-3) for row in weights), (
        "weights of a query must add up to 1"
    )
    for wide in (True, False):
        drawing = front_page.arcs(tokens, weights, wide=wide)
        drawn = sum(weight >= front_page.LEAST for row in weights for weight in row)
        assert drawing.count("<path") == drawn
        assert f"{1 + 8 * weights[fell][cat]:.1f}" in re.findall(r'stroke-width="([\d.]+)"', drawing)


def test_a_word_shows_its_own_arcs_alone_with_the_pointer_or_the_keyboard(reader, cover):
    def shown() -> list[str]:
        reader.settle()
        return cover.evaluate(
            """[...document.querySelectorAll(".arcs.wide .word")]
            .filter(word => getComputedStyle(word.querySelector(".of")).opacity === "1")
            .map(word => word.textContent)"""
        )

    assert shown() == ["fell"]
    words = cover.locator(".arcs.wide .word")
    words.filter(has_text="chased").focus()
    assert shown() == ["chased"]
    cover.keyboard.press("Tab")
    assert shown() == ["all"]
    words.filter(has_text="dog").locator("text").hover()
    assert shown() == ["dog"], "the pointer goes before the keyboard"
    assert "cat 0.9" in words.filter(has_text="fell").get_attribute("aria-label")


def test_a_phone_gets_the_words_in_a_column(site, read):
    page = read(width=390, height=844).open(f"{site.as_uri()}/index.html")
    assert page.locator(".arcs:visible").get_attribute("class") == "arcs tall"
    size = page.evaluate(
        "(svg => 17 * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)"
        "(document.querySelector('.arcs.tall'))"
    )
    assert size >= 11, f"words are {size} px high"


def test_every_section_has_a_card_that_leads_to_it(cover):
    cards = cover.locator(".cards li")
    names = [path.stem for path in pages() if path.suffix == ".ipynb"]
    found = [link.get_attribute("href") for link in cards.locator("a").all()]
    assert found == [f"{name}.html" for name in names]
    assert cards.locator("p p, p:empty").count() == 0, "a paragraph holds another"
    assert cards.locator("svg.pictogram").count() == len({pictogram(name) for name in names})
    times = [int(re.search(r"\d+", text)[0]) for text in cards.locator(".card-time").all_inner_texts()]
    assert len(times) == len(names)
    assert min(times) >= 5
    cards.nth(3).click(position={"x": 5, "y": 5})
    cover.wait_for_url("**/04_scaling.html")


def test_the_button_leads_to_the_first_section(cover):
    button = cover.get_by_role("link", name="从第 1 节读起")
    button.click()
    cover.wait_for_url("**/01_tokens.html")


def test_the_cover_offers_to_go_on_where_a_reader_left(site, serve, read):
    page = read().open(f"{serve(site)}/04_scaling.html")
    assert page.locator("article section section").count() > 3
    third = page.locator("article section section[id]").nth(2)
    third.evaluate("node => node.scrollIntoView()")
    page.goto(f"{serve(site)}/index.html")
    again = page.locator(".start .again")
    expect(again).to_have_text("接着读：缩放分数")
    again.click()
    page.wait_for_url("**/04_scaling.html#*")
    assert page.locator("article section section[id]").nth(2).evaluate("node => node.matches(':target')")


def test_longer_pages_take_longer(tmp_path):
    def page(text: str, code: str) -> int:
        cells = [{"cell_type": "markdown", "source": [text]}, {"cell_type": "code", "source": [code]}]
        path = tmp_path / "page.ipynb"
        path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
        return front_page.minutes(path, CHINESE)

    assert page("字" * 1_500, "") == 5
    assert page("字" * 1_501, "") == 10
    assert page("字" * 1_500, "x\n" * 20) == 10
    assert page("字" * 1_200 + 'class="guess"', "") == 5
