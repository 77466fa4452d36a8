"""Where the book keeps its data files, and how they are read."""

from __future__ import annotations

import lzma
import os
from pathlib import Path

from transformer_book.checks.messages import must_be
from transformer_book.storage.files import CorruptFileError, user_path

VARIABLE = "TRANSFORMER_BOOK_DATA"


def data_folder() -> Path:
    """Return the folder of data sets, results and checkpoints.

    It is the one named by the environment variable TRANSFORMER_BOOK_DATA, or book/data beside the library's
    source, or data/ beside the notebook. Raises FileNotFoundError when there is none.
    """
    if named := os.environ.get(VARIABLE):
        folder = user_path(named)
        if not folder.is_dir():
            raise FileNotFoundError(must_be(VARIABLE, "the name of a folder", named))
        return folder
    places = [Path(__file__).parents[3] / "book" / "data", Path.cwd() / "data", Path.cwd() / "book" / "data"]
    for place in places:
        if place.is_dir():
            return place
    raise FileNotFoundError(
        f"The book's data folder was not found: set {VARIABLE} to it, or start the notebook beside data/."
    )


def read_rows(name: str) -> list[str]:
    """Return the lines of packed text file `name`; FileNotFoundError or CorruptFileError."""
    path = data_folder() / name
    if not path.is_file():
        raise FileNotFoundError(f"The data folder {path.parent} lacks the file {name}.")
    try:
        return lzma.decompress(path.read_bytes()).decode("utf-8").splitlines()
    except (lzma.LZMAError, UnicodeDecodeError) as error:
        raise CorruptFileError(must_be(f"the data file {name}", "text packed with xz", error)) from error
