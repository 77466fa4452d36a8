"""Files that are written whole or not at all, and the error for one that was not."""

from __future__ import annotations

import os
from pathlib import Path

from transformer_book.checks.messages import must_be


def user_path(path: str | Path) -> Path:
    """Return a path that a user gave, with ~ written out as the home folder; TypeError for another value."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(must_be("path", "a str or a Path", f"a {type(path).__name__}"))
    return Path(path).expanduser()


def existing_file(path: str | Path) -> Path:
    """Return the path of a file that a user gave, ~ written out; FileNotFoundError when there is none."""
    path = user_path(path)
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    return path


class CorruptFileError(ValueError):
    """A file cannot be read as what it claims to be; the message names the file or the tensor in it."""


def write_atomically(path: str | Path, content: bytes) -> None:
    """Write a file in one step, so that a reader or a crash never meets half of it.

    Missing folders are made. Raises IsADirectoryError when the path is a folder.
    """
    path = user_path(path)
    if path.is_dir():
        raise IsADirectoryError(must_be("path", "that of a file", f"the folder {path}"))
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


def read_text(path: str | Path) -> str:
    """Return a UTF-8 file's text, with or without a byte order mark.

    Raises FileNotFoundError, or CorruptFileError for a file in another encoding, such as GBK.
    """
    path = existing_file(path)
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        found = f"the byte 0x{error.object[error.start]:02X} at {error.start}"
        raise CorruptFileError(must_be(path.name, "text in UTF-8", found)) from None
