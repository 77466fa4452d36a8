"""Pre-norm and post-norm stacks, trained deep, with and without a warm-up (section 7; Xiong et al., 2020).

The same decoder, data, seed and learning rate each time; weights are drawn by Glorot's rule, as in that
paper. The text is `三千零七=3007`, one number after another: what follows the sign can be worked out.
"""

from __future__ import annotations

import torch
from torch import nn

from transformer_book.accounting import gradient_norms
from transformer_book.data import load_numerals
from transformer_book.data.numerals import DIGIT_CHARACTERS, NUMERAL_CHARACTERS
from transformer_book.experiments.experiment import Experiment, Outcome, Training
from transformer_book.experiments.text_stream import text_stream, window_batches
from transformer_book.models import Decoder, DecoderConfig
from transformer_book.tokenizers import CharacterVocabulary
from transformer_book.training import TrainingSettings, next_token_loss

VOCABULARY = CharacterVocabulary(NUMERAL_CHARACTERS + DIGIT_CHARACTERS + "=", special=["<start>"])
DEPTH = 24
LENGTH = 32
RUNS = {"pre": ("pre", 0), "post": ("post", 0), "post_warmup": ("post", 100)}  # placement, warm-up in steps


def settings_of(run: str, steps: int = 300, seed: int = 0) -> TrainingSettings:
    """Return the settings of one of RUNS: a constant learning rate after its warm-up, no clipping."""
    return TrainingSettings(
        steps=steps,
        learning_rate=3e-3,
        warmup=min(RUNS[run][1], steps),
        final_fraction=1.0,
        weight_decay=0.0,
        betas=(0.9, 0.98),
        clip=1e9,  # never reached: the gradients are to show themselves
        seed=seed,
    )


def deep_decoder(run: str, seed: int = 0) -> Decoder:
    """Return the decoder of one of RUNS, with Glorot-uniform matrices and zero biases in its 24 layers."""
    torch.manual_seed(seed)
    model = Decoder(
        DecoderConfig(
            vocabulary_size=len(VOCABULARY),
            context_length=LENGTH,
            dim=32,
            num_layers=DEPTH,
            num_heads=4,
            norm_placement=RUNS[run][0],
        )
    )
    for name, parameter in model.layers.named_parameters():
        if parameter.ndim == 2:
            nn.init.xavier_uniform_(parameter)
        elif name.endswith("bias"):
            nn.init.zeros_(parameter)
    return model


def number_stream(part: str) -> torch.Tensor:
    """Return the "train" or "validation" numbers as one row of ids: <start>三千零七=3007<start>…"""
    pairs = getattr(load_numerals(), part)
    return text_stream([f"{numeral}={digits}" for numeral, digits in pairs], VOCABULARY)


@torch.no_grad()
def validation_loss(model: Decoder) -> float:
    """Return the mean loss in nats a character over the validation numbers."""
    rows = number_stream("validation").unfold(0, LENGTH + 1, LENGTH)  # (W, 33)
    total, count = next_token_loss(model, {"tokens": rows})
    return total.item() / int(count)


def unigram_loss() -> float:
    """Return the validation loss of a guess that knows how frequent each character is, and nothing else."""
    counts = torch.bincount(number_stream("train"), minlength=len(VOCABULARY)).double()
    log_share = (counts / counts.sum()).log()
    return -log_share[number_stream("validation")].mean().item()


@torch.no_grad()
def mean_similarity(model: Decoder) -> float:
    """Return the mean cosine between the final vectors of two positions of the validation numbers.

    All pairs of different positions of the first 32 windows count; 1 means that the layers have made all
    positions alike.
    """
    rows = number_stream("validation").unfold(0, LENGTH, LENGTH)[:32]  # (W, 32)
    directions = nn.functional.normalize(model.eval()(rows).final.flatten(0, 1), dim=-1)  # (P, D)
    cosines = directions @ directions.mT  # (P, P)
    number = len(directions)
    return (cosines.sum().item() - number) / (number**2 - number)  # without each position and itself


def gradients(model: Decoder) -> list[float]:
    """Return the norm of the loss's gradient in each layer, for the first windows of the text."""
    model.train()
    rows = number_stream("train").unfold(0, LENGTH + 1, LENGTH)[:16]
    total, count = next_token_loss(model, {"tokens": rows})
    (total / count).backward()
    norms = gradient_norms(model)
    model.zero_grad(set_to_none=True)
    return [norms[f"layers.{k}"] for k in range(DEPTH)]


def measure(model: Decoder) -> Outcome:
    """Return the validation loss, beside that of a guess by frequency alone."""
    return Outcome({"loss_validation": validation_loss(model), "loss_unigram": unigram_loss()})


def experiment(run: str) -> Experiment:
    """Return the experiment of one of RUNS."""

    def start(seed: int) -> Training:
        batches = window_batches(number_stream("train"), LENGTH, batch_size=16)
        return Training(deep_decoder(run, seed), batches, next_token_loss, settings_of(run, seed=seed))

    return Experiment(
        start=start,
        measure=measure,
        at_start=lambda model: {"gradients_at_start": gradients(model)},
        points=30,
    )
