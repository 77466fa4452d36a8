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


@pytest.fixture
def book(tmp_path) -> Path:
    """A copy of the small book that a test may spoil."""
    copy = tmp_path / "book"
    shutil.copytree(Path(__file__).parent / "fixtures" / "book", copy)
    return copy


def options_for(book: Path) -> list:
    return ["--source", book, "--toc", book / "_toc.yml", "--output", book.parent]


@pytest.mark.parametrize(
    ("fault", "complaint"),
    [
        ("见 [(12.9)](01_first.ipynb#eq-12-9)。", "eq-12-9"),
        ("见 [别处](nowhere.ipynb)。", "nowhere.ipynb"),
        ("**图**　没有图。", "a caption stands beside no figure or table"),
        ('这里是 <data value="nobody.prints">7</data>。', "nobody.prints"),
        ('这里是 <data value="fact:no.such">7</data>。', "no.such"),
    ],
)
def test_a_fault_fails_the_strict_build_and_is_named(book, fault, complaint):
    with (book / "index.md").open("a", encoding="utf-8") as page:
        page.write(f"\n{fault}\n")
    result = run(ROOT, *options_for(book), "--strict")
    assert result.returncode != 0, "the build passes a fault"
    assert complaint in result.stderr.decode("utf-8"), "the message does not name the fault"


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("digits=3", "digits=4"), ("show(", "raise RuntimeError\nshow(")],
    ids=["other digits", "raises first"],
)
def test_outputs_of_other_code_fail_the_strict_build(book, right, wrong):
    notebook = read(book / "01_first.ipynb")
    cell = next(cell for cell in notebook.cells if right in cell.source)
    cell.source = cell.source.replace(right, wrong, 1)
    (book / "01_first.ipynb").write_bytes(to_bytes(notebook))
    result = run(ROOT, *options_for(book), "--strict")
    assert result.returncode != 0, "the build publishes outputs that the code beside them does not give"
    assert "outputs do not come from this code" in result.stderr.decode("utf-8")


def test_a_fault_is_reported_and_the_plain_build_goes_on(book):
    with (book / "index.md").open("a", encoding="utf-8") as page:
        page.write("\n见 [(12.9)](01_first.ipynb#eq-12-9)。\n")
    result = run(ROOT, *options_for(book))
    assert result.returncode == 0, result.stderr.decode("utf-8")
    assert (book.parent / "_build" / "html" / "index.html").exists()


def test_the_end_says_how_to_open_the_book(book):
    result = run(ROOT, *options_for(book))
    address = (book.parent / "_build" / "html" / "index.html").as_uri()
    assert address in result.stdout.decode("utf-8").splitlines()[-1]


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


@pytest.fixture
def chinese_path(tmp_path) -> Path:
    """A copy of the repository's tools and of the small book in a folder with a Chinese name and a space."""
    root = tmp_path / "我的 书"
    shutil.copytree(ROOT / "src", root / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("_config.yml", "pyproject.toml", "CITATION.cff"):
        shutil.copy(ROOT / name, root / name)
    shutil.copytree(Path(__file__).parent / "fixtures" / "book", root / "book")
    shutil.move(root / "book" / "_toc.yml", root / "_toc.yml")
    return root


def test_builds_in_a_chinese_path(chinese_path):
    result = run(chinese_path, "--strict")
    assert result.returncode == 0, result.stderr.decode("utf-8")
    page = (chinese_path / "_build" / "html" / "01_first.html").read_text(encoding="utf-8")
    assert "第一个查询的权重是" in page


def test_builds_in_a_chinese_path_under_a_gbk_locale(chinese_path, gbk):
    result = run(chinese_path, "--strict", environment=gbk)
    assert result.returncode == 0, result.stderr.decode("gbk", "replace")
    page = (chinese_path / "_build" / "html" / "01_first.html").read_text(encoding="utf-8")
    assert "第一个查询的权重是" in page


def test_a_change_of_the_tools_reaches_every_page(chinese_path):
    appearance = chinese_path / "src" / "book_tools" / "site" / "appearance.py"
    for colour in ("%230b57c0", "%23123456"):
        result = run(chinese_path)
        assert result.returncode == 0, result.stderr.decode("utf-8")
        for page in (chinese_path / "_build" / "html").glob("*.html"):
            assert colour in page.read_text(encoding="utf-8"), f"{page.name} was left as it was"
        code = appearance.read_text(encoding="utf-8")
        appearance.write_text(code.replace("#0b57c0", "#123456"), encoding="utf-8")


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
    options = [*options_for(book), option, book.parent / name]
    monkeypatch.setattr("sys.argv", ["site", *map(str, options)])
    with pytest.raises(SystemExit):
        main()
    assert says in capsys.readouterr().err
    assert not (book.parent / "_build").exists(), "something was built"
