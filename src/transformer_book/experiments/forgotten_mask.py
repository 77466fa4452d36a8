"""The same small decoder trained with and without its causal mask, on the quatrains (section 8).

Without the mask each position sees the token that it has to predict. The loss falls, and nothing is learnt
that generation could use.
"""

from __future__ import annotations

import dataclasses

import torch

from transformer_book.experiments.quatrains import QUATRAIN_GPT
from transformer_book.models import Decoder

CONFIG = dataclasses.replace(QUATRAIN_GPT, dim=64, num_layers=2, dropout=0.0)


def decoder(causal: bool, seed: int = 0) -> Decoder:
    """Return the untrained decoder; causal=False forgets the mask in every layer."""
    torch.manual_seed(seed)
    model = Decoder(CONFIG)
    for layer in model.layers:
        layer.attention.causal = causal
    return model
