"""Search finds any two Chinese neighbours, characters, words and numbers, from a server and from a file."""

import json
import random
import re
import urllib.parse

import pytest
from playwright.sync_api import expect

from book_tools.site.search import terms

SCHEMES = pytest.mark.parametrize("scheme", ["http", "file"])


def texts(site) -> dict[str, str]:
    script = (site / "_static" / "search-text.js").read_text(encoding="utf-8")
    return json.loads(script.removeprefix("const bookTexts = ").rstrip().removesuffix(";"))


def search(reader, base: str, query: str) -> dict[str, str]:
    """Search as a reader does; return the context of each hit by page."""
    page = reader.page
    page.goto(f"{base}/search.html?q={urllib.parse.quote(query)}")
    expect(page.locator("#search-results .search-summary")).not_to_be_empty()
    hits = page.locator("#search-results ul.search > li").all()
    return {hit.locator("a").first.get_attribute("href").split(".html")[0]: hit.inner_text() for hit in hits}


def base_of(site, serve, scheme):
    return site.as_uri() if scheme == "file" else serve(site)


# What Sphinx's search does for a query, without a page load each: the pages that it lists.
PAGES_FOUND = (
    "queries => queries.map(q => Search._performSearch(...Search._parseQuery(q)).map(hit => hit[0]))"
)
PAIRS_A_PAGE = 250


@SCHEMES
def test_any_two_neighbouring_characters_are_found_on_every_page_that_has_them(site, serve, read, scheme):
    reader = read()
    search(reader, base_of(site, serve, scheme), "式")  # the index has come
    choose = random.Random(12)
    missed = []
    for name, text in texts(site).items():
        pairs = sorted(set(re.findall(r"(?=([\u4e00-\u9fff]{2}))", text)))
        pairs = choose.sample(pairs, min(PAIRS_A_PAGE, len(pairs)))
        found = reader.page.evaluate(PAGES_FOUND, pairs)
        missed += [f"{pair} on {name}" for pair, hits in zip(pairs, found, strict=True) if name not in hits]
    assert not missed, f"these stand there and are not found: {missed}"


@SCHEMES
@pytest.mark.parametrize(
    ("query", "page"),
    [
        *((query, "01_first") for query in ("因果掩码", "式", "665", "a_1")),
        ("的核心", "02_second"),
        ("attention", "references"),
    ],
)
def test_a_query_finds_its_page(small_site, serve, read, scheme, query, page):
    found = search(read(), base_of(small_site, serve, scheme), query)
    assert page in found, f"{query!r} found only {list(found)}"


@SCHEMES
def test_a_hit_is_shown_in_its_sentence(small_site, serve, read, scheme):
    found = search(read(), base_of(small_site, serve, scheme), "因果掩码")
    assert "用到因果掩码" in found["01_first"]


@SCHEMES
def test_what_stands_nowhere_is_not_found(small_site, serve, read, scheme):
    assert search(read(), base_of(small_site, serve, scheme), "码因") == {}


def test_text_and_query_are_cut_alike(small_site, read):
    page = read().page
    page.goto(f"{small_site.as_uri()}/search.html")
    for text in (
        "因果掩码",
        "式",
        "softmax 的核心",
        "a_1",
        "GPT-2 有 50,257 个词元",
        "√D_q",
        "ABC12 中文abc",
    ):
        cut = page.evaluate(
            "text => splitQuery(text).map(term => new Stemmer().stemWord(term.toLowerCase()))", text
        )
        assert set(cut) <= set(terms(text)), (
            f"the browser cuts {text!r} into {cut}, the index has {terms(text)}"
        )
