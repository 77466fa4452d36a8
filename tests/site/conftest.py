"""The small book that holds one of every construct."""

from pathlib import Path

import pytest

FIXTURE_BOOK = Path(__file__).parent / "fixtures" / "book"


@pytest.fixture(scope="session")
def small_site(shared, build_once) -> Path:
    """The small book of tests/site/fixtures: one of every construct, and nothing else."""
    output = shared / "small"
    build_once("small", "--source", FIXTURE_BOOK, "--toc", FIXTURE_BOOK / "_toc.yml", "--output", output)
    return output / "_build" / "html"
