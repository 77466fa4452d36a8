"""Labels and their numbers: what the article numbers keeps its number, through the whole book."""

import pytest
from bs4 import BeautifulSoup

from book_tools.notebooks.files import pages

EQUATIONS = ["attention", "qkv", "sa", "variance", "scaled", "sinusoidal", "rope", "multihead", "layer"]
NUMBERS = {f"equation-eq-{name}": f"(12.{n})" for n, name in enumerate(EQUATIONS, start=1)}
NUMBERS |= {f"fig-{name}": f"图 12.{n}" for n, name in enumerate(["attention", "scaling", "layer"], start=1)}
NUMBERS |= {"tab-gpt2": "表 12.1"}
NUMBERS |= {f"ex-{n}": f"练习 12.{n}" for n in range(1, 8)}


def soup_of(page) -> BeautifulSoup:
    return BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")


def printed_numbers(site, names) -> dict[str, str]:
    """Return the number that each numbered thing of the pages carries, by its id."""
    numbers = {}
    for name in names:
        for mark in soup_of(site / f"{name}.html").select("article .eqno, article .caption-number"):
            owner = mark.find_parent(id=True)
            text = mark.find(string=True, recursive=False).strip()
            if "12." in text:
                numbers[owner["id"]] = text
    return numbers


@pytest.fixture(scope="module")
def numbers(site):
    return printed_numbers(site, [path.stem for path in pages()])


@pytest.mark.parametrize(("label", "number"), NUMBERS.items())
def test_a_label_keeps_its_number(numbers, label, number):
    assert numbers.get(label) == number, f"{label} carries {numbers.get(label)}, the article says {number}"


def test_nothing_else_is_numbered(numbers):
    extra = {label: number for label, number in numbers.items() if label not in NUMBERS}
    further_exercises = {label for label in extra if label.startswith("ex-")}
    assert set(extra) == further_exercises, f"numbered beside the article's: {extra}"
    counts = sorted(int(label.removeprefix("ex-")) for label in further_exercises)
    assert counts == list(range(8, 8 + len(counts))), "further exercises go on from 12.8 without a gap"
    assert all(number == f"练习 12.{label.removeprefix('ex-')}" for label, number in extra.items())


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


def test_only_the_articles_labels_take_numbers(small_site):
    found = printed_numbers(small_site, ["01_first", "02_second", "13_exercises"])
    assert found == {
        "equation-eq-attention": "(12.1)",
        "equation-eq-qkv": "(12.2)",
        "fig-attention": "图 12.1",
        "fig-scaling": "图 12.2",
        "tab-gpt2": "表 12.1",
        "ex-1": "练习 12.1",
        "ex-2": "练习 12.2",
    }
