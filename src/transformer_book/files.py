"""Files that are written whole or not at all, and the error for one that was not."""

from __future__ import annotations

import os
from pathlib import Path


class CorruptFileError(ValueError):
    """A file cannot be read as what it claims to be; the message names the file or the tensor in it."""


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file in one step, so that a reader or a crash never meets half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(unfinished, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
