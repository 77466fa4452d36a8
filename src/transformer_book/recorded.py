"""Results of runs too long for a cell, as `python -m book_tools.record NAME` wrote them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from transformer_book.checks.messages import must_be
from transformer_book.storage.data_folder import data_folder
from transformer_book.storage.files import CorruptFileError, read_text

if TYPE_CHECKING:
    from torch import nn

    Model = TypeVar("Model", bound=nn.Module)


@dataclass(frozen=True)
class Recorded:
    """One run: what it measured and how it can be repeated.

    values: numbers by name. curves: lists by name. command, seed, settings, versions, threads, seconds: how,
    with what and how long. checkpoint: the file of its weights in the data folder, or None; in a run
    of several conditions {condition} stands for one of them. rows: of a run of one condition trained with
    several seeds, what each measured; values are those of the first.
    """

    name: str
    command: str
    seed: int
    settings: dict[str, Any]
    versions: dict[str, str]
    threads: int
    seconds: float
    values: dict[str, Any]
    curves: dict[str, Any]
    checkpoint: str | None = None
    rows: list[dict[str, Any]] = field(default_factory=list)

    def over_seeds(self, condition: str | None, name: str) -> np.ndarray:
        """Return what a run measured under a condition (seeds, …), a row a seed; None if it has but one."""
        rows = self.values.get("rows", self.rows)
        found = [row[name] for row in rows if row.get("condition") == condition]
        if not found:
            raise ValueError(must_be("condition", f"one of the run {self.name}", repr(condition)))
        return np.array(found)


def mean_and_error(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean over the first axis, the seeds, and its standard error; at least two seeds."""
    if len(values) < 2:
        raise ValueError(must_be("values", "of at least two seeds", f"{len(values)}"))
    return values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(len(values))


def recorded(name: str) -> Recorded:
    """Return the results of run `name`; FileNotFoundError lists the names there are, CorruptFileError."""
    folder = data_folder() / "results"
    path = folder / f"{name}.json"
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in folder.glob("*.json"))) or "none"
        raise FileNotFoundError(must_be("name", f"that of a recorded run, one of {known}", repr(name)))
    try:
        return Recorded(**json.loads(read_text(path)))
    except (ValueError, TypeError) as error:
        raise CorruptFileError(must_be(f"the results file {path.name}", "a recorded run", error)) from error


def trained(name: str, model: Model, condition: str | None = None) -> Model:
    """Fill `model`, built from the run's config, with the weights of run `name`; return it, set to evaluate.

    For example `trained("quatrain_gpt", Decoder(QUATRAIN_GPT))`. The stored numbers are float16. condition:
    one of a run with several; its weights are those of the first seed.
    Raises FileNotFoundError, CorruptFileError naming the tensor, ValueError for a run without a checkpoint.
    """
    from transformer_book.storage.weights import load_model

    run = recorded(name)
    if run.checkpoint is None:
        raise ValueError(must_be("name", "that of a run with a checkpoint", repr(name)))
    load_model(data_folder() / run.checkpoint.format(condition=condition), model)
    return model.eval()
