"""A reader's copies: changed at will, compared, made anew; the originals stay as they are."""

import nbformat
import pytest

from book_tools.editions.places import folder_of, others
from book_tools.lab import __main__ as lab
from book_tools.lab.copies import START, Copies, copy_name
from book_tools.language import ENGLISH
from book_tools.notebooks.files import BOOK, pages

PAGE = "03_matrix_form.ipynb"


@pytest.fixture
def copies(tmp_path):
    made = Copies(tmp_path / "my-book")
    made.prepare()
    return made


def change(copies, name=PAGE, source="D_q = 7"):
    notebook = nbformat.read(copies.folder / name, as_version=4)
    notebook.cells[3].source = source
    notebook.cells[3].outputs = []
    nbformat.write(notebook, copies.folder / name)


def test_every_page_is_copied_and_the_list_of_files_is_in_reading_order(copies):
    shown = sorted(path.name for path in copies.folder.iterdir() if path.is_file())
    assert shown == [copy_name(path) for path in pages()]
    assert shown[0] == START


def test_another_edition_lies_in_a_folder_as_in_the_book(copies):
    for language in others():
        own = pages(folder=folder_of(language))
        assert copy_name(own[0]) == f"{language.code}/{START}"
        shown = sorted(path.name for path in (copies.folder / language.code).iterdir())
        assert shown == [START, *(path.name for path in own[1:])]
        page = copies.folder / language.code / PAGE
        assert page.read_bytes() == (folder_of(language) / PAGE).read_bytes(), "copied from another edition"


def test_editions_are_opened_changed_and_made_anew_each_alone(monkeypatch, copies):
    assert f"--LabApp.default_url=/lab/tree/{START}" in lab.command()
    assert f"--LabApp.default_url=/lab/tree/en/{START}" in lab.command(language=ENGLISH)
    monkeypatch.setattr(lab, "Copies", lambda: copies)
    change(copies)
    change(copies, f"en/{PAGE}")
    lab.main(["--reset", "03"])
    assert copies.changes(PAGE) == []
    assert "+D_q = 7" in copies.changes(f"en/{PAGE}")
    lab.main(["--reset", "en/03"])
    assert copies.changes(f"en/{PAGE}") == []


def test_a_change_is_told_line_by_line_and_outputs_are_none(copies):
    assert copies.changes(PAGE) == []
    change(copies, source=nbformat.read(BOOK / PAGE, as_version=4).cells[3].source)
    assert copies.changes(PAGE) == [], "an output counts as a change"
    change(copies)
    assert "+D_q = 7" in copies.changes(PAGE)
    assert copies.changes("04_scaling.ipynb") == []


def test_a_changed_copy_stays_and_another_follows_the_book(copies, tmp_path):
    newer = tmp_path / PAGE, tmp_path / "04_scaling.ipynb"
    for path in newer:
        path.write_bytes((BOOK / path.name).read_bytes().replace(b"\xe3\x80\x82", b"!"))
        copies.originals[path.name] = path
    change(copies)
    assert copies.prepare() == [PAGE]
    assert "+D_q = 7" in copies.changes(PAGE)
    assert (copies.folder / newer[1].name).read_bytes() == newer[1].read_bytes()


def test_a_copy_is_made_anew(copies):
    change(copies)
    copies.reset(PAGE)
    assert (copies.folder / PAGE).read_bytes() == (BOOK / PAGE).read_bytes()
    assert copies.changes(PAGE) == []


def test_the_command_answers_in_words(monkeypatch, capsys, copies):
    monkeypatch.setattr(lab, "Copies", lambda: copies)
    assert lab.main(["--changes"]) == 0
    assert "nothing is changed" in capsys.readouterr().out
    change(copies)
    lab.main(["--changes"])
    assert "+D_q = 7" in capsys.readouterr().out
    lab.main(["--reset", "03"])
    assert copies.changes(PAGE) == []
    with pytest.raises(SystemExit):
        lab.main(["--reset", "77"])
    assert "no page of the book begins with '77'" in capsys.readouterr().err
