"""The tables of claims: what one entry may be, and that the pages of the book have theirs."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from book_tools.audit.claims import check_claims, check_tables, table
from book_tools.audit.page import audit_file
from book_tools.notebooks.files import notebooks, to_bytes

MARKDOWN = """缩放的模型学得**快**：差<data value="gap">0.4</data>，
见[第 2 节](02_b.ipynb)。见过一次的话。见过一次的话。

出自 2017 年的论文 [[1]](references.md#known2017)。
"""
SENTENCE = "缩放的模型学得快：差0.4， 见第 2 节。"
SHOWN = f'sentence = "{SENTENCE}"\ncell = "train"\nholds = "{{gap}} > 2 * {{gap.error}}"'


def notebook(gap="0.4"):
    output = new_output("stream", name="stdout", text=f"gap = {gap}\ngap.error = 0.1\n")
    other = new_output("stream", name="stdout", text="other = 1\n")
    return new_notebook(
        cells=[
            new_markdown_cell(MARKDOWN, id="text"),
            new_code_cell("", id="train", outputs=[output]),
            new_code_cell("", id="more", outputs=[other]),
        ]
    )


@pytest.fixture
def told(tmp_path):
    """A function that lists what is said of one entry of a table."""
    (tmp_path / "claims").mkdir()
    (tmp_path / "references.bib").write_text(
        "@misc{known2017, title={A}, year={2017}}\n@misc{uncited2018, title={B}, year={2018}}\n"
    )

    def faults(entry, page=None, head="[[claim]]\n"):
        (tmp_path / "claims" / "01_a.toml").write_text(head + entry, encoding="utf-8")
        return list(map(str, check_claims(page or notebook(), "01_a.ipynb", tmp_path)))

    return faults


@pytest.mark.parametrize(
    "entry",
    [
        SHOWN,
        SHOWN.replace("学得快", "学得**快**").replace("差0.4", "差<data>0.4</data>"),
        SHOWN.replace('"train"', '["train", "more"]').replace("gap.error}", "gap.error} and {other} < 2"),
        'sentence = "出自 2017 年的论文。"\nsource = "known2017"',
        'sentence = "出自 2017 年的论文 [[9]](references.md#known2017)。"\nsource = "known2017"',
    ],
)
def test_a_claim_that_is_shown_passes(told, entry):
    assert told(entry) == []


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        (SHOWN.replace("0.4", "0.5"), "must stand verbatim once in the page's text; got 0 times"),
        ('sentence = "见过一次的话。"\nsource = "known2017"', "got 2 times"),
        ('sentence = ""\nsource = "known2017"', "got 0 times"),
        (SHOWN + "\n[[claim]]\n" + SHOWN, "must be listed once"),
        (SHOWN.replace(">", "<"), "is false: gap = 0.4, gap.error = 0.1"),
        (SHOWN.replace("2 * {gap.error}", "-1 * abs({gap}) - 1"), "whatever the cell prints"),
        (SHOWN.replace("{gap}", "{other}"), "train does not print a value 'other'"),
        (SHOWN.replace('"train"', '"text"'), "must be the id of a code cell; got text"),
        (f'sentence = "{SENTENCE}"\ncell = "train"', "must give a cell and what holds there, or a source"),
        (f'sentence = "{SENTENCE}"', "must give a cell and what holds there, or a source"),
        (f'sentence = "{SENTENCE}"\nsource = "nobody2017"', "must be a work of references.bib"),
        (f'sentence = "{SENTENCE}"\nsource = "uncited2018"', "must be cited on the page"),
        (SHOWN + "\nproof = 1", "got proof"),
    ],
)
def test_a_claim_that_is_not_shown_is_named(told, entry, fault):
    found = told(entry)
    assert any(fault in text for text in found), found
    assert all(text.startswith("claims/01_a.toml, line ") for text in found)


def test_another_output_refutes_a_claim(told):
    assert "is false: gap = 0.1" in told(SHOWN, notebook(gap="0.1"))[0]


@pytest.mark.parametrize("head", ["[[claims]]\n", "claim = 1\n", "[[claim\n", "# nothing\n"])
def test_another_file_is_no_table(told, head):
    assert "must be" in told(SHOWN.replace("sentence", "a") if head[0] == "[" else "", head=head)[0]


def test_a_table_without_a_page_is_named(tmp_path):
    (tmp_path / "claims").mkdir()
    (tmp_path / "claims" / "01_a.toml").touch()
    (tmp_path / "claims" / "99_b.toml").touch()
    found = list(map(str, check_tables([tmp_path / "01_a.ipynb"], tmp_path)))
    assert found == ["claims/99_b.toml: the book has no page of this name"]


def test_the_audit_reads_a_pages_table(tmp_path):
    (tmp_path / "claims").mkdir()
    (tmp_path / "claims" / "01_a.toml").write_text(f"[[claim]]\n{SHOWN.replace('>', '<')}", encoding="utf-8")
    path = tmp_path / "01_a.ipynb"
    path.write_bytes(to_bytes(notebook()))
    assert any("is false" in str(finding) for finding in audit_file(path, {}))


def test_each_section_lists_its_claims():
    sections = [path.stem for path in notebooks() if path.stem < "13"]
    missing = [stem for stem in sections if not table(stem).exists()]
    assert len(sections) == 12
    assert missing == [], "a page without a table of claims"


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_the_books_claims_are_shown(path):
    found = audit_file(path)
    assert [str(finding) for finding in found if finding.page.startswith("claims/")] == []
