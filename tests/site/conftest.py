"""The small book that holds one of every construct."""

from pathlib import Path

import pytest

FIXTURE_BOOK = Path(__file__).parent / "fixtures" / "book"


@pytest.fixture(scope="session")
def small_book() -> list:
    """Options that build the small book of tests/site/fixtures: one of every construct, and nothing else."""
    return ["--source", FIXTURE_BOOK, "--toc", FIXTURE_BOOK / "_toc.yml"]


@pytest.fixture(scope="session")
def small_site(shared, build_once, small_book) -> Path:
    """The small book, built."""
    output = shared / "small"
    build_once("small", *small_book, "--output", output)
    return output / "_build" / "html"
