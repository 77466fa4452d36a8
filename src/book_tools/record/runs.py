"""The names of all runs."""

from __future__ import annotations

from book_tools.record import forgotten_mask, quatrains
from book_tools.record.outcome import Run

RUNS: dict[str, Run] = {
    "quatrain_gpt": Run(quatrains.gpt),
    "quatrain_bert": Run(quatrains.bert),
    "mask_kept": Run(forgotten_mask.kept),
    "mask_forgotten": Run(forgotten_mask.forgotten),
}
