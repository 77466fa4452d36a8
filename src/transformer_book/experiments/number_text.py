"""Numbers as a text, `三千零七=3007`, one after another: what follows the sign can be worked out.

Sections 4, 5 and 7 train small decoders on it.
"""

from __future__ import annotations

import functools

import torch

from transformer_book.data import load_numerals
from transformer_book.data.numerals import DIGIT_CHARACTERS, NUMERAL_CHARACTERS
from transformer_book.experiments.text_stream import text_stream
from transformer_book.models import Decoder
from transformer_book.tokenizers import CharacterVocabulary
from transformer_book.training import next_token_loss

VOCABULARY = CharacterVocabulary(NUMERAL_CHARACTERS + DIGIT_CHARACTERS + "=", special=["<start>"])
LENGTH = 32  # characters that sections 4 and 7 read at a time


@functools.cache
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
