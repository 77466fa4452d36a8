"""What cannot work says so: no Python, an old one, one without venv."""

import importlib.metadata
import shutil
import subprocess

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from book_tools.environment import problem
from book_tools.notebooks.files import ROOT


def test_a_good_python_has_no_problem():
    assert problem((3, 11, 2), lambda name: True) is None


@pytest.mark.parametrize("version", [(2, 7, 18), (3, 10, 13)])
def test_an_old_python_is_named(version):
    sentence = problem(version, lambda name: True)
    assert "3.11" in sentence
    assert ".".join(map(str, version)) in sentence


@pytest.mark.parametrize("missing", ["venv", "ensurepip"])
def test_a_missing_venv_is_named_with_the_cure(missing):
    assert "apt install python3-venv" in problem((3, 12, 1), lambda name: name != missing)


def test_the_pins_suit_debians_own_python():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    unsuitable = []
    for pin in map(Requirement, lines):
        try:
            package = importlib.metadata.distribution(pin.name)
        except importlib.metadata.PackageNotFoundError:
            continue  # for another system, or for `make bench` alone
        wanted = package.metadata["Requires-Python"] or ""
        if not SpecifierSet(wanted).contains("3.11.2"):
            unsuitable.append(f"{pin.name} {package.version} wants Python {wanted}")
    assert unsuitable == [], "Debian 12 has Python 3.11.2"


@pytest.mark.skipif(
    shutil.which("make") is None, reason="this system has no make; the README gives plain commands"
)
@pytest.mark.parametrize("name", ["no-such-python", "/"], ids=["no command", "no program"])
def test_make_says_that_there_is_no_python(tmp_path, name):
    for file in ("Makefile", "requirements.txt", "constraints.txt", "pyproject.toml"):
        shutil.copy(ROOT / file, tmp_path / file)
    (tmp_path / "src" / "book_tools").mkdir(parents=True)
    shutil.copy(ROOT / "src" / "book_tools" / "environment.py", tmp_path / "src" / "book_tools")
    result = subprocess.run(
        ["make", "book", f"PYTHON={name}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert result.returncode != 0
    assert f'There is no Python "{name}"' in result.stderr
    assert not (tmp_path / ".venv").exists(), "a half-made environment was left"
