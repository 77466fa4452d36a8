"""The built files hold together: links lead somewhere, files exist, nothing is loaded from another host."""

import re
from urllib.parse import unquote, urlsplit

import pytest
from bs4 import BeautifulSoup

from book_tools.notebooks.files import ROOT


@pytest.fixture(scope="module")
def soups(site):
    pages = {page for folder in (site, site / "en") for page in folder.glob("*.html")}
    pages = {page for page in pages if page.name != "404.html"}  # its links count from the root of a server
    return {path: BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser") for path in sorted(pages)}


def test_every_internal_link_leads_somewhere(soups, site):
    dead = []
    anchors = {path: {tag["id"] for tag in soup.find_all(id=True)} for path, soup in soups.items()}
    for path, soup in soups.items():
        for link in soup.find_all("a", href=True):
            parts = urlsplit(link["href"])
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            if not target.exists():
                dead.append(f"{path.name}: {link['href']}")
            elif anchor and target.suffix == ".html" and anchor not in anchors[target]:
                dead.append(f"{path.name}: {link['href']} has no such anchor")
    assert not dead, "\n".join(dead)


def test_everything_a_page_loads_is_served_beside_it(soups):
    wrong = []
    for path, soup in soups.items():
        loaded = [tag["src"] for tag in soup.find_all(["script", "img", "iframe", "source"], src=True)]
        loaded += [tag["href"] for tag in soup.find_all("link", href=True)]
        for address in loaded:
            parts = urlsplit(address)
            if parts.scheme == "data":
                continue
            if parts.scheme or parts.netloc or not (path.parent / unquote(parts.path)).exists():
                wrong.append(f"{path.name}: {address}")
    assert not wrong, "\n".join(wrong)


def test_no_browser_has_to_ask_for_an_icon(soups):
    bare = [
        path.name for path, soup in soups.items() if not soup.select("link[rel=icon][href^='data:image/']")
    ]
    assert not bare, f"a browser asks the server for /favicon.ico on {bare}"


def test_style_sheets_load_nothing_from_outside(site):
    outside = re.compile(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//[^)]*")
    found = [
        f"{path.name}: {match[0]}"
        for path in site.rglob("*.css")
        for match in outside.finditer(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


def test_ids_are_unique(soups):
    for path, soup in soups.items():
        ids = [tag["id"] for tag in soup.find_all(id=True)]
        twice = {name for name in ids if ids.count(name) > 1}
        assert not twice, f"{path.name} has {twice} more than once"


def test_no_page_tells_where_it_was_built(site):
    where = [
        path.name
        for path in [*site.glob("*.html"), *(site / "_static").glob("*.js")]
        if str(ROOT) in path.read_text(encoding="utf-8")
    ]
    assert not where, f"the builder's folder stands in {where}"
