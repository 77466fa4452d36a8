"""Notebooks to take home: each page's alone, and an archive in which they run."""

import subprocess
import sys
import zipfile

import nbformat
import pytest
from bs4 import BeautifulSoup

from book_tools.editions.places import editions, folder_of
from book_tools.first_cell import SOURCE, put_first
from book_tools.language import LANGUAGES
from book_tools.notebooks.files import ROOT, notebooks
from book_tools.site.take_home import ARCHIVE, write_archive
from book_tools.site.whole_book import FORMATS, file_name, megabytes, offer, offer_in_site
from transformer_book.widgets.model_files import PUBLISHED

FIRST_CELL = SOURCE.format(address="")


@pytest.fixture
def unpacked(site, tmp_path):
    with zipfile.ZipFile(site / ARCHIVE) as archive:
        archive.extractall(tmp_path)
    return tmp_path / "transformer-book"


def test_the_archive_holds_every_notebook_and_the_library(unpacked):
    missing = [path.name for path in notebooks() if not (unpacked / "book" / path.name).exists()]
    assert not missing, f"not in the archive: {missing}"
    for name in ("src/transformer_book/__init__.py", "pyproject.toml", "requirements.txt", "LICENSE"):
        assert (unpacked / name).exists(), f"{name} is not in the archive"
    litter = [
        str(path) for path in unpacked.rglob("*") if "__pycache__" in path.parts or "_build" in path.parts
    ]
    assert not litter, f"the archive holds {litter[:3]}"


def test_an_unpacked_notebook_imports_the_library_beside_it(unpacked):
    notebook = nbformat.read(unpacked / "book" / notebooks()[0].name, as_version=4)
    imports = next(
        cell.source
        for cell in notebook.cells
        if cell.cell_type == "code" and "import transformer_book" in cell.source.replace("from", "import")
    )
    where = "import transformer_book; print(transformer_book.__file__)"
    result = subprocess.run(
        [sys.executable, "-c", f"{imports}\n{where}"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=unpacked / "book",
        env={"PYTHONPATH": str(unpacked / "src"), "PYTHONUTF8": "1", "PATH": "", "MPLBACKEND": "Agg"},
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert str(unpacked) in result.stdout, "the library came from elsewhere"


def test_the_archive_of_an_unchanged_book_is_the_same(tmp_path):
    for name in ("one.zip", "two.zip"):
        write_archive(ROOT, tmp_path / name)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


@pytest.mark.parametrize("language", editions(), ids=lambda language: language.code)
@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_a_page_offers_its_notebook_and_the_archive(site, path, language):
    folder = folder_of(language, site)
    soup = BeautifulSoup((folder / f"{path.stem}.html").read_text(encoding="utf-8"), "html.parser")
    links = {link["href"] for link in soup.select(".dropdown-download-buttons a[download]")}
    offers = {(folder / link).resolve() for link in links - {file_name(kind, language) for kind in FORMATS}}
    assert offers == {folder / "_sources" / path.name, site / ARCHIVE}
    source = folder_of(language) / path.name
    assert (folder / "_sources" / path.name).read_bytes() == source.read_bytes(), (
        "the download is another notebook"
    )


def test_the_menu_says_how_large_the_archive_is(site):
    soup = BeautifulSoup((site / "index.html").read_text(encoding="utf-8"), "html.parser")
    title = soup.select_one(f'.dropdown-download-buttons a[href="{ARCHIVE}"]')["title"]
    assert megabytes(site / ARCHIVE) in title


def test_the_archive_is_at_most_15_megabytes(site):
    assert (site / ARCHIVE).stat().st_size <= 15e6


# Beside the downloads, weights that are published elsewhere and come only where a reader asks for them.
REQUESTED = tuple(f"{name}-" for name in PUBLISHED)


def test_the_site_packed_is_at_most_12_megabytes(site, tmp_path):
    with zipfile.ZipFile(tmp_path / "site.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(site.rglob("*")):
            apart = path.stem.startswith("transformer-book") or path.name.startswith(REQUESTED)
            if path.is_file() and not apart:
                archive.write(path, path.relative_to(site))
    assert (tmp_path / "site.zip").stat().st_size <= 12e6


MENU = '<div class="dropdown-download-buttons"><ul><li><a href="a.ipynb">.ipynb</a></li></ul></div>'


def offered(soup: BeautifulSoup) -> list[tuple[str, str]]:
    return [(link["href"], link.get("title", "")) for link in soup.select("a")]


def test_a_menu_offers_the_whole_book_where_it_has_been_made(tmp_path):
    soup = BeautifulSoup(MENU, "html.parser")
    offer(soup, tmp_path)
    assert offered(soup) == [("a.ipynb", "")], "a link leads to a file that is not there"
    (tmp_path / file_name("pdf")).write_bytes(bytes(1_200_000))
    for _ in range(2):
        offer(soup, tmp_path)
        assert offered(soup)[1:] == [("transformer-book.pdf", "下载全书 PDF（1.2 MB）")]
    (tmp_path / file_name("pdf")).unlink()
    offer(soup, tmp_path)
    assert offered(soup) == [("a.ipynb", "")], "the file is gone and its link still there"


def test_finished_pages_get_the_link_and_nothing_else(tmp_path):
    page = f"<!DOCTYPE html>\n<html><body><p>1 &lt; 2</p>{MENU}</body></html>"
    (tmp_path / "a.html").write_text(page, encoding="utf-8")
    (tmp_path / file_name("epub")).write_bytes(bytes(340_000))
    offer_in_site(tmp_path)
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert 'href="transformer-book.epub" title="下载全书 EPUB（0.3 MB）"' in text
    (tmp_path / file_name("epub")).unlink()
    offer_in_site(tmp_path)
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == page


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_the_first_code_cell_finds_the_library(path):
    first = next(cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code")
    assert first.source == FIRST_CELL
    assert first.metadata.tags == ["remove-cell"], "the site shows the cell"


PIP = "class Shell:\n    def run_line_magic(self, *words): print(*words)\nget_ipython = Shell\n"


@pytest.mark.parametrize("address", ["", "https://example.org/book.zip"], ids=["no address", "an address"])
def test_without_the_library_a_notebook_fetches_it_or_says_how_to(address):
    result = subprocess.run(
        [sys.executable, "-S", "-X", "utf8", "-c", PIP + SOURCE.format(address=address)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={"PATH": ""},
        check=False,
    )
    if address:
        assert (result.returncode, result.stdout.strip()) == (0, f"pip install {address}")
    else:
        assert result.returncode == 1
        assert result.stderr.startswith("没有找到库 transformer_book")
        assert len(result.stderr.strip().splitlines()) == len(LANGUAGES), "a sentence a language"


def test_with_the_library_the_first_cell_is_silent():
    result = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", FIRST_CELL], capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_the_first_cell_is_written_once_and_cells_are_counted_anew():
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_markdown_cell("# 题"), nbformat.v4.new_code_cell("7", execution_count=1)]
    )
    notebook.cells[1].outputs = [nbformat.v4.new_output("execute_result", execution_count=1)]
    for address in ("", "https://example.org/book.zip"):
        put_first(notebook, address)
    assert [cell.get("execution_count") for cell in notebook.cells] == [None, 1, 2]
    assert notebook.cells[2].outputs[0].execution_count == 2
    assert address in notebook.cells[1].source
