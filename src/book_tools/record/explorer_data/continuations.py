"""Logits of the quatrain GPT along seeded continuations, small enough for one page.

Each continuation is what `generate` writes for its seed. The logits of every context on it, over the whole
vocabulary, are stored as `transformer_book.widgets.logits_pack` says.
"""

import numpy as np

from transformer_book.experiments.quatrains import END, LENGTH, QUATRAIN_GPT, START, VOCABULARY
from transformer_book.generation import generate
from transformer_book.models import Decoder
from transformer_book.recorded import trained
from transformer_book.widgets.logits_pack import (
    TEMPERATURE,
    compress_logits,
    context_tree,
    draw_levels,
    unpack_logits,
)

SEEDS = range(1, 11)  # beside the greedy continuation
STEPS = LENGTH - 1


def record_continuations() -> dict[str, dict]:
    """Return the pack of the GenerationExplorer."""
    model = trained("quatrain_gpt", Decoder(QUATRAIN_GPT)).double()
    return {"quatrains": continuation_pack(model)}


def continuation_pack(model) -> dict:
    """Return vocabulary, draws, contexts and their logits; RuntimeError if storing changes a continuation."""
    contexts: dict[tuple[int, ...], np.ndarray] = {}
    paths = [continue_seed(model, seed, contexts) for seed in (None, *SEEDS)]
    logits = np.stack(list(contexts.values()))  # (contexts, V)
    drawn = {ids: sorted({p[len(ids)] for p in paths if tuple(p[: len(ids)]) == ids}) for ids in contexts}
    pack = {"contexts": context_tree(list(contexts)), **compress_logits(logits, list(drawn.values()))}
    stored = dict(zip(contexts, unpack_logits(pack), strict=True))
    for seed, path in zip(SEEDS, paths[1:], strict=True):
        if not walks(path, seed, stored):
            raise RuntimeError(f"stored logits change the continuation of seed {seed}: store more exactly.")
    difference = softmax_rows(np.stack(list(stored.values()))) - softmax_rows(logits)
    return {
        "tokens": [VOCABULARY.piece(i) for i in range(len(VOCABULARY))],
        "end": END,
        "longest": STEPS,
        "temperature": TEMPERATURE,
        "seeds": list(SEEDS),
        "levels": draw_levels(SEEDS, STEPS).tolist(),
        "largest_error": round_up(np.abs(difference).max()),
        **pack,
    }


def continue_seed(model, seed: int | None, contexts: dict) -> list[int]:
    """Note the logits of each context of one continuation; seed None is the greedy one. Returns its ids."""
    temperature = 0.0 if seed is None else TEMPERATURE
    written = generate(
        model,
        [START],
        LENGTH - 1,
        temperature=temperature,
        stop_tokens=[END],
        generator=seed,
        return_logits=True,
    )
    ids = written.new_tokens[0].tolist()
    for step, logits in enumerate(written.logits[0].double().numpy()):
        contexts.setdefault(tuple(ids[:step]), logits)
    return ids


def walks(path: list[int], seed: int, stored: dict) -> bool:
    """Say whether the stored logits lead along the same continuation."""
    for step, (token, level) in enumerate(zip(path, draw_levels([seed], STEPS)[0], strict=False)):
        cumulative = softmax_rows(stored[tuple(path[:step])][None] / TEMPERATURE)[0].cumsum()
        if np.searchsorted(cumulative, level * cumulative[-1], side="right") != token:
            return False
    return True


def softmax_rows(logits: np.ndarray) -> np.ndarray:
    """Softmax of each row."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def round_up(x: float) -> float:
    """One significant digit, rounded up: a bound to print."""
    scale = 10.0 ** np.floor(np.log10(x))
    return float(f"{np.ceil(x / scale) * scale:.0e}")
