"""Search opens at the section or the numbered thing itself, as one types, from a server and from a file."""

import json
import re
import urllib.parse

import pytest
from playwright.sync_api import expect

SCHEMES = pytest.mark.parametrize("scheme", ["http", "file"])


def rows(site) -> list[list[str]]:
    script = (site / "_static" / "search-text.js").read_text(encoding="utf-8")
    return json.loads(script.removeprefix("const bookTexts = ").rstrip().removesuffix(";"))


def base_of(site, serve, scheme):
    return site.as_uri() if scheme == "file" else serve(site)


def addresses(page) -> list[str]:
    """Return where the hits lead, without the query."""
    expect(page.locator("#search-results .search-summary")).not_to_be_empty()
    links = page.locator("#search-results ul.search > li > a").all()
    return [re.sub(r"\?[^#]*", "", link.get_attribute("href")) for link in links]


def search(reader, base: str, query: str) -> list[str]:
    """Search as a reader does; return the addresses of the hits."""
    reader.page.goto(f"{base}/search.html?q={urllib.parse.quote(query)}")
    return addresses(reader.page)


@pytest.fixture(scope="module")
def find(small_site, readers):
    """``find(query)`` returns the addresses of the hits without a page load each."""
    with readers() as read:
        page = read().page
        page.goto(f"{small_site.as_uri()}/search.html")

        def start(query: str) -> list[str]:
            found = page.evaluate("query => findSections(query).map(hit => [hit.page, hit.id])", query)
            return [f"{name}.html#{id}" for name, id in found]

        yield start


def test_any_two_neighbouring_characters_are_found_in_every_section_that_has_them(small_site, find):
    for page, section, _, text in rows(small_site):
        for pair in set(re.findall(r"(?=([\u4e00-\u9fff]{2}))", text)):
            assert f"{page}.html#{section}" in find(pair), pair


@pytest.mark.parametrize(
    ("query", "address"),
    [
        *(
            (query, "01_first.html#")
            for query in ("因果掩码", "值", "0.665", "a_1", "因果 词表", "GPT-2 词元")
        ),
        ("核心 注意力", "02_second.html#"),
        ("ＡＴＴＥＮＴＩＯＮ", "references.html#"),
    ],
)
def test_a_query_finds_its_section(find, query, address):
    assert address in find(query)


@pytest.mark.parametrize(
    ("query", "address"),
    [
        ("12.2", "02_second.html#eq-12-2"),
        ("(12.2)", "02_second.html#eq-12-2"),
        ("式 12.1", "01_first.html#eq-12-1"),
        ("图 12.1", "01_first.html#fig-12-1"),
        ("图12.2", "02_second.html#fig-12-2"),
        ("表 12.1", "01_first.html#tab-12-1"),
        ("练习 12.2", "13_exercises.html#ex-12-2"),
    ],
)
def test_what_carries_the_number_comes_first(find, query, address):
    assert find(query)[0] == address


@pytest.mark.parametrize("query", ["50257", "50,257", "５０２５７"])
def test_separators_of_thousands_make_no_difference(find, query):
    assert "01_first.html#" in find(query)


def test_a_number_stands_before_those_that_it_is_part_of(small_site, read):
    page = read().page
    page.goto(f"{small_site.as_uri()}/search.html")
    whole = page.evaluate(
        "texts => texts.map(text => bookSearch.wholePlaces(text, '12.5').length > 0)",
        ["见12.5。", "(12.5)", "112.5", "12.55", "3.12.5", "12.5.1"],
    )
    assert whole == [True, True, False, False, False, False]


@pytest.mark.parametrize("query", ["码因", "12.77", "因果 码因", " "])
def test_what_stands_nowhere_is_not_found(find, query):
    assert find(query) == []


def test_no_section_holds_tex(small_site):
    formulas = [row for row in rows(small_site) if "\\" in row[3]]
    assert not formulas, "TeX stands in texts that hits are shown in"


@SCHEMES
def test_a_hit_is_shown_in_its_sentence_and_marked_where_it_leads(small_site, serve, read, scheme):
    reader = read()
    page = reader.page
    assert search(reader, base_of(small_site, serve, scheme), "因果掩码") == ["01_first.html"]
    hit = page.locator("#search-results li")
    expect(hit).to_contain_text("用到因果掩码")
    expect(hit.locator("mark")).to_have_text("因果掩码")
    hit.locator("a").click()
    page.wait_for_url("**/01_first.html?q=*")
    marked = "[...CSS.highlights.get('book-search')].map(range => range.toString())"
    page.wait_for_function("CSS.highlights.has('book-search')")
    assert set(page.evaluate(marked)) == {"因果掩码"}


@SCHEMES
def test_hits_come_as_one_types(small_site, serve, read, scheme):
    page = read().page
    page.goto(f"{base_of(small_site, serve, scheme)}/search.html")
    field = page.locator(".bd-search-container input")
    field.press_sequentially("图 12.2")
    assert addresses(page)[0] == "02_second.html#fig-12-2"
    field.fill("码因")
    assert addresses(page) == []
    field.fill("")
    expect(page.locator("#search-results")).to_be_empty()


def test_a_mark_spans_what_links_and_italics_cut(small_site, read):
    page = read().page
    page.goto(f"{small_site.as_uri()}/02_second.html?q={urllib.parse.quote('回到第 1 节与')}")
    page.wait_for_function("CSS.highlights.has('book-search')")
    marked = page.evaluate("[...CSS.highlights.get('book-search')].map(range => range.toString())")
    assert marked == ["回到第 1 节与"]
