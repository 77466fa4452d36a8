"""Runs an experiment and writes down what came out; a run that was stopped goes on where it stopped."""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

import torch
from torch import nn

from transformer_book.experiments.experiment import Experiment, Grid, Measurement, Outcome, Training
from transformer_book.recorded import Recorded, recorded
from transformer_book.storage.data_folder import data_folder
from transformer_book.storage.files import write_atomically
from transformer_book.storage.weights import load_model, save_model
from transformer_book.training import train

CHECKPOINT_EVERY = 100  # steps
_DIGITS = 6


def record(name: str, run: Experiment | Measurement | Grid, unfinished: Path) -> Recorded:
    """Run, write results and checkpoints into the data folder, and return the results.

    unfinished: the folder of trainings that are not at their end; a later call goes on from there.
    """
    writers: dict[type, Callable] = {
        Experiment: _record_experiment,
        Measurement: _record_measurement,
        Grid: _record_grid,
    }
    return writers[type(run)](name, run, unfinished)


def _record_experiment(name: str, run: Experiment, unfinished: Path) -> Recorded:
    start = time.perf_counter()
    checkpoint = f"checkpoints/{name}.safetensors"
    outcome, training = _train_and_measure(name, run, run.seed, data_folder() / checkpoint, unfinished)
    settings = asdict(training.settings)
    return _write(name, run, outcome, start, seed=run.seed, settings=settings, checkpoint=checkpoint)


def _record_measurement(name: str, run: Measurement, _unfinished: Path) -> Recorded:
    start = time.perf_counter()
    return _write(name, run, run.measure(run.seed), start, seed=run.seed, settings=asdict(run.settings))


def _record_grid(name: str, run: Grid, unfinished: Path) -> Recorded:
    """Write the table anew after each row: condition, seed, and what was measured; finished rows are kept."""
    start, first = time.perf_counter(), run.seeds[0]
    checkpoint = f"checkpoints/{name}_{{condition}}.safetensors"
    settings = {condition: asdict(_settings(one, first)) for condition, one in run.conditions.items()}
    trains = any(isinstance(one, Experiment) for one in run.conditions.values())
    rows, curves = _finished_rows(name, run, settings)
    finished = {(row["condition"], row["seed"]) for row in rows}
    for condition, seed in product(run.conditions, run.seeds):
        if (condition, seed) in finished:
            continue
        one, of = run.conditions[condition], f"{name}_{condition}_{seed}"
        if isinstance(one, Measurement):
            outcome = one.measure(seed)
        else:
            kept = data_folder() / checkpoint.format(condition=condition)
            place = kept if seed == first else unfinished / f"{of}.float16.safetensors"
            outcome, _ = _train_and_measure(of, one, seed, place, unfinished)
            if seed != first:
                place.unlink()
        rows.append({"condition": condition, "seed": seed} | outcome.values)
        if seed == first:
            curves[condition] = outcome.curves
        table = Outcome({"rows": rows}, curves)
        choices = {"seed": first, "settings": settings, "checkpoint": checkpoint if trains else None}
        result = _write(name, run, table, start, **choices)
    return result


def _settings(run: Experiment | Measurement, seed: int) -> Any:
    return run.settings if isinstance(run, Measurement) else run.start(seed).settings


def _finished_rows(name: str, run: Grid, settings: dict) -> tuple[list[dict], dict]:
    """Rows and curves of an earlier call that did not come to its end; a finished table is recorded anew."""
    try:
        earlier = recorded(name)
    except FileNotFoundError:
        return [], {}
    rows = earlier.values["rows"]
    same = earlier.settings == json.loads(json.dumps(settings)) and earlier.versions == _versions(run)
    return (rows, earlier.curves) if same and len(rows) < len(run.conditions) * len(run.seeds) else ([], {})


def _train_and_measure(
    name: str, run: Experiment, seed: int, place: Path, unfinished: Path
) -> tuple[Outcome, Training]:
    """Train, store the weights as float16 in `place`, and measure the stored ones."""
    training = run.start(seed)
    curves = {} if run.at_start is None else run.at_start(training.model)
    checkpoint = unfinished / f"{name}.safetensors"
    settings = replace(training.settings, checkpoint=checkpoint, checkpoint_every=CHECKPOINT_EVERY)
    losses = train(training.model, training.batches, training.loss, settings).losses
    store(name, training.model, place)
    outcome = run.measure(training.model)
    checkpoint.unlink()
    return Outcome(outcome.values, means(losses, run.points) | curves | outcome.curves), training


def store(name: str, model: nn.Module, place: Path) -> None:
    """Write the weights as float16, and read them back into the model."""
    save_model(place, model, {"run": name}, dtype=torch.float16)
    load_model(place, model)


def _write(name: str, run, outcome: Outcome, start: float, **choices) -> Recorded:
    """Write the results file of a run."""
    result = Recorded(
        name=name,
        command=f"python -m book_tools.record {name}",
        versions=_versions(run),
        threads=torch.get_num_threads(),
        seconds=round(time.perf_counter() - start, 1),
        values=_rounded(outcome.values),
        curves=_rounded(outcome.curves),
        **choices,
    )
    text = json.dumps(asdict(result), ensure_ascii=False, indent=1) + "\n"
    write_atomically(data_folder() / "results" / f"{name}.json", text.encode("utf-8"))
    return result


def _versions(run) -> dict[str, str]:
    versions = {package: version(package) for package in ("torch", "numpy", *run.packages)}
    return {"python": platform.python_version(), **versions}


def _rounded(value: Any) -> Any:
    """Six significant digits are more than a run on another machine would repeat."""
    if isinstance(value, dict):
        return {key: _rounded(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(entry) for entry in value]
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value


def means(losses: list[float], parts: int = 100) -> dict[str, list]:
    """Return a loss curve in `parts` points: the step in the middle of each part, and the mean loss in it."""
    size = max(1, len(losses) // parts)
    starts = range(0, len(losses) - size + 1, size)
    return {
        "step": [k + size // 2 for k in starts],
        "loss": [sum(losses[k : k + size]) / size for k in starts],
    }
