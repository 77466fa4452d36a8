"""Attention weights of every head of SmolLM2 and MiniLM on the sentences that the HeadExplorer ships."""

import json

from transformer_book.widgets.head_weights import pack_weights
from transformer_book.widgets.reading import read_sentence

# The question that opens the chapter, pairs that differ in one word, patterns to copy, and an analogy.
SENTENCES = {
    "smollm2": (
        "The cat that the dog chased all morning finally fell asleep.",
        "The keys that the man found in the old cabinet were rusty.",
        "one two three four one two three",
        "The dog near the old houses barks.",
        "The dogs near the old house bark.",
        "Mr Smith met Mrs Jones. Mr Smith",
        "Paris is to France as Rome is to Italy.",
    ),
    "minilm": (
        "The cat that the dog chased all morning finally fell asleep.",
        "The animal did not cross the street because it was too tired.",
        "The animal did not cross the street because it was too wide.",
    ),
}

FORMS = {"smollm2": {"title": "SmolLM2", "causal": True}, "minilm": {"title": "MiniLM", "causal": False}}


def record_heads() -> dict[str, str]:
    """Return one pack a model, as JSON by the name of its file."""
    return {f"heads-{model}.json": as_json(head_pack(model)) for model in SENTENCES}


def as_json(pack: dict) -> str:
    """Return one line of JSON."""
    return json.dumps(pack, ensure_ascii=False, separators=(",", ":")) + "\n"


def head_pack(model: str) -> dict:
    """Return sizes of the model, and tokens and weights of each sentence."""
    form = FORMS[model]
    sentences, sizes = [], None
    for text in SENTENCES[model]:
        reading = read_sentence(model, text)
        sizes = reading.weights.shape[:2]
        weights = pack_weights(reading.weights, form["causal"])
        sentences.append({"text": text, "tokens": reading.tokens, "weights": weights})
    layers, heads = sizes
    return {**form, "layers": layers, "heads": heads, "sentences": sentences}
