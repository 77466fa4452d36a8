"""A published tokenizer.json, the file of the package tokenizers, where it holds a byte-level BPE."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import regex

from transformer_book.checks.messages import must_be
from transformer_book.storage.files import CorruptFileError, read_text
from transformer_book.tokenizers.byte_alphabet import bytes_from_printable
from transformer_book.tokenizers.byte_level_bpe import ByteLevelBPE
from transformer_book.tokenizers.gpt2 import parse_merge
from transformer_book.tokenizers.split import DIGIT, GPT2, split_by

_DIGITS = regex.compile(r"\p{N}+")


def load_tokenizer_json(path: str | Path) -> ByteLevelBPE:
    """Return the byte-level BPE of a tokenizer.json, such as SmolLM2's or Llama 3's.

    It gives the ids of the text alone: tokens that the file puts before or behind a text are left out. Raises
    FileNotFoundError, CorruptFileError for a file that is not such JSON, ValueError for a tokenizer of
    another kind (Llama 2's, with SentencePiece's pieces).
    """
    name = Path(path).name
    try:
        content = json.loads(read_text(path))
        model, added = content["model"], content.get("added_tokens") or []
        special = {token["content"]: token["id"] for token in added}
        vocabulary = {piece: i for piece, i in model["vocab"].items() if piece not in special}
        merges = [" ".join(merge) if isinstance(merge, list) else str(merge) for merge in model["merges"]]
        patterns = _patterns(content.get("pre_tokenizer"))
    except (json.JSONDecodeError, regex.error, AttributeError, IndexError, KeyError, TypeError) as error:
        raise CorruptFileError(must_be(name, "a tokenizer's JSON", repr(error))) from None
    _check_only("model.type", model.get("type"), "BPE")
    _check_only("normalizer", content.get("normalizer"), None)
    for entry in ("unk_token", "continuing_subword_prefix", "end_of_word_suffix", "dropout", "byte_fallback"):
        _check_only(f"model.{entry}", model.get(entry) or None, None)
    for token in added:
        for flag in ("lstrip", "rstrip", "single_word"):
            _check_only(f"{flag} of {token['content']}", token.get(flag, False), False)
    return ByteLevelBPE(
        merges=map(parse_merge, merges),
        pieces={i: bytes_from_printable(piece) for piece, i in vocabulary.items()},
        special=special,
        split=partial(split_by, patterns=patterns),
        whole_words=bool(model.get("ignore_merges")),
    )


def _patterns(pre_tokenizer: dict[str, Any] | None) -> tuple[regex.Pattern, ...]:
    """The patterns at which text is cut, one after the other; the last step has to be the byte level."""
    steps = [pre_tokenizer or {}]
    if steps[0].get("type") == "Sequence":
        steps = steps[0]["pretokenizers"]
    _check_only("the last pre_tokenizer", steps[-1].get("type"), "ByteLevel")
    return tuple(pattern for step in steps if (pattern := _pattern(step)) is not None)


def _pattern(step: dict[str, Any]) -> regex.Pattern | None:
    kind = step.get("type")
    if kind == "ByteLevel":
        _check_only("add_prefix_space", step.get("add_prefix_space", True), False)
        return GPT2 if step.get("use_regex", True) else None
    if kind == "Digits":
        return DIGIT if step.get("individual_digits") else _DIGITS
    _check_only("a pre_tokenizer", kind, "Split")
    _check_only("behavior of Split", step.get("behavior"), "Isolated")
    _check_only("invert of Split", step.get("invert", False), False)
    wanted = step["pattern"]
    return regex.compile(wanted["Regex"] if "Regex" in wanted else regex.escape(wanted["String"]))


def _check_only(name: str, found: Any, supported: Any) -> None:
    """Raise ValueError unless an entry of tokenizer.json has the one value that this library knows."""
    if found != supported:
        raise ValueError(must_be(f"tokenizer.json: {name}", repr(supported), repr(found)))
