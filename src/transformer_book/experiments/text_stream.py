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


def pair_chances(before: torch.Tensor, after: torch.Tensor, size: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return P(after | before), (V, V), and P(after), (V,), by counting pairs of ids (P,) and (P,).

    Pairs that never occurred get the single character's chance by Witten and Bell's rule, as in
    `quatrains.bigram_losses`.
    """
    single = torch.bincount(after, minlength=size).double() + 1
    single = single / single.sum()
    counts = torch.zeros(size, size, dtype=torch.float64)
    counts.index_put_((before, after), torch.ones(len(before), dtype=torch.float64), accumulate=True)
    seen, kinds = counts.sum(1, keepdim=True), (counts > 0).sum(1, keepdim=True)
    followed = (counts + kinds * single) / (seen + kinds).clamp(min=1)
    return torch.where(seen > 0, followed, single), single
