"""Logits of the quatrain GPT along seeded continuations, small enough for one page.

Each continuation is what `generate` writes for its seed. The logits of every context on it, over the
whole vocabulary, are stored as a product of two thin matrices; the largest of each context are stored exactly.
"""

import numpy as np

from transformer_book.experiments.quatrains import END, LENGTH, QUATRAIN_GPT, START, VOCABULARY
from transformer_book.generation import generate
from transformer_book.models import Decoder
from transformer_book.recorded import trained
from transformer_book.widgets.logits_pack import (
    EXACT,
    RANK,
    SEEDS,
    TEMPERATURE,
    compress_logits,
    draw_levels,
    unpack_logits,
)


def record_continuations() -> dict[str, dict]:
    """Return the pack of the GenerationExplorer."""
    model = trained("quatrain_gpt", Decoder(QUATRAIN_GPT)).double()
    return {"quatrains": continuation_pack(model)}


def continuation_pack(model) -> dict:
    """Return vocabulary, draws, contexts and their logits; RuntimeError if storing changed a continuation."""
    contexts: dict[tuple[int, ...], np.ndarray] = {}
    paths = [tuple(continue_seed(model, seed, contexts)) for seed in SEEDS]
    paths.append(tuple(continue_seed(model, None, contexts)))
    logits = np.stack(list(contexts.values()))  # (contexts, V)
    pack = {
        "tokens": [VOCABULARY.piece(i) for i in range(len(VOCABULARY))],
        "end": END,
        "longest": LENGTH - 1,
        "temperature": TEMPERATURE,
        "levels": draw_levels(SEEDS, LENGTH - 1).tolist(),
        "contexts": [list(ids) for ids in contexts],
        **compress_logits(logits, RANK, EXACT),
    }
    stored = unpack_logits(pack)
    pack["largest_error"] = round_up(np.abs(softmax_rows(stored) - softmax_rows(logits)).max())
    check_paths(paths, list(contexts), stored)
    return pack


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


def check_paths(paths, contexts, stored) -> None:
    """The page must walk the same continuations from the stored logits."""
    place = {ids: number for number, ids in enumerate(contexts)}
    levels = draw_levels(SEEDS, LENGTH - 1)
    for number, path in enumerate(paths):
        for step, token in enumerate(path):
            row = stored[place[path[:step]]]
            if number == len(SEEDS):
                drawn = int(row.argmax())
            else:
                cumulative = softmax_rows(row[None] / TEMPERATURE)[0].cumsum()
                drawn = int(np.searchsorted(cumulative, levels[number, step] * cumulative[-1], side="right"))
            if drawn != token:
                raise RuntimeError(
                    f"stored logits change continuation {number + 1} at step {step + 1}: store more exactly."
                )


def softmax_rows(logits: np.ndarray) -> np.ndarray:
    """Softmax of each row."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def round_up(x: float) -> float:
    """One significant digit, rounded up: a bound to print."""
    scale = 10.0 ** np.floor(np.log10(x))
    return float(f"{np.ceil(x / scale) * scale:.0e}")
