"""A link to an equation, figure, table or exercise shows it; arrow keys turn pages."""

import pytest
from playwright.sync_api import expect

HINT = "#book-hint"


@pytest.fixture(params=["file", "http"])
def cover(small_site, serve, read, request):
    base = small_site.as_uri() if request.param == "file" else serve(small_site)
    return read().open(f"{base}/index.html")


def test_links_show_what_they_lead_to(cover):
    for anchor, shown in {
        "eq-12-1": "math",
        "fig-12-1": "img",
        "tab-12-1": "td",
        "ex-12-1": "strong",
    }.items():
        cover.locator(f"article a[href$='#{anchor}']").first.hover()
        expect(cover.locator(f"{HINT} {shown}").first).to_be_visible()
        assert cover.locator(f"{HINT} [id]").count() == 0, "an id must not stand twice in a page"
    assert cover.evaluate("document.querySelector('#book-hint') !== null")
    cover.keyboard.press("Escape")
    expect(cover.locator(HINT)).to_be_hidden()


def test_a_figure_in_a_preview_is_drawn(cover):
    cover.locator("article a[href$='#fig-12-1']").first.focus()
    picture = cover.locator(f"{HINT} img")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0


def test_a_citation_shows_the_work(cover):
    cover.locator("article a[href*='references.html#']").first.hover()
    expect(cover.locator(HINT)).to_contain_text("Attention is all you need")


def test_within_a_page_too(site, read):
    page = read().open(f"{site.as_uri()}/02_self_attention.html")
    link = page.locator("article a[href^='#eq-']:not(.headerlink)").first
    link.hover()
    expect(page.locator(f"{HINT} math")).to_be_visible()


def test_arrow_keys_turn_pages_unless_something_has_the_focus(cover):
    cover.keyboard.press("ArrowRight")
    cover.wait_for_url("**/01_first.html")
    cover.locator("a.bound-value").first.focus()
    cover.keyboard.press("ArrowRight")
    assert cover.url.endswith("01_first.html"), "keys belong to what has the focus"
    cover.evaluate("document.activeElement.blur()")
    cover.keyboard.press("ArrowLeft")
    cover.wait_for_url("**/index.html")
