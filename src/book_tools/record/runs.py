"""The names of all runs."""

from __future__ import annotations

from transformer_book.experiments import (
    attention_tests,
    copying,
    decoding,
    deep_stacks,
    digits,
    few_labels,
    forgotten_mask,
    head_ablation,
    head_pairs,
    longer_texts,
    masked_poems,
    numerals,
    poem_forms,
    quatrain_training,
    reviews,
    scaled_scores,
    shifted_digits,
)
from transformer_book.experiments.experiment import Experiment, Grid, Measurement

RUNS: dict[str, Experiment | Measurement | Grid] = {
    "quatrain_gpt": quatrain_training.GPT,
    "quatrain_bert": masked_poems.BERT,
    "mask_kept": forgotten_mask.experiment(causal=True),
    "mask_forgotten": forgotten_mask.experiment(causal=False),
    "poem_forms": poem_forms.GRID,
    "quatrain_training": quatrain_training.GRID,
    "decoding": decoding.GRID,
    "masked_poems": masked_poems.GRID,
    "few_labels": few_labels.GRID,
    "numerals": numerals.TRANSLATOR,
    "numerals_anew": numerals.ANEW,
    "digits_vit": digits.experiment(positions=True),
    "digits_vit_no_positions": digits.experiment(positions=False),
    "shifted_digits": shifted_digits.GRID,
    "head_ablation": head_ablation.GRID,
    "head_pairs": head_pairs.GRID,
    "copying": copying.GRID,
    "reviews": reviews.CLASSIFIER,
    "scaled_scores": scaled_scores.GRID,
    "positions": longer_texts.GRID,
    "attention_tests": attention_tests.GRID,
    "stacks": deep_stacks.GRID,
}
