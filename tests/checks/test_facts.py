"""The table of facts, and the map of the article's figures."""

import pytest

from book_tools.audit.article import agree, check_figures, figure_fault, load_figures
from book_tools.audit.facts import check_facts, load_facts
from book_tools.audit.printed import Values
from book_tools.notebooks.files import BOOK, pages, read

HEADER = "key,value,unit,reference,where\n"


def test_the_books_facts_are_in_order():
    assert list(map(str, check_facts(BOOK))) == []


def told(tmp_path, row):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "facts.csv").write_text(HEADER + row, encoding="utf-8")
    (tmp_path / "references.bib").write_text("@book{prince2023understanding,\n}", encoding="utf-8")
    return list(map(str, check_facts(tmp_path)))


def test_a_sound_fact_passes(tmp_path):
    assert told(tmp_path, "year,2023,year,prince2023understanding,title page\n") == []


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("year,2023,year,nobody2023,title page\n", "no key of references.bib"),
        ("year,2023,year,prince2023understanding,\n", "say where"),
        ("year,soon,year,prince2023understanding,title page\n", "must be one number"),
        ("a,1,,course,x\na,2,,course,x\n", "stands twice"),
        ("a,1,,course\n", "expected 5 columns"),
    ],
)
def test_an_unsound_fact_is_told(tmp_path, row, fault):
    assert any(fault in text for text in told(tmp_path, row))


def test_all_72_figures_are_mapped_once():
    assert [row["id"] for row in load_figures()] == [f"n{number:02}" for number in range(1, 73)]


def test_each_figure_whose_page_exists_is_printed():
    assert list(map(str, check_figures(BOOK))) == []


def test_a_figure_must_have_a_page_of_the_book():
    existing = {path.stem for path in pages()}
    planned = {"05_positions", "06_multi_head", "07_layer", "08_masks", "09_beyond_text", "10_limits"}
    assert {row["page"] for row in load_figures()} <= existing | planned


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        ("38597376", "38,597,376", True),
        ("38597375", "38,597,376", False),
        ("(0.090, 0.245, 0.665)", "(0.0900, 0.2447, 0.6652)", True),
        ("2D_q D + D²; 2D_q + D", "D² + 2D D_q; D + 2D_q", True),
        ("2D_q D + D²; 2D_q + D", "D² + 2D D_q", False),
        ("0.19..0.26", "(0.21, 0.25)", True),
        ("0.19..0.26", "(0.21, 0.27)", False),
        ("1 0 1; 0 1 1", "1 0 1; 0 1 1", True),
    ],
)
def test_figures_agree(expected, printed, same):
    assert agree(expected, printed) is same


def test_a_key_that_is_not_printed_is_told(page):
    row = {"expected": "8", "key": "nowhere"}
    assert "prints a value 'nowhere'" in figure_fault(row, Values(page), load_facts())


def test_every_page_can_be_read():
    assert all(read(path).cells for path in pages() if path.suffix == ".ipynb")
