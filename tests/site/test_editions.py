"""Two editions, built at once: each in its language, each page linked to its counterpart's same place."""

import re
from pathlib import Path

import pytest
import yaml
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from playwright.sync_api import expect

from book_tools.editions.counterparts import align
from book_tools.language import CHINESE, ENGLISH
from book_tools.notebooks.files import KERNELSPEC, ROOT, read, tie_outputs, to_bytes
from book_tools.site.sources import contents_of, settings_of

SITE = "https://owner.github.io/name"
TOC = (
    "format: jb-book\nroot: index\nparts:\n- caption: 正文\n  numbered: 2\n  chapters:\n  - file: 01_first\n"
)
TEXTS = {  # in Chinese and in English, by the cell's id
    "title": ("# 1. 词元", "# 1. Tokens"),
    "figure": ("**图**　一条线。", "**Figure**: a line."),
    "more": (
        "很长。\n\n" * 40 + "## 更多\n\n" + "很长。\n\n" * 40,
        "Long.\n\n" * 40 + "## More\n\n" + "Long.\n\n" * 40,
    ),
    "guess": (
        '**先猜一猜**：几条？<data class="guess" value="{lines}"></data>',
        '**Make a guess**: how many? <data class="guess" value="{lines}"></data>',
    ),
    "told": ('共 <data value="lines">3</data> 条。', 'There are <data value="lines">3</data>.'),
}
PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def page():
    def code(name, source, output, count):
        cell = new_code_cell(source, id=name, execution_count=count, outputs=[output])
        tie_outputs(cell)
        return cell

    picture = new_output("display_data", data={"image/png": PICTURE, "text/plain": "<Figure>"})
    text = {name: new_markdown_cell(both[0], id=name) for name, both in TEXTS.items()}
    printed = new_output("stream", name="stdout", text="lines = 3\n")
    return new_notebook(
        metadata={"kernelspec": dict(KERNELSPEC), "language_info": {"name": "python"}},
        cells=[
            text["title"],
            code("draw", "draw()", picture, 1),
            *(text[name] for name in ("figure", "more", "guess")),
            code("lines", "show('lines', 3)", printed, 2),
            text["told"],
        ],
    )


@pytest.fixture(scope="module")
def book(tmp_path_factory) -> Path:
    """A book of a cover and a page in two languages, and a page that the second edition does not have yet."""
    root = tmp_path_factory.mktemp("editions")
    book = root / "book"
    book.mkdir()
    (root / "_toc.yml").write_text(TOC + "  - file: 02_second\n", encoding="utf-8")
    (book / "index.md").write_text("# 小书\n\n见[词元](01_first.ipynb)。\n", encoding="utf-8")
    (book / "02_second.md").write_text("# 2. 第二节\n\n只有中文。\n", encoding="utf-8")
    (book / "01_first.ipynb").write_bytes(to_bytes(page()))
    align(book / "01_first.ipynb", ENGLISH, create=True)
    own = read(book / "en" / "01_first.ipynb")
    for cell in own.cells:
        if cell.cell_type == "markdown":
            cell.source = TEXTS[cell.id][1]
    (book / "en" / "01_first.ipynb").write_bytes(to_bytes(own))
    (book / "en" / "index.md").write_text("# Small book\n\nSee [Tokens](01_first.ipynb).\n", encoding="utf-8")
    return book


@pytest.fixture(scope="module")
def two_sites(book, build_once) -> Path:
    config = (ROOT / "_config.yml").read_text(encoding="utf-8").replace('baseurl: ""', f"baseurl: {SITE}")
    (book.parent / "_config.yml").write_text(config, encoding="utf-8")
    options = ["--source", book, "--toc", book.parent / "_toc.yml", "--output", book.parent, "--strict"]
    options += ["--config", book.parent / "_config.yml"]
    build_once(f"editions-{book.parent.name}", *options)
    return book.parent / "_build" / "html"


def soup(site: Path, name: str) -> BeautifulSoup:
    return BeautifulSoup((site / name).read_text(encoding="utf-8"), "html.parser")


@pytest.mark.parametrize(
    ("name", "other"), [("01_first.html", "en/01_first.html"), ("index.html", "en/index.html")]
)
def test_each_page_is_linked_to_its_counterpart(two_sites, name, other):
    first, second = soup(two_sites, name), soup(two_sites, other)
    assert (first.html["lang"], second.html["lang"]) == ("zh-CN", "en")
    assert first.select_one("a.other-edition")["href"] == other
    assert second.select_one("a.other-edition")["href"] == f"../{name}"
    for found in (first, second):
        named = {link["hreflang"]: link["href"] for link in found.select("link[rel=alternate]")}
        assert named == {"zh-CN": f"{SITE}/{name}", "en": f"{SITE}/{other}"}


def test_a_page_without_a_counterpart_has_no_link(two_sites):
    assert not soup(two_sites, "02_second.html").select("a.other-edition, link[hreflang]")
    assert not (two_sites / "en" / "02_second.html").exists()


def test_each_site_speaks_its_language(two_sites):
    first, second = soup(two_sites, "01_first.html"), soup(two_sites, "en/01_first.html")
    assert [found.select_one("figcaption").text.strip() for found in (first, second)] == [
        "一条线。",
        "a line.",
    ]
    assert first.select_one("guess-form legend").text == CHINESE.site.ask_number
    assert second.select_one("guess-form legend").text == ENGLISH.site.ask_number
    assert second.select_one("a.bound-value")["title"] == "Printed by code cell 2: lines = 3"
    han = re.compile(r"[\u4e00-\u9fff]+")
    for link in second.select("a.other-edition, link[hreflang]"):
        link.decompose()
    assert not han.findall(str(second)), "the interface says something in Chinese"


def test_each_site_has_a_search_of_its_own(two_sites):
    texts = [(two_sites / folder / "_static" / "search-text.js").read_text() for folder in ("", "en")]
    assert ["词元" in text for text in texts] == [True, False]
    assert ["Tokens" in text for text in texts] == [False, True]
    script = (two_sites / "en" / "_static" / "search-page.js").read_text(encoding="utf-8")
    assert ENGLISH.site.nothing_found in script


def test_what_both_sites_hold_is_there_once(two_sites):
    assert "../_static/book.js" in (two_sites / "en" / "01_first.html").read_text(encoding="utf-8")
    assert not (two_sites / "en" / "_static" / "book.js").exists()
    assert "../" not in (two_sites / "01_first.html").read_text(encoding="utf-8")


def test_the_link_leads_to_what_is_in_view(two_sites, browser, patience):
    tab = browser.new_page(viewport={"width": 1000, "height": 600})
    tab.goto((two_sites / "01_first.html").as_uri())
    tab.locator("#cell-1").evaluate("node => node.scrollIntoView({ block: 'start' })")
    tab.locator("a.other-edition").first.dispatch_event("click")
    tab.wait_for_url("**/en/01_first.html#cell-1", timeout=patience)
    tab.locator("article section section").evaluate("node => node.scrollIntoView({ block: 'start' })")
    tab.locator("a.other-edition").first.dispatch_event("click")
    tab.wait_for_url(re.compile(r"html/01_first\.html#section:1$"), timeout=patience)
    expect(tab.locator("article section section h2")).to_be_in_viewport()
    tab.close()


def test_the_settings_of_an_edition_differ_in_its_language_alone():
    settings = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    settings["html"]["baseurl"] = "https://example.org/book/"
    made = settings_of(ENGLISH, settings, [CHINESE, ENGLISH])
    assert made["html"]["baseurl"] == "https://example.org/book/en"
    assert made["sphinx"]["config"]["language"] == "en"
    assert made["sphinx"]["config"]["html_theme_options"]["path_to_docs"] == "book/en"
    assert made["sphinx"]["config"]["html_theme_options"]["show_navbar_depth"] == 1
    assert not re.search(r"[\u4e00-\u9fff]", yaml.safe_dump(made, allow_unicode=True))
    assert settings_of(CHINESE, settings, [CHINESE])["sphinx"]["config"].pop("book_editions") == ["zh"]


def test_the_contents_of_an_edition_have_its_captions(book):
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    assert len(ENGLISH.site.parts) == len(contents["parts"])
    small = contents_of(ENGLISH, yaml.safe_load(TOC + "  - file: 02_second\n"), book / "en")
    assert small["parts"] == [{"caption": "The book", "numbered": 2, "chapters": [{"file": "01_first"}]}]
