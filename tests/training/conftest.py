"""A small decoder and a source of batches, the same in every process."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def run_script() -> Path:
    """The script that tests start as a process of its own."""
    return Path(__file__).parent / "small_run.py"
