"""The table of facts, and the map of the article's figures."""

import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from book_tools.audit import __main__ as command
from book_tools.audit.article import agree, check_figures, figure_fault, load_figures
from book_tools.audit.facts import check_facts
from book_tools.notebooks.files import to_bytes

HEADER = "key,value,unit,reference,where\n"


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
def test_an_unsound_fact_is_named(tmp_path, row, fault):
    assert any(fault in text for text in told(tmp_path, row))


def test_all_72_figures_are_mapped_once():
    assert [row["id"] for row in load_figures()] == [f"n{number:02}" for number in range(1, 73)]


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


FIGURES = """id,section,what,expected,page,key
n01,1,right,8,01_page,x
n02,1,another,9,01_page,x
n03,1,keyless,8,01_page,
n04,1,unprinted,8,01_page,y
n05,1,fact,8,01_page,fact:nowhere
n06,1,page,8,02_page,x
"""


@pytest.fixture
def book(tmp_path):
    """A book of one page that prints x = 8, with a table of the article's figures."""
    cell = new_code_cell("", outputs=[new_output("stream", name="stdout", text="x = 8\n")], execution_count=1)
    (tmp_path / "book" / "data").mkdir(parents=True)
    (tmp_path / "book" / "01_page.ipynb").write_bytes(to_bytes(new_notebook(cells=[cell])))
    (tmp_path / "book" / "data" / "article_figures.csv").write_text(FIGURES, encoding="utf-8")
    return tmp_path / "book"


def test_a_figure_that_its_page_does_not_print_is_named(book):
    assert [str(finding).partition("” ")[2] for finding in check_figures(book)] == [
        "expected 9, printed 8 (page 01_page)",
        "name the key that prints it (page 01_page)",
        "no code cell of this page prints a value 'y' (page 01_page)",
        "no fact 'fact:nowhere' (page 01_page)",
        "the book has no such page (page 02_page)",
    ]


@pytest.mark.parametrize(("expected", "fault"), [("8", None), ("9", "expected 9, printed 8")])
def test_a_figure_from_the_table_of_facts_is_compared(expected, fault):
    assert figure_fault({"key": "fact:a", "expected": expected}, None, {"a": {"value": "8"}}) == fault


def test_the_audit_of_the_whole_book_reads_pages_facts_claims_figures_and_assignments(
    book, monkeypatch, capsys
):
    (book / "data" / "facts.csv").write_text(HEADER + "a,soon,,course,x\n", encoding="utf-8")
    (book / "claims").mkdir()
    (book / "claims" / "99_lost.toml").touch()
    page = book / "01_page.ipynb"
    assignment = book / "set.ipynb"
    assignment.write_bytes(page.read_bytes())
    monkeypatch.setattr(command, "BOOK", book)
    monkeypatch.setattr(command, "pages", lambda folder: [page])
    monkeypatch.setattr(command, "assignments", lambda: [assignment])
    assert command.main([]) == 1
    told = capsys.readouterr().out
    assert "01_page.ipynb: cell 1: its outputs do not come from this code" in told
    assert "data/facts.csv, line 2: “a,soon,,course,x” value must be one number" in told
    assert "claims/99_lost.toml: the book has no page of this name" in told
    assert "n02 another” expected 9, printed 8" in told
    assert "set.ipynb: cell 1: its outputs do not come from this code" in told
