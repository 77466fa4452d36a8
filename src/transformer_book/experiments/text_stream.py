"""Short texts run together into one long one, read through windows of any length (sections 5 and 7)."""

from __future__ import annotations

import torch

from transformer_book.experiments.experiment import random_rows
from transformer_book.tokenizers import CharacterVocabulary
from transformer_book.training.loop import BatchSource


def text_stream(texts: list[str], vocabulary: CharacterVocabulary) -> torch.Tensor:
    """Return all texts as one row of ids (T,), a <start> before each."""
    start = vocabulary.special["<start>"]
    return torch.tensor([token for text in texts for token in (start, *vocabulary.encode(text))])


def window_batches(stream: torch.Tensor, length: int, batch_size: int) -> BatchSource:
    """Return a source of batches for `next_token_loss`: windows of length + 1 ids, drawn at random."""
    windows = stream.unfold(0, length + 1, 1)  # (T - length, length + 1), a view
    return random_rows({"tokens": windows}, batch_size)
