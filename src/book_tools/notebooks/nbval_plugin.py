"""Make `pytest --nbval` strict and reproducible; pytest loads it by an option of pyproject.toml.

Cells run in the environment of `execute` and are compared by `comparison`. Once a cell has timed out, the
cells after it fail (nbval would expect them to); one notebook never spreads over two kernels.
"""

import os

import pytest
from nbval import plugin as nbval

from book_tools.notebooks.comparison import same_outputs
from book_tools.notebooks.execute import CELL_TIMEOUT, kernel_environment

# In seconds. A busy machine is slow, and that is no fault of a notebook.
_NBVAL_TIMEOUT, _NBVAL_STARTUP = 2000, 60  # nbval's defaults
_OUTPUT_TIMEOUT = 120  # between two messages of a kernel that has run its cell; nbval waits 5


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    if not config.option.nbval:
        return
    workers, spread = getattr(config.option, "numprocesses", None), getattr(config.option, "dist", "no")
    if workers and spread not in ("loadfile", "no"):
        raise pytest.UsageError(
            "notebooks need --dist loadfile: other ways run one notebook in several kernels"
        )
    if config.option.nbval_cell_timeout == _NBVAL_TIMEOUT:
        config.option.nbval_cell_timeout = CELL_TIMEOUT
    if config.option.nbval_kernel_startup_timeout == _NBVAL_STARTUP:
        config.option.nbval_kernel_startup_timeout = CELL_TIMEOUT
    if hasattr(nbval.IPyNbFile, "book_setup"):
        return  # a second configuration in one process
    nbval.IPyNbFile.book_setup = nbval.IPyNbFile.setup
    nbval.IPyNbFile.setup = _start_kernel
    nbval.IPyNbCell.setup = _prepare_cell
    nbval.IPyNbCell.compare_outputs = same_outputs


def _start_kernel(notebook):
    """Start nbval's kernel in the fixed environment, and give the environment back afterwards."""
    before, environment = dict(os.environ), kernel_environment()
    os.environ.clear()
    os.environ.update(environment)
    try:
        notebook.book_setup()
    finally:
        os.environ.clear()
        os.environ.update(before)


def _prepare_cell(cell):
    """Let a busy kernel's outputs come late; refuse a cell after one that timed out."""
    cell.output_timeout = _OUTPUT_TIMEOUT
    if cell.parent.timed_out:
        cell.raise_cell_error("An earlier cell ran out of time, so this one was not checked.")
