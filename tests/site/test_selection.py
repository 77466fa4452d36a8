"""`Page.select` is quick because it asks soupsieve of few tags: it must ask of all that can match."""

import re
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup

from book_tools.notebooks.files import ROOT
from book_tools.site.pages import Page

USED = sorted(
    {
        selector
        for path in (ROOT / "src" / "book_tools" / "site").glob("*.py")
        for selector in re.findall(r'page\.select\(\s*"([^"]+)"', path.read_text(encoding="utf-8"))
    }
)
HARD = [
    "div.cell > .cell_output, #chapter p:not(.big, [lang])",
    "a[href*='x, y.z#(w)']:first-child",
    "p:has(> em):not(li p)",
    "*",
    ":root",
    "[data-a][lang='en'] ~ p + p",
]
TEXT = """<html><body><section id="chapter" lang="en" data-a="1"><p class="big">1</p><p>2 <em>3</em></p>
<ul><li><p lang="en"><em>4</em></p></li></ul><div class="cell tag"><div class="cell_output">5</div></div>
<a href="x, y.z#(w)">6</a></section><section data-a lang="en"></section><p>7</p><p>8</p></body></html>"""


@pytest.fixture(scope="module")
def real(site) -> Page:
    text = (site / "06_multi_head.html").read_text(encoding="utf-8")
    return Page("06_multi_head", BeautifulSoup(text, "html.parser"), SimpleNamespace())


def test_the_build_selects():
    assert len(USED) > 10, "the pattern finds too few selectors"


@pytest.mark.parametrize("selector", USED)
def test_the_build_s_selectors_find_all_in_a_built_page(real, selector):
    assert real.select(selector) == real.soup.select(selector)


@pytest.mark.parametrize("selector", HARD)
def test_any_selector_finds_all(selector):
    page = Page("made", BeautifulSoup(TEXT, "html.parser"), SimpleNamespace())
    assert page.select(selector) == page.soup.select(selector)
