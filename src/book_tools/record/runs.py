"""The names of all runs."""

from __future__ import annotations

from book_tools.record import deep_stacks, digits, forgotten_mask, longer_texts, numerals, quatrains, reviews
from book_tools.record.outcome import Run

RUNS: dict[str, Run] = {
    "quatrain_gpt": Run(quatrains.gpt),
    "quatrain_bert": Run(quatrains.bert),
    "mask_kept": Run(forgotten_mask.run("mask_kept", causal=True)),
    "mask_forgotten": Run(forgotten_mask.run("mask_forgotten", causal=False)),
    "numerals": Run(numerals.translator),
    "digits_vit": Run(digits.vit, packages=("scikit-learn",)),
    "digits_vit_no_positions": Run(digits.vit_without_positions, packages=("scikit-learn",)),
    "digits_curve": Run(digits.learning_curve, packages=("scikit-learn",)),
    "reviews": Run(reviews.classifier),
    "positions_sinusoidal": Run(longer_texts.of_kind("sinusoidal")),
    "positions_learned": Run(longer_texts.of_kind("learned")),
    "positions_rotary": Run(longer_texts.of_kind("rotary")),
    "positions_none": Run(longer_texts.of_kind("none")),
    "stack_pre": Run(deep_stacks.of_run("pre")),
    "stack_post": Run(deep_stacks.of_run("post")),
    "stack_post_warmup": Run(deep_stacks.of_run("post_warmup")),
}
