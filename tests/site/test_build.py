"""The build command: warnings fail the strict build; a Chinese path and a GBK locale do no harm."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from book_tools.notebooks.files import ROOT, notebooks, read, to_bytes
from book_tools.site.__main__ import main

CHARMAP = Path("/usr/share/i18n/charmaps/GBK.gz")


def run(
    root: Path, *options: str | Path, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess:
    """Build with the tools of ``root``, in a plain Python that follows the locale."""
    settings = {
        name: value for name, value in os.environ.items() if name not in ("PYTHONUTF8", "LC_ALL", "LANG")
    }
    settings |= {"PYTHONPATH": str(root / "src")} | (environment or {})
    return subprocess.run(
        [sys.executable, "-m", "book_tools.site", *map(str, options)],
        capture_output=True,
        cwd=root,
        env=settings,
        check=False,
    )


def copy_book(folder: Path) -> Path:
    """Copy the small book, to be spoilt, into a folder."""
    return shutil.copytree(Path(__file__).parent / "fixtures" / "book", folder / "book")


@pytest.fixture
def book(tmp_path) -> Path:
    return copy_book(tmp_path)


def options_for(book: Path, output: Path) -> list:
    return ["--source", book, "--toc", book / "_toc.yml", "--output", output]


FAULTS = {  # a line of a page, and what names it
    "见 [(12.9)](01_first.ipynb#eq-12-9)。": "eq-12-9",
    "见 [别处](nowhere.ipynb)。": "nowhere.ipynb",
    "**图**　没有图。": "a caption stands beside no figure or table",
    '这里是 <data value="nobody.prints">7</data>。': "nobody.prints",
    '这里是 <data value="fact:no.such">7</data>。': "no.such",
}
OTHER_CODE = {  # a page, and what its first cell with `show` says before and after
    "01_first": ("digits=3", "digits=4"),
    "02_second": ("show(", "raise RuntimeError\nshow("),
}


@pytest.fixture(scope="module")
def faulty(tmp_path_factory) -> Path:
    """A copy of the small book with every fault of both tables: one build names them all."""
    book = copy_book(tmp_path_factory.mktemp("faulty"))
    with (book / "index.md").open("a", encoding="utf-8") as page:
        page.writelines(f"\n{fault}\n" for fault in FAULTS)
    for name, (right, wrong) in OTHER_CODE.items():
        notebook = read(book / f"{name}.ipynb")
        cell = next(cell for cell in notebook.cells if right in cell.source)
        cell.source = cell.source.replace(right, wrong, 1)
        (book / f"{name}.ipynb").write_bytes(to_bytes(notebook))
    return book


@pytest.fixture(scope="module")
def warnings(faulty) -> list[str]:
    """What the strict build of the faulty book warns of, each warning with its place; it has to fail."""
    result = run(ROOT, *options_for(faulty, faulty.parent / "strict"), "--strict")
    assert result.returncode != 0, "the build passes every fault"
    return [line for line in result.stderr.decode("utf-8").splitlines() if "WARNING: " in line]


@pytest.mark.parametrize("complaint", FAULTS.values())
def test_a_fault_fails_the_strict_build_and_is_named(warnings, complaint):
    """Any warning fails the strict build, so each fault has to be one."""
    assert any(complaint in line and "index.md" in line for line in warnings), warnings


@pytest.mark.parametrize("page", OTHER_CODE)
def test_outputs_of_other_code_fail_the_strict_build(warnings, page):
    said = [line for line in warnings if "outputs do not come from this code" in line]
    assert any(page in line for line in said), (
        f"the build publishes outputs that the code beside them does not give: {warnings}"
    )


def test_a_fault_alone_fails_the_strict_build(book, tmp_path):
    with (book / "index.md").open("a", encoding="utf-8") as page:
        page.write(f"\n{next(iter(FAULTS))}\n")
    assert run(ROOT, *options_for(book, tmp_path), "--strict").returncode != 0, "the build passes a fault"


@pytest.fixture(scope="module")
def plain(faulty) -> tuple[Path, subprocess.CompletedProcess]:
    """The start page of the faulty book as the plain build makes it, and what that build said."""
    output = faulty.parent / "plain"
    return output / "_build" / "html" / "index.html", run(ROOT, *options_for(faulty, output))


def test_faults_are_reported_and_the_plain_build_goes_on(plain):
    index, result = plain
    said = result.stderr.decode("utf-8")
    assert result.returncode == 0, said
    assert index.exists()
    assert [complaint for complaint in FAULTS.values() if complaint not in said] == []


def test_the_end_says_how_to_open_the_book(plain):
    index, result = plain
    assert index.as_uri() in result.stdout.decode("utf-8").splitlines()[-1]


@pytest.fixture
def gbk(tmp_path) -> dict[str, str]:
    """The environment of a reader whose locale is Chinese in GBK."""
    if not (CHARMAP.exists() and shutil.which("localedef")):
        pytest.skip("this system cannot make a GBK locale (Debian: apt install locales)")
    locales = tmp_path / "locales"
    locales.mkdir()
    subprocess.run(
        ["localedef", "-c", "-i", "zh_CN", "-f", "GBK", locales / "zh_CN.GBK"],
        capture_output=True,
        check=False,
    )
    environment = {"LOCPATH": str(locales), "LC_ALL": "zh_CN.GBK"}
    show = "import locale; print(locale.getencoding())"
    encoding = subprocess.run(
        [sys.executable, "-c", show], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    assert encoding.stdout.strip().lower() in ("gbk", "gb2312", "cp936"), "the locale did not take"
    return environment


def copy_tools(folder: Path) -> Path:
    """Copy the repository's tools and the small book into a folder with a Chinese name and a space."""
    root = folder / "我的 书"
    shutil.copytree(ROOT / "src", root / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("_config.yml", "pyproject.toml", "CITATION.cff"):
        shutil.copy(ROOT / name, root / name)
    copy_book(root)
    shutil.move(root / "book" / "_toc.yml", root / "_toc.yml")
    return root


@pytest.fixture
def chinese_path(tmp_path) -> Path:
    return copy_tools(tmp_path)


@pytest.fixture(scope="module")
def built_in_chinese_path(tmp_path_factory) -> Path:
    root = copy_tools(tmp_path_factory.mktemp("tools"))
    result = run(root, "--strict")
    assert result.returncode == 0, result.stderr.decode("utf-8")
    return root


def test_builds_in_a_chinese_path(built_in_chinese_path):
    page = (built_in_chinese_path / "_build" / "html" / "01_first.html").read_text(encoding="utf-8")
    assert "第一个查询的权重是" in page


def test_builds_in_a_chinese_path_under_a_gbk_locale(chinese_path, gbk):
    result = run(chinese_path, "--strict", environment=gbk)
    assert result.returncode == 0, result.stderr.decode("gbk", "replace")
    page = (chinese_path / "_build" / "html" / "01_first.html").read_text(encoding="utf-8")
    assert "第一个查询的权重是" in page


def test_a_change_of_the_tools_reaches_every_page(built_in_chinese_path):
    root, (before, after) = built_in_chinese_path, ("%230b57c0", "%23123456")
    pages = sorted((root / "_build" / "html").glob("*.html"))
    assert all(before in page.read_text(encoding="utf-8") for page in pages), "the colour is another one"
    appearance = root / "src" / "book_tools" / "site" / "appearance.py"
    code = appearance.read_text(encoding="utf-8")
    appearance.write_text(code.replace("#0b57c0", "#123456"), encoding="utf-8")
    result = run(root)
    assert result.returncode == 0, result.stderr.decode("utf-8")
    for page in pages:
        assert after in page.read_text(encoding="utf-8"), f"{page.name} was left as it was"


READ = """
from transformer_book.data import load_numerals, load_quatrains
from transformer_book.tokenizers import byte_level_bpe
print(ascii((load_quatrains(), load_numerals())))
"""


def test_the_library_reads_its_files_under_a_gbk_locale(gbk):
    def read(environment: dict[str, str]) -> bytes:
        settings = {name: value for name, value in os.environ.items() if name != "PYTHONUTF8"}
        finished = subprocess.run(
            [sys.executable, "-c", READ], env=settings | environment, capture_output=True, check=False
        )
        assert finished.returncode == 0, finished.stderr.decode("gbk", "replace")
        return finished.stdout

    assert read(gbk) == read({"PYTHONUTF8": "1"}), "files are read in the locale's encoding"


def test_a_notebook_passes_in_a_chinese_path_under_a_gbk_locale(chinese_path, gbk):
    first = notebooks()[0]
    shutil.rmtree(chinese_path / "book")
    shutil.copytree(ROOT / "book" / "data", chinese_path / "book" / "data")
    shutil.copy(first, chinese_path / "book")
    settings = {name: value for name, value in os.environ.items() if name != "PYTHONUTF8"}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--nbval", "--nbval-current-env"]
    result = subprocess.run(
        [*command, f"book/{first.name}"],
        cwd=chinese_path,
        env=settings | {"PYTHONPATH": str(chinese_path / "src")} | gbk,
        capture_output=True,
        check=False,
    )
    report = result.stdout.decode("gbk", "replace")
    assert result.returncode == 0, report[-3000:]
    assert " passed" in report


@pytest.mark.parametrize(
    ("option", "name", "says"),
    [
        ("--toc", "nowhere.yml", "argument --toc: there is no file"),
        ("--source", "nowhere", "argument --source: there is no folder"),
        ("--output", "file", "file is a file, not a folder"),
        ("--output", "file/within", "file is a file, not a folder"),
    ],
)
def test_a_place_that_cannot_be_is_named(book, monkeypatch, capsys, option, name, says):
    (book.parent / "file").touch()
    options = [*options_for(book, book.parent), option, book.parent / name]
    monkeypatch.setattr("sys.argv", ["site", *map(str, options)])
    with pytest.raises(SystemExit):
        main()
    assert says in capsys.readouterr().err
    assert not (book.parent / "_build").exists(), "something was built"
