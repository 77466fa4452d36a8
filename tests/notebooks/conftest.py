"""The fixture page of the checks, to be changed at will."""

from pathlib import Path

import pytest

from book_tools.notebooks.files import read


@pytest.fixture(scope="session")
def page_path():
    return Path(__file__).parents[1] / "checks" / "fixtures" / "page.ipynb"


@pytest.fixture
def page(page_path):
    return read(page_path)
