"""A page of another edition: its text is its own, all else its counterpart's; what has changed is named."""

import shutil
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from book_tools.editions.check import check_edition, check_editions
from book_tools.editions.counterparts import align, read_edition, stamp_page
from book_tools.language import ENGLISH
from book_tools.notebooks import refresh
from book_tools.notebooks.files import NotebookError, read, tie_outputs, to_bytes

FIGURE = {"mystnb": {"image": {"alt": "三条线"}}, "bind": {"alt": ["lines"]}, "tags": ["hide-input"]}


def first_page():
    code = new_code_cell("print('lines = 3')", execution_count=1, id="draw", metadata=dict(FIGURE))
    code.outputs = [new_output("stream", name="stdout", text="lines = 3\n")]
    tie_outputs(code)
    return new_notebook(
        cells=[
            new_markdown_cell("# 1. 词元", id="title"),
            code,
            new_markdown_cell('共 <data value="lines">3</data> 条。', id="text"),
        ]
    )


@pytest.fixture
def root(tmp_path):
    """A book of one notebook and one Markdown page, its English edition aligned, written and stamped."""
    book = tmp_path / "book"
    book.mkdir()
    (tmp_path / "_toc.yml").write_text("root: index\nparts:\n- chapters:\n  - file: 01_first\n")
    (book / "index.md").write_text("# 封面\n", encoding="utf-8")
    (book / "01_first.ipynb").write_bytes(to_bytes(first_page()))
    for path in (book / "index.md", book / "01_first.ipynb"):
        align(path, ENGLISH, create=True)
    write(book / "en" / "01_first.ipynb", title="# 1. Tokens", draw="three lines", text="3 of them")
    (book / "en" / "index.md").write_text("# Cover\n", encoding="utf-8")
    for path in (book / "index.md", book / "01_first.ipynb"):
        stamp_page(path, ENGLISH)
    return tmp_path


def write(path: Path, **texts) -> None:
    """Write texts into the cells of a page, by id."""
    page = read(path)
    for cell in page.cells:
        if cell.id in texts and cell.cell_type == "code":
            cell.metadata.setdefault("mystnb", {}).setdefault("image", {})["alt"] = texts[cell.id]
        elif cell.id in texts:
            cell.source = texts[cell.id]
    path.write_bytes(to_bytes(page))


def change(path: Path, **changes) -> None:
    """Change fields of the one code cell of a page."""
    page = read(path)
    next(cell for cell in page.cells if cell.cell_type == "code").update(changes)
    path.write_bytes(to_bytes(page))


def told(root) -> list[str]:
    return [str(finding) for finding in check_edition(ENGLISH, root)]


def test_an_edition_that_is_written_and_read_has_no_finding(root):
    assert told(root) == []


def test_a_book_of_one_edition_has_no_finding(root):
    shutil.rmtree(root / "book" / "en")
    assert list(check_editions(root)) == []


def test_a_skeleton_has_the_cells_and_leaves_each_text_to_write(root):
    (root / "book" / "en" / "01_first.ipynb").unlink()
    assert align(root / "book" / "01_first.ipynb", ENGLISH, create=True)
    page, first = read(root / "book" / "en" / "01_first.ipynb"), first_page()
    assert [cell.id for cell in page.cells] == [cell.id for cell in first.cells]
    assert page.cells[1].outputs == first.cells[1].outputs
    assert page.cells[1].metadata["tags"] == ["hide-input"]
    found = told(root)
    assert [line.partition(": ")[2].split(":")[0] for line in found] == ["cell 1", "cell 2", "cell 3"]
    assert all("left to write" in line for line in found)


def test_aligning_again_keeps_every_own_text(root):
    path = root / "book" / "en" / "01_first.ipynb"
    before = path.read_bytes()
    assert not align(root / "book" / "01_first.ipynb", ENGLISH)
    change(path, source="print('lines = 4')")
    assert align(root / "book" / "01_first.ipynb", ENGLISH)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"source": "print('lines = 4')"}, "source"),
        ({"outputs": [new_output("stream", name="stdout", text="lines = 4\n")]}, "outputs"),
        ({"execution_count": 2}, "execution_count"),
        ({"metadata": {"tags": ["hide-cell"]}}, "metadata"),
    ],
)
def test_what_differs_from_the_counterpart_is_named(root, changes, named):
    change(root / "book" / "en" / "01_first.ipynb", **changes)
    (line,) = told(root)
    assert f"cell 2: “draw” differs from its counterpart in {named};" in line


def test_a_missing_cell_and_a_foreign_one_are_named(root):
    path = root / "book" / "en" / "01_first.ipynb"
    page = read(path)
    page.cells[2] = new_markdown_cell("more", id="other")
    path.write_bytes(to_bytes(page))
    assert [
        "“other” this cell has no counterpart" in told(root)[0],
        "“text” this cell is missing" in told(root)[1],
    ]
    page.cells = read_edition(root / "book" / "01_first.ipynb").cells[::-1]
    path.write_bytes(to_bytes(page))
    assert "another order" in told(root)[0]


def test_a_missing_page_and_a_foreign_one_are_named(root):
    (root / "book" / "en" / "01_first.ipynb").rename(root / "book" / "en" / "02_other.ipynb")
    missing, foreign = told(root)
    assert missing.startswith(
        "en/01_first.ipynb: the page is missing; run `python -m book_tools.editions align en"
    )
    assert foreign == "en/02_other.ipynb: the first edition has no such page"


@pytest.mark.parametrize("cell", ["title", "draw"])
def test_text_whose_counterpart_changed_is_named_until_it_is_stamped(root, cell):
    path = root / "book" / "01_first.ipynb"
    write(path, **{cell: "换了"})
    (line,) = told(root)
    assert f"“{cell}”" in line
    assert "has changed since" in line
    stamp_page(path, ENGLISH, [cell])
    assert told(root) == []


def test_a_markdown_page_whose_counterpart_changed_is_named(root):
    (root / "book" / "index.md").write_text("# 新封面\n", encoding="utf-8")
    (line,) = told(root)
    assert line.startswith("en/index.md: cell 1: “page” the text of its counterpart has changed since")
    stamp_page(root / "book" / "index.md", ENGLISH)
    assert told(root) == []
    assert (
        (root / "book" / "en" / "index.md")
        .read_text(encoding="utf-8")
        .startswith("# Cover\n\n<!-- counterpart")
    )


def test_what_is_not_written_cannot_be_stamped(root):
    write(root / "book" / "en" / "01_first.ipynb", title="")
    with pytest.raises(NotebookError, match="the text of cell title must be written first"):
        stamp_page(root / "book" / "01_first.ipynb", ENGLISH)
    with pytest.raises(NotebookError, match="cells must be ids of the page; got nobody"):
        stamp_page(root / "book" / "01_first.ipynb", ENGLISH, ["nobody"])


def test_refresh_writes_code_and_outputs_into_both_and_runs_the_first_alone(root):
    path = root / "book" / "01_first.ipynb"
    change(path, source="print('lines = 5')")
    assert refresh.refresh(path)
    assert not refresh.refresh(path)
    own = read(root / "book" / "en" / "01_first.ipynb")
    assert own.cells[1].outputs[0].text == "lines = 5\n"
    assert own.cells[0].source == "# 1. Tokens"
    assert told(root) == []
    with pytest.raises(NotebookError, match="refresh its counterpart"):
        refresh.refresh(root / "book" / "en" / "01_first.ipynb")
