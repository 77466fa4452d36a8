"""What a first visit loads: little, and nothing that the page does not use."""

import gzip
import importlib.util
import re

import pytest
import tinycss2
from PIL import Image

from book_tools.notebooks.files import pages
from book_tools.site.lean import rules_without_script, used_rules

PAGES = [path.stem for path in pages()]
LOADED = re.compile(r'(?:src|href)="([^"#?:]+\.(?:css|js|png|webp|jpg|svg))')
COMPRESSED = {".woff2", ".png", ".webp", ".jpg"}
LIMIT = 250 * 1024  # bytes, before an explorer's data (files named explorers-…)


def transferred(path) -> int:
    content = path.read_bytes()
    return len(content) if path.suffix in COMPRESSED else len(gzip.compress(content))


@pytest.mark.parametrize("edition", ["", "en"])
@pytest.mark.parametrize("name", PAGES)
def test_a_first_visit_is_light(site, name, edition):
    page = site / edition / f"{name}.html"
    links = LOADED.findall(page.read_text(encoding="utf-8"))
    files = {page, *page.parent.glob("_static/vendor/**/fa-solid*.woff2")}
    files |= {(page.parent / link).resolve() for link in links if "explorers-" not in link}
    weights = {path.name: transferred(path) for path in files}
    assert len(weights) > 10, "the page's own files were not found"
    assert sum(weights.values()) <= LIMIT, sorted(weights.items(), key=lambda item: -item[1])[:6]


def test_pages_load_the_texts_of_the_search_only_where_one_searches(site):
    assert "search-text.js" in (site / "search.html").read_text(encoding="utf-8")
    for name in PAGES:
        assert "search-text.js" not in (site / f"{name}.html").read_text(encoding="utf-8"), name


def test_nothing_is_published_that_no_browser_asks_for(site):
    patterns = ("_static/**/*.map", "_static/**/*.ttf", "_static/**/*.po", "_static/**/*.mo", "_images/*.png")
    leftovers = [path for pattern in patterns for path in site.glob(pattern)]
    assert not leftovers


@pytest.mark.skipif(
    importlib.util.find_spec("minify") is None, reason="no minifier here: requirements-test.txt"
)
@pytest.mark.parametrize("name", ["book", "guesses", "doctools"])
def test_scripts_are_published_without_blanks(site, name):
    script = (site / "_static" / f"{name}.js").read_text(encoding="utf-8")
    assert "\n  " not in script


def test_pictures_are_small_and_whole(site):
    pictures = sorted(site.glob("_images/*.webp"))
    assert pictures, "no picture was converted"
    for path in pictures:
        with Image.open(path) as picture:
            picture.load()
        assert path.stat().st_size < 200_000, path.name


def kept(text: str, known: set[str]) -> str:
    return tinycss2.serialize(used_rules(tinycss2.parse_rule_list(text), known))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (".used{a:b}.unused{c:d}", ".used{a:b}"),
        (".unused,p .used{a:b}", "p .used{a:b}"),
        ("#used.unused{a:b}", ""),
        ("p:not(.unused){a:b}", "p:not(.unused){a:b}"),
        ("@media print{.unused{a:b}.used{c:d}}", "@media print{.used{c:d}}"),
        ("@media print{.unused{a:b}}", ""),
        ("@font-face{src:url(a)}", "@font-face{src:url(a)}"),
    ],
)
def test_only_rules_for_something_unknown_go(text, left):
    assert kept(text, {"used"}) == left


def test_the_dark_rules_hold_without_a_script_too():
    rules = tinycss2.parse_rule_list('html[data-theme="dark"] p{color:white}p{color:red}')
    repeated = rules_without_script(rules)
    assert repeated.startswith("@media (prefers-color-scheme: dark)")
    assert 'html[data-theme="auto"] p{color:white}' in repeated
    assert "red" not in repeated
