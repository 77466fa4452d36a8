"""Labels and their numbers: what the article numbers keeps its number, through the whole book."""

import re

import pytest
from bs4 import BeautifulSoup

from book_tools.notebooks.files import pages

WHERE = {
    **{f"eq-12-{n}": f"(12.{n})" for n in range(1, 10)},
    **{f"fig-12-{n}": f"图 12.{n}" for n in range(1, 4)},
    "tab-12-1": "表 12.1",
    **{f"ex-12-{n}": f"练习 12.{n}" for n in range(1, 25)},
}
HEADINGS = "article .eqno, article .caption-number, article section.exercise > h3"


def soup_of(page) -> BeautifulSoup:
    return BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")


def printed_numbers(site, names) -> dict[str, str]:
    """Return the number that each numbered thing of the pages carries, by its id."""
    return {
        mark.find_parent(id=True)["id"]: re.match(r"(?:图|表|练习)? ?\(?[\d.]+\)?", mark.text)[0]
        for name in names
        for mark in soup_of(site / f"{name}.html").select(HEADINGS)
    }


@pytest.fixture(scope="module")
def numbers(site):
    return printed_numbers(site, [path.stem for path in pages()])


def test_all_that_has_a_number_carries_it(numbers):
    assert numbers == WHERE


def test_the_sidebar_counts_the_ten_sections(site):
    entries = soup_of(site / "index.html").select(".bd-docs-nav li.toctree-l1 > a")
    numbered = [entry.text.split(".")[0].strip() for entry in entries if entry.text.strip()[:1].isdigit()]
    assert numbered == [str(n) for n in range(1, 11)]


def test_a_reference_shows_the_number_of_its_target(site, numbers):
    wrong = []
    for path in pages():
        for link in soup_of(site / f"{path.stem}.html").select("article a.reference.internal"):
            label = link["href"].rpartition("#")[2]
            shown = link.text.strip()
            if label in numbers and "12." in shown and numbers[label].strip("()") not in shown:
                wrong.append(f"{path.stem}: {shown} leads to {numbers[label]}")
    assert not wrong, "\n".join(wrong)


def test_a_typed_number_becomes_the_sites(small_site):
    assert printed_numbers(small_site, ["01_first", "02_second", "13_exercises"]) == {
        "eq-12-1": "(12.1)",
        "eq-12-2": "(12.2)",
        "fig-12-1": "图 12.1",
        "fig-12-2": "图 12.2",
        "tab-12-1": "表 12.1",
        "ex-12-1": "练习 12.1",
        "ex-12-2": "练习 12.2",
    }


def test_a_section_is_numbered_once(small_site):
    assert soup_of(small_site / "01_first.html").select_one("article h1").text == "1. 第一节#"
