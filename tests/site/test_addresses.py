"""What pages offer with an address of the repository and the site, and that without one nothing is dead."""

import re
import struct
from xml.etree import ElementTree

import pytest
import yaml
from bs4 import BeautifulSoup

from book_tools.notebooks.files import ROOT

REPOSITORY, SITE = "https://github.com/owner/name", "https://owner.github.io/name"


@pytest.fixture(scope="module")
def addressed(shared, build_once, small_book):
    """The small book, built as if it had addresses."""
    output = shared / "addressed"
    output.mkdir(parents=True, exist_ok=True)
    config = (ROOT / "_config.yml").read_text(encoding="utf-8")
    assert config.count('repository_url: ""') == config.count('baseurl: ""') == 1, (
        "one place for each address"
    )
    config = config.replace('repository_url: ""', f"repository_url: {REPOSITORY}")
    (output / "_config.yml").write_text(config.replace('baseurl: ""', f"baseurl: {SITE}"), encoding="utf-8")
    build_once("addressed", *small_book, "--config", output / "_config.yml", "--output", output)
    return output / "_build" / "html"


def soup(site, name):
    return BeautifulSoup((site / name).read_text(encoding="utf-8"), "html.parser")


def outside(page):
    """Addresses of other hosts that a page's links and tags name, each once."""
    return {tag["href"] for tag in page.find_all(href=re.compile("^https?:"))}


def test_a_page_leads_to_its_source_and_runs_elsewhere(addressed):
    page = soup(addressed, "01_first.html")
    file = "blob/main/book/01_first.ipynb"
    for address in (
        f"{REPOSITORY}/{file}",
        f"{REPOSITORY}/edit/main/book/01_first.ipynb",
        f"{REPOSITORY}/issues/new",
        f"https://colab.research.google.com/github/owner/name/{file}",
        "https://mybinder.org/v2/gh/owner/name/main?urlpath=lab/tree/book/01_first.ipynb",
        f"{SITE}/01_first.html",
    ):
        assert any(link.startswith(address) for link in outside(page)), f"no link leads to {address}"
    texts = {text.get_text().strip() for text in page.select(".btn__text-container")}
    assert texts <= {
        "Binder",
        "Colab",
        "源码库",
        "查看源文件",
        "建议修改",
        "报告问题",
        ".ipynb",
        ".pdf",
        ".zip",
    }


def test_a_link_to_a_page_shows_title_words_and_picture(addressed):
    page = soup(addressed, "01_first.html")
    told = {tag["property"]: tag["content"] for tag in page.find_all("meta", property=True)}
    assert told["og:title"] == "1. 第一节"
    assert told["og:url"] == f"{SITE}/01_first.html"
    assert told["og:description"] == page.find("meta", attrs={"name": "description"})["content"]
    assert "\\" not in told["og:description"], "TeX stands in the description"
    picture = addressed / told["og:image"].removeprefix(f"{SITE}/")
    assert struct.unpack(">II", picture.read_bytes()[16:24]) == (1200, 630)


def test_the_sitemap_lists_the_pages_and_robots_the_sitemap(addressed):
    tree = ElementTree.parse(addressed / "sitemap.xml")
    listed = {place.text.rsplit("/", 1)[-1] for place in tree.iterfind(".//{*}loc")}
    built = {path.name for path in addressed.glob("*.html")} - {"404.html", "genindex.html", "search.html"}
    assert listed == built
    assert f"Sitemap: {SITE}/sitemap.xml" in (addressed / "robots.txt").read_text(encoding="utf-8")


def test_a_missing_page_links_from_the_root(addressed):
    page = soup(addressed, "404.html")
    assert page.select_one("article h1").text.startswith("没有这一页")
    relative = [
        tag["href"]
        for tag in page.select("link[href], a[href]")
        if not tag["href"].startswith(("/name/", "#", "http", "data:"))
    ]
    assert not relative, f"these break below another folder: {relative}"


def test_without_addresses_no_page_leads_outside_or_promises_a_button(small_site):
    page = soup(small_site, "01_first.html")
    assert not outside(page)
    assert not page.select("[rel=canonical], [property='og:url'], [property='og:image']")
    assert not (small_site / "sitemap.xml").exists()
    assert (small_site / "robots.txt").exists()


def test_the_footer_states_edition_and_licence(small_site):
    stated = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    footer = soup(small_site, "01_first.html").select_one("p.copyright").text
    for part in (stated["version"], str(stated["date-released"]), "CC BY 4.0", "MIT"):
        assert part in footer
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'version = "{stated["version"]}"' in project
