"""Refresh: the same bytes for the same notebook, and nothing written when something fails."""

import base64
import io
import shutil
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from PIL import Image

from book_tools.audit.__main__ import main as audit_main
from book_tools.mutation.trials import main as mutate_main
from book_tools.notebooks import refresh
from book_tools.notebooks.files import WIDGET_VIEW, NotebookError, chosen, read, to_bytes

PAGE = Path(__file__).parent / "fixtures" / "page.ipynb"


def notebook_file(folder, *cells):
    path = folder / "small.ipynb"
    path.write_bytes(to_bytes(new_notebook(cells=list(cells))))
    return path


def test_an_unchanged_page_keeps_its_bytes_twice(tmp_path):
    path = tmp_path / "page.ipynb"
    shutil.copy(PAGE, path)
    for _ in range(2):
        assert refresh.refresh(path) is False
        assert path.read_bytes() == PAGE.read_bytes()


def test_other_bytes_of_the_same_picture_are_kept(tmp_path):
    notebook = read(PAGE)
    data = notebook.cells[5].outputs[0].data
    stream = io.BytesIO()
    Image.open(io.BytesIO(base64.b64decode(data["image/png"]))).save(stream, "png", compress_level=1)
    data["image/png"] = base64.b64encode(stream.getvalue()).decode()
    path = tmp_path / "page.ipynb"
    path.write_bytes(to_bytes(notebook))
    before = path.read_bytes()
    assert refresh.refresh(path) is False
    assert path.read_bytes() == before


def test_stale_outputs_counts_and_pictures_are_renewed_and_prose_is_not(tmp_path):
    notebook = read(PAGE)
    notebook.cells[0].source += "\n\n共 12 层"
    notebook.cells[1].outputs = []
    notebook.cells[3].execution_count = 9
    notebook.cells[5].outputs[0].data["image/png"] = base64.b64encode(b"nothing").decode()
    path = tmp_path / "page.ipynb"
    path.write_bytes(to_bytes(notebook))
    assert refresh.refresh(path) is True
    fresh, sound = read(path), read(PAGE)
    assert fresh.cells[0].source == notebook.cells[0].source
    assert fresh.cells[1:] == sound.cells[1:]


def test_a_measured_cell_keeps_its_output_until_its_code_changes(tmp_path):
    code = 'import os\nprint("time.x =", os.urandom(8).hex(), "ms")'
    cell = new_code_cell(
        code, metadata={"tags": ["measured", "nbval-ignore-output"], "measured": {"reason": "random"}}
    )
    path = notebook_file(tmp_path, cell)
    assert refresh.refresh(path) is True
    first = read(path).cells[0]
    assert first.metadata["measured"]["reason"] == "random"
    assert refresh.refresh(path) is False
    notebook = read(path)
    notebook.cells[0].source += "  # changed"
    path.write_bytes(to_bytes(notebook))
    assert refresh.refresh(path) is True
    assert read(path).cells[0].outputs != first.outputs


def test_what_widgets_and_editors_leave_behind_is_dropped_and_a_fold_stays(tmp_path):
    left = {"jupyter": {"outputs_hidden": True, "source_hidden": False}, "scrolled": True}
    code = new_code_cell("import ipywidgets\nipywidgets.IntSlider(value=3)", metadata=left)
    path = notebook_file(tmp_path, code)
    refresh.refresh(path)
    notebook = read(path)
    assert WIDGET_VIEW not in notebook.cells[0].outputs[0].data
    assert "widgets" not in notebook.metadata
    assert notebook.cells[0].metadata["jupyter"] == {"outputs_hidden": True}
    assert "scrolled" not in notebook.cells[0].metadata
    assert refresh.refresh(path) is False


def test_a_failing_cell_is_named_and_nothing_is_written(tmp_path, capsys):
    path = notebook_file(tmp_path, new_code_cell("x = 1"), new_markdown_cell("字"), new_code_cell("x / 0"))
    before = path.read_bytes()
    assert refresh.main([str(path)]) == 1
    told = capsys.readouterr().out
    assert "code cell 2 of 2 failed" in told
    assert "ZeroDivisionError" in told
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["small.ipynb"]


def test_check_writes_nothing_and_fails(tmp_path):
    path = notebook_file(tmp_path, new_code_cell("1 + 1"))
    before = path.read_bytes()
    assert refresh.main(["--check", str(path)]) == 1
    assert path.read_bytes() == before
    assert refresh.main([str(path)]) == 0
    assert refresh.main(["--check", str(path)]) == 0


def test_output_that_is_rewritten_is_refused(tmp_path):
    path = notebook_file(tmp_path, new_code_cell("from IPython.display import clear_output\nclear_output()"))
    with pytest.raises(NotebookError, match="cell 1 sends clear_output"):
        refresh.refresh(path)


@pytest.mark.parametrize("text", ["", "{", "[]"])
def test_a_file_that_is_not_a_notebook_is_named(tmp_path, text):
    path = tmp_path / "broken.ipynb"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(NotebookError, match=r"broken\.ipynb"):
        refresh.refresh(path)


def test_an_unknown_page_is_named(capsys):
    with pytest.raises(SystemExit):
        refresh.main(["99_nowhere"])
    assert "no notebook '99_nowhere'" in capsys.readouterr().err


def test_an_empty_name_chooses_nothing():
    with pytest.raises(NotebookError, match="no notebook ''"):
        chosen([""])


@pytest.mark.parametrize("name", ["missing.md", "folder.md", "latin.md"])
def test_a_file_that_cannot_be_read_is_named(tmp_path, name, capsys):
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "latin.md").write_bytes(b"\xe9")
    with pytest.raises(SystemExit):
        audit_main([str(tmp_path / name)])
    assert f"{name}: cannot be read" in capsys.readouterr().err


def test_a_page_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    path = notebook_file(tmp_path, new_code_cell("1"))

    def refuse(path, data):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(refresh, "write_atomically", refuse)
    with pytest.raises(NotebookError, match=r"small\.ipynb: cannot be written \(Permission denied\)"):
        refresh.refresh(path)


def test_a_sample_below_one_is_refused(capsys):
    with pytest.raises(SystemExit):
        mutate_main(["--sample", "-3"])
    assert "must be at least 1; got -3." in capsys.readouterr().err
