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

from transformer_book.experiments.experiment import Experiment, Grid, Measurement, Outcome
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
    """Weights, values and curves are the first seed's; the table of seeds is written anew after each row."""
    checkpoint = f"checkpoints/{name}.safetensors"
    settings = asdict(run.start(run.seed).settings)
    earlier = _earlier(name, run, settings)
    rows = [] if earlier is None else earlier.rows or [{"seed": earlier.seed} | earlier.values]
    if len(rows) == len(run.seeds):  # a finished run is recorded anew
        rows = []
    start = time.perf_counter() - (earlier.seconds if rows else 0)
    first = Outcome(earlier.values, earlier.curves) if rows else None
    for seed in run.seeds[len(rows) :]:
        kept = data_folder() / checkpoint if seed == run.seed else None
        outcome = _trained_outcome(name if kept else f"{name}_{seed}", run, seed, kept, unfinished)
        first = outcome if first is None else first
        rows = [*rows, {"seed": seed} | outcome.values]
        choices = {"seed": run.seed, "settings": settings, "checkpoint": checkpoint}
        result = _write(name, run, first, start, rows=_rounded(rows), **choices)
    return result


def _record_measurement(name: str, run: Measurement, _unfinished: Path) -> Recorded:
    start = time.perf_counter()
    return _write(name, run, run.measure(run.seed), start, seed=run.seed, settings=asdict(run.settings))


def _record_grid(name: str, run: Grid, unfinished: Path) -> Recorded:
    """Write the table anew after each row: condition, seed, and what was measured; finished rows are kept."""
    first = run.seeds[0]
    checkpoint = f"checkpoints/{name}_{{condition}}.safetensors"
    settings = {condition: asdict(_settings(one, first)) for condition, one in run.conditions.items()}
    trains = any(isinstance(one, Experiment) for one in run.conditions.values())
    order = list(product(run.conditions, run.seeds))
    earlier = _earlier(name, run, settings)
    rows = [] if earlier is None or len(earlier.values["rows"]) == len(order) else earlier.values["rows"]
    curves = earlier.curves if rows else {}
    start = time.perf_counter() - (earlier.seconds if rows else 0)
    finished = {(row["condition"], row["seed"]) for row in rows}
    for condition, seed in order:
        if (condition, seed) in finished:
            continue
        one, of = run.conditions[condition], f"{name}_{condition}_{seed}"
        if isinstance(one, Measurement):
            outcome = one.measure(seed)
        else:
            kept = data_folder() / checkpoint.format(condition=condition) if seed == first else None
            outcome = _trained_outcome(of, one, seed, kept, unfinished)
        rows.append({"condition": condition, "seed": seed} | outcome.values)
        rows.sort(key=lambda row: order.index((row["condition"], row["seed"])))
        if seed == first:
            curves[condition] = outcome.curves
        table = Outcome({"rows": rows}, curves)
        choices = {"seed": first, "settings": settings, "checkpoint": checkpoint if trains else None}
        result = _write(name, run, table, start, **choices)
    return result


def _settings(run: Experiment | Measurement, seed: int) -> Any:
    return run.settings if isinstance(run, Measurement) else run.start(seed).settings


def _earlier(name: str, run: Experiment | Grid, settings: dict) -> Recorded | None:
    """The results that an earlier call with the same settings and versions left."""
    try:
        earlier = recorded(name)
    except FileNotFoundError:
        return None
    same = earlier.settings == json.loads(json.dumps(settings)) and earlier.versions == _versions(run)
    return earlier if same else None


def _trained_outcome(name: str, run: Experiment, seed: int, kept: Path | None, unfinished: Path) -> Outcome:
    """Train, store the weights as float16, for good if `kept` names a place, and measure the stored ones."""
    training = run.start(seed)
    curves = {} if run.at_start is None else run.at_start(training.model)
    checkpoint = unfinished / f"{name}.safetensors"
    settings = replace(training.settings, checkpoint=checkpoint, checkpoint_every=CHECKPOINT_EVERY)
    losses = train(training.model, training.batches, training.loss, settings).losses
    place = kept or unfinished / f"{name}.float16.safetensors"
    store(name, training.model, place)
    outcome = run.measure(training.model)
    checkpoint.unlink()
    if kept is None:
        place.unlink()
    return Outcome(outcome.values, means(losses, run.points) | curves | outcome.curves)


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
