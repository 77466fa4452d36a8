"""What a page waits for before it is drawn: one style sheet, and the theme."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

PAGES = ("index", "06_multi_head", "13_exercises", "404", "search")


def head_of(site, name):
    return BeautifulSoup((site / f"{name}.html").read_text(encoding="utf-8"), "html.parser").head


@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_for_one_sheet_of_the_theme_s(site, name):
    links = head_of(site, name).select("link[rel=stylesheet]:not([href*='mathematics.css'])")
    sheets = [link["href"] for link in links]
    joined = [sheet for sheet in sheets if "/sheets-" in sheet]
    assert len(joined) == 1
    assert [sheet for sheet in sheets if sheet not in joined] == ["_static/front.css"] * (name == "index")
    file = site / joined[0].lstrip("/").partition("?")[0]
    text = file.read_text(encoding="utf-8")
    assert "@import" not in text
    for address in re.findall(r"""url\(["']?(?!data:|["'])([^"')]+)""", text):
        if not address.endswith(".ttf"):  # no browser that draws this site asks for them
            assert (file.parent / address).is_file(), address


@pytest.mark.parametrize("name", PAGES)
def test_no_script_of_the_head_holds_up_the_page_but_the_names_the_theme_needs(site, name):
    scripts = head_of(site, name).select("script[src]:not([defer])")
    assert [re.search(r"(\w+)\.js", script["src"])[1] for script in scripts] == ["documentation_options"]
    assert not head_of(site, name).select("link[rel=preload]")


def test_nothing_measures_what_is_hidden_or_folded(site):
    theme = (site / "_static" / "scripts" / "pydata-sphinx-theme.js").read_text(encoding="utf-8")
    assert "scrollWidth" not in theme
    assert '.closest("[hidden], details:not([open])")' in (site / "_static" / "book.js").read_text(
        encoding="utf-8"
    )


def test_explorers_and_guesses_find_what_they_need_right_above_them(site):
    text = (site / "06_multi_head.html").read_text(encoding="utf-8")
    assert text.index("<h1") < text.index("guesses.js") < text.index("<guess-form")
    assert text.index("<h1") < text.index("explorers.js") < text.index("-explorer ")


def test_a_build_of_one_page_or_none_leaves_a_whole_sheet(tmp_path):
    book = shutil.copytree(Path(__file__).parent / "fixtures" / "book", tmp_path / "book")
    options = ["--source", str(book), "--toc", str(book / "_toc.yml"), "--output", str(tmp_path)]
    texts = []
    for more in ("", "", "\n又一行。\n"):
        with (book / "index.md").open("a", encoding="utf-8") as page:
            page.write(more)
        assert (
            subprocess.run([sys.executable, "-m", "book_tools.site", *options], check=False).returncode == 0
        )
        (sheet,) = (tmp_path / "_build" / "html" / "_static").glob("sheets-*.css")
        texts.append(sheet.read_text(encoding="utf-8"))
    assert "#book-hint" in texts[0]
    assert len(set(texts)) == 1
