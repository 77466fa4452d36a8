"""The small book that holds one of every construct."""

from pathlib import Path

import pytest

from book_tools.notebooks import pages

FIXTURE_BOOK = Path(__file__).parent / "fixtures" / "book"


@pytest.fixture(scope="session")
def small_site(shared, build_once) -> Path:
    """The small book of tests/site/fixtures: one of every construct, and nothing else."""
    output = shared / "small"
    build_once("small", "--source", FIXTURE_BOOK, "--toc", FIXTURE_BOOK / "_toc.yml", "--output", output)
    return output / "_build" / "html"


@pytest.fixture(scope="session")
def page_names() -> list[str]:
    """The pages of the book, and Sphinx's own two."""
    return [path.stem for path in pages()] + ["search", "genindex"]
