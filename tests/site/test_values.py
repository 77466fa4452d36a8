"""Bound numbers tell where they come from: by mouse, keyboard and finger, and without scripts."""

import pytest
from playwright.sync_api import expect

HINT = "#book-hint"
A_1 = "由第 2 个代码单元打印：a_1 = (0.090, 0.245, 0.665)"


@pytest.fixture
def page(small_site, read):
    return read().open(f"{small_site.as_uri()}/01_first.html")


def test_hovering_tells_which_cell_prints_a_number(page):
    page.locator("a.bound-value").first.hover()
    expect(page.locator(HINT)).to_have_text(A_1)
    page.mouse.move(5, 5)
    page.locator(HINT).wait_for(state="hidden")


def test_focus_tells_and_escape_hides(page):
    link = page.locator("a.bound-value").first
    link.focus()
    expect(page.locator(HINT)).to_have_text(A_1)
    assert link.get_attribute("aria-describedby") == "book-hint", "a screen reader is not told"
    page.keyboard.press("Escape")
    expect(page.locator(HINT)).to_be_hidden()
    assert link.get_attribute("aria-describedby") is None


def test_enter_goes_to_the_cell(page):
    page.locator("a.bound-value").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**#cell-2")
    assert page.locator("#cell-2 .cell_output tr").inner_text().split("\t") == [
        "a_1",
        "(0.090, 0.245, 0.665)",
    ]


def test_the_first_tap_tells_and_the_second_goes_there(small_site, read):
    page = read(width=390, has_touch=True, is_mobile=True).open(f"{small_site.as_uri()}/01_first.html")
    link = page.locator("a.bound-value").first
    link.tap()
    expect(page.locator(HINT)).to_have_text(A_1)
    assert "#cell" not in page.url, "the first tap already leaves"
    box = page.locator(HINT).bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390, "the hint leaves the screen"
    link.tap()
    page.wait_for_url("**#cell-2")


def test_an_element_is_named_and_a_fact_leads_to_its_reference(page):
    hints = page.locator("a.bound-value").evaluate_all("links => links.map(link => link.dataset.hint)")
    assert "由第 2 个代码单元打印：a_1[3] = 0.665" in hints
    fact = page.locator("a.bound-value:has(data[value='fact:gpt2.vocabulary'])")
    assert fact.get_attribute("data-hint") == "出自 Attention Is All You Need (2017)，第 2.2 节"
    fact.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/references.html#*")
    anchor = page.url.partition("#")[2]
    assert "Attention is all you need" in page.locator(f"[id='{anchor}']").inner_text()


def test_without_scripts_the_link_and_its_tooltip_stay(small_site, read):
    page = read(java_script_enabled=False).page
    page.goto(f"{small_site.as_uri()}/01_first.html")
    assert page.locator("a.bound-value").first.get_attribute("title") == A_1
