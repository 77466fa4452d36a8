"""Run a notebook from top to bottom in a fresh kernel, shielded from the machine's settings."""

import os
import re
from pathlib import Path

from jupyter_core.utils import ensure_event_loop
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from book_tools.notebooks.files import NotebookError, clean_outputs

CELL_TIMEOUT = 600  # seconds

# One thread and no GPU: sums are added in one order. A fixed hash seed: sets and dictionaries print alike.
# No progress bars: what a bar writes depends on the clock.
FIXED_ENVIRONMENT = {
    "CUDA_VISIBLE_DEVICES": "",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    "TQDM_DISABLE": "1",
    "NO_COLOR": "1",
}
LEFT_TO_THE_KERNEL = ("MPLBACKEND", "MATPLOTLIBRC", "PYTHONWARNINGS")
UNFOLLOWABLE = ("update_display_data", "clear_output")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def kernel_environment():
    """Return the environment in which every stored output is made and checked."""
    inherited = {name: value for name, value in os.environ.items() if name not in LEFT_TO_THE_KERNEL}
    return inherited | FIXED_ENVIRONMENT


class _Client(NotebookClient):
    """A client that refuses messages which rewrite earlier output: nbval cannot follow them."""

    refused = None

    def process_message(self, msg, cell, cell_index):
        if msg["msg_type"] in UNFOLLOWABLE and self.refused is None:
            self.refused = f"cell {cell_index + 1} sends {msg['msg_type']}; show each result once instead"
        return super().process_message(msg, cell, cell_index)


def execute(notebook, path, report=lambda text: None, timeout=CELL_TIMEOUT, environment=None):
    """Run `notebook` in place, as if it lay at `path`; count cells 1..n, drop random outputs.

    `report` is told of each code cell; `environment` adds to the kernel's. Raises NotebookError that
    names the cell which failed.
    """
    path = Path(path)
    total = sum(cell.cell_type == "code" for cell in notebook.cells)
    started = 0

    def on_start(cell, cell_index):
        nonlocal started
        if cell.cell_type == "code":
            started += 1
            report(f"{path.name}: code cell {started}/{total}")

    client = _Client(
        notebook,
        timeout=timeout,
        startup_timeout=CELL_TIMEOUT,  # a busy machine is slow: nbclient waits one minute for a kernel,
        iopub_timeout=CELL_TIMEOUT,  # and four seconds for the last of a cell's outputs
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent.resolve())}},
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
        extra_arguments=["--IPKernelApp.log_level=40"],
        on_cell_start=on_start,
    )
    ensure_event_loop(prefer_selector_loop=True)  # Windows' other kind makes pyzmq warn
    try:
        client.execute(env=kernel_environment() | (environment or {}))
    except CellTimeoutError:
        raise NotebookError(f"{path}: code cell {started} ran longer than {timeout} s") from None
    except CellExecutionError as error:
        trace = COLOUR.sub("", str(error)).strip()
        raise NotebookError(f"{path}: code cell {started} of {total} failed\n{trace}") from None
    except DeadKernelError:
        raise NotebookError(f"{path}: the kernel died in code cell {started} of {total}") from None
    if client.refused:
        raise NotebookError(f"{path}: {client.refused}")
    count = 0
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        count += 1
        cell.execution_count = count
        cell.outputs = clean_outputs(cell.outputs)
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = count
    return notebook
