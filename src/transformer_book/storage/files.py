"""Files that are written whole or not at all, and the error for one that was not."""

from __future__ import annotations

import os
from pathlib import Path


class CorruptFileError(ValueError):
    """A file cannot be read as what it claims to be; the message names the file or the tensor in it."""


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file in one step, so that a reader or a crash never meets half of it.

    Missing folders are made. Raises IsADirectoryError when the path is a folder.
    """
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder, expected the path of a file")
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


def read_text(path: Path) -> str:
    """Return a UTF-8 file's text; FileNotFoundError, or CorruptFileError for a file that holds no text."""
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise CorruptFileError(f"{path.name} is no text in UTF-8 ({error}).") from None
