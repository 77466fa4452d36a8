"""The header's menu and hints work without Bootstrap's script, and the menu without any."""

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import expect

MENU = ".dropdown-download-buttons"


@pytest.mark.parametrize("name", ["index", "08_masks", "404", "search", "en/08_masks"])
def test_no_page_names_bootstrap_s_script_or_waits_for_it(site, name):
    text = (site / f"{name}.html").read_text(encoding="utf-8")
    assert "bootstrap.js" not in text
    assert "data-bs-" not in text
    assert not list(site.rglob("bootstrap*"))


def test_every_button_of_the_header_says_what_it_does(site):
    soup = BeautifulSoup((site / "08_masks.html").read_text(encoding="utf-8"), "html.parser")
    buttons = soup.select(".bd-header-article .btn")
    assert len(buttons) >= 8
    for button in buttons:
        assert button.get("title") or button.get("aria-label") or button.get_text(strip=True), button


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_the_menu_opens_within_the_page_and_closes_elsewhere(site, read, width):
    page = read(width=width).open((site / "08_masks.html").as_uri())
    menu = page.locator(MENU)
    button, items = menu.locator("summary"), menu.locator("ul")
    expect(items).to_be_hidden()
    button.click()
    box = items.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    expect(items).to_be_in_viewport(ratio=1)
    page.keyboard.press("Escape")
    expect(items).to_be_hidden()
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    expect(items).to_be_visible()
    page.keyboard.press("Tab")
    expect(items.locator("a").first).to_be_focused()
    page.locator(".bd-article h1").click(position={"x": 2, "y": 2})  # beside the menu
    expect(items).to_be_hidden()


def test_the_menu_opens_without_scripts(site, read):
    page = read(java_script_enabled=False).open((site / "08_masks.html").as_uri())
    page.locator(f"{MENU} > summary").click()
    expect(page.locator(f"{MENU} a").first).to_be_visible()
