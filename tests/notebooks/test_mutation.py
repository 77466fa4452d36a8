"""The checks themselves: change a digit anywhere, or break the library, and they must notice.

All prose of the book is tried, and a sample of the stored outputs of two pages;
`python -m book_tools.mutation --all --pytest` and `python -m book_tools.mutation --library` try the rest.
"""

import copy
import random
import sys
from pathlib import Path

import pytest

from book_tools.audit.facts import load_facts
from book_tools.mutation import digits as mutants
from book_tools.mutation import library
from book_tools.mutation import trials as mutate
from book_tools.notebooks.files import BOOK, NotebookError

PAGE = Path(__file__).parents[1] / "checks" / "fixtures" / "page.ipynb"
linux_only = pytest.mark.skipif(
    sys.platform != "linux", reason="stored outputs are made on Linux; elsewhere nbval compares text alone"
)
SAMPLE = 60
RUN = [PAGE, BOOK / "02_self_attention.ipynb"]


def survivors(trials):
    return [str(trial) for trial in trials if not trial.caught]


@pytest.mark.parametrize(
    "path", mutate.changeable_pages(), ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_every_changed_number_and_link_in_prose_is_named(path):
    page = mutate.Page(path, load_facts(), run=False)
    trials = mutate.try_digits(page, None, random.Random(0))
    assert trials, f"{path.name} prints no number in its prose"
    caught = sum(trial.caught for trial in trials)
    assert caught >= mutate.REQUIRED_RATE * len(trials), survivors(trials)


@linux_only
@pytest.mark.parametrize("path", RUN, ids=lambda path: path.stem)
def test_changed_digits_of_stored_outputs_are_named(path):
    page = mutate.Page(path, load_facts())
    page.sites = [site for site in page.sites if site.field[0] == "outputs"]
    trials = mutate.try_digits(page, SAMPLE, random.Random(0))
    assert survivors(trials) == []


@linux_only
def test_ten_mutants_through_a_real_pytest_run_are_named():
    source = random.Random(0)
    trials = mutate.try_pytest(mutate.Page(PAGE, load_facts()), source)
    assert len(trials) == mutate.PYTEST_MUTANTS
    assert survivors(trials) == []


def test_a_mutant_differs_in_one_digit(page):
    source, original = random.Random(0), copy.deepcopy(page)
    for site in mutants.sites(page):
        if site.others:
            continue
        before, after = site.text(page), site.text(mutants.mutate(page, site, source))
        assert len(before) == len(after)
        assert sum(one != other for one, other in zip(before, after, strict=True)) == 1
        assert page == original, "the mutant shares its changed cell with the page"


def test_measured_outputs_are_no_sites(page):
    assert all(site.cell != 6 for site in mutants.sites(page))


def test_the_condition_of_an_option_is_no_site(page):
    page.cells[0].source = '- <data class="option" value="{a[1]} < 2 and {b} > 3">变小 4</data>'
    assert [site.text(page) for site in mutants.sites(page) if site.cell == 0] == ["4"]


@pytest.mark.parametrize(
    ("markdown", "found"),
    [
        (
            "GPT-2 有 12 层，见[图 12.1](a.ipynb#fig-12-1)。",
            [("GPT-2", "name"), ("12", "prose"), ("12.1", "prose"), ("a.ipynb#fig-12-1", "link")],
        ),
        ('<a id="eq-12-1"></a>第 3 节\n\n1. 甲\n2. 乙', [("3", "prose"), ("eq-12-1", "anchor")]),
        (
            "$$x_1 = 2$$\n\n| $y_{3}$ | 4 |",
            [
                ("1", "displayed equation"),
                ("2", "displayed equation"),
                ("3", "index in inline mathematics"),
                ("4", "table"),
            ],
        ),
        (
            '占<data value="k">两成</data>，共十六层，一个也不少',
            [("两", "number in words"), ("十六", "number in words")],
        ),
        ("`<E7>`，见 https://example.org/5", [("7", "quoted code")]),
        (
            '<data value="S[2,3]">4</data>是三分之一，上半不算',
            [("4", "prose"), ("三分之一", "number in words")],
        ),
    ],
)
def test_what_is_changed_in_a_text(page, markdown, found):
    page.cells[0].source = markdown
    sites = [(site.text(page), site.kind) for site in mutants.sites(page) if site.cell == 0]
    assert sorted(sites) == sorted(found)


def test_a_link_and_a_name_become_others(page):
    page.cells[0].source = "GPT-2 [甲](02_self_attention.ipynb)"
    name, link = (site for site in mutants.sites(page) if site.cell == 0)
    assert "GPT-5" in name.others
    assert not {"GPT-2", "GPT-3"} & set(name.others), "another listed name is no mistake of the audit's"
    assert "04_scaling.ipynb" in link.others
    assert "02_self_attention.ipynb" not in link.others


def test_an_unsound_page_is_refused(tmp_path, page):
    path = tmp_path / "page.ipynb"
    page.cells[0].source += "\n\n共 12 层"
    path.write_bytes(mutate.to_bytes(page))
    with pytest.raises(NotebookError, match="mend the page"):
        mutate.Page(path, load_facts(), run=False)


def test_a_check_that_notices_nothing_fails_the_mutation_test(monkeypatch, capsys):
    page = mutate.Page(PAGE, load_facts(), run=False)
    monkeypatch.setattr(mutate, "audit_text", lambda *_: [])
    trials = mutate.try_digits(page, None, random.Random(0))
    assert mutate.report(trials, "blind") is False
    assert "survived: page.ipynb: cell 5, line 6 (table): 124,439,808 →" in capsys.readouterr().out


@linux_only
@pytest.mark.parametrize(
    ("mutant", "page"),
    [
        (library.MUTANTS[0], "02_self_attention"),
        (library.MUTANTS[1], "04_scaling"),
        (library.MUTANTS[2], "02_self_attention"),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_a_broken_library_fails_the_page(mutant, page):
    path = BOOK / f"{page}.ipynb"
    assert library.try_page(mutant, path) is True, f"{page} does not notice: {mutant.name}"


def test_a_bound_number_that_passes_with_another_value_is_told(page, monkeypatch):
    moved = copy.deepcopy(page)
    code = next(cell for cell in moved.cells if "params.total" in str(cell.get("outputs")))
    code.outputs[0].text = code.outputs[0].text.replace("124,439,808", "234,439,808")
    assert list(library.unnoticed(page, moved, {})) == []
    monkeypatch.setattr(library.Binder, "bound", lambda *_: None)
    assert {key for key, _ in library.unnoticed(page, moved, {})} == {"params.total"}


@pytest.mark.parametrize("mutant", library.MUTANTS, ids=lambda mutant: mutant.name)
def test_the_line_to_break_is_in_the_library(mutant, tmp_path):
    library.plant(mutant, tmp_path)


def test_a_page_that_never_runs_the_broken_line_is_recognised():
    assert library.try_page(library.MUTANTS[0], PAGE) is None
