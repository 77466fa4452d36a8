"""MiniLM in 8 bits, one file of 23 MB: `python -m transformer_book.pretrained.minilm_8bit FILE` writes it.

A safetensors file with what `storage.eight_bit` makes of the weights, and in its notes config and vocabulary.
The site writes the same bytes when it is built, and its pages compute with them.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
from pathlib import Path

from safetensors.torch import save

from transformer_book.checks.messages import must_be
from transformer_book.models import EncoderConfig, build
from transformer_book.pretrained.bert import load_minilm
from transformer_book.pretrained.model_files import config_of
from transformer_book.pretrained.pretrained import Pretrained, pair
from transformer_book.storage.eight_bit import eight_bit_tensors, whole_tensors
from transformer_book.storage.files import CorruptFileError, write_atomically
from transformer_book.storage.weights import assign_tensors, model_tensors, read_safetensors
from transformer_book.tokenizers import WordPiece

SOURCE = "sentence-transformers/all-MiniLM-L6-v2, Apache License 2.0; changed: weights rounded to 8 bits"


def minilm_8bit() -> bytes:
    """Return the file's content, the same on every machine; MissingPackageError as `load_minilm`."""
    model, tokenizer = load_minilm()
    pieces = [tokenizer.piece(i) for i in range(len(tokenizer))]
    description = {"config": dataclasses.asdict(model.config), "pieces": "\n".join(pieces), "source": SOURCE}
    notes = {"model": json.dumps(description, ensure_ascii=False)}
    return save(eight_bit_tensors(model_tensors(model)), metadata=notes)


def load_minilm_8bit(path: str | Path) -> Pretrained:
    """Return the encoder of such a file, its weights read back to float32, and its uncased WordPiece.

    Raises FileNotFoundError, or CorruptFileError for a file that is truncated or not of this form.
    """
    tensors, notes = read_safetensors(path)
    name = Path(path).name
    description = notes.get("model")
    if not isinstance(description, dict) or not {"config", "pieces"} <= description.keys():
        raise CorruptFileError(
            must_be(f"{name}: the note model", "a config and pieces", repr(description)[:80])
        )
    try:
        config = config_of(EncoderConfig, name, **description["config"])
        tokenizer = WordPiece(description["pieces"].split("\n"))
    except TypeError as error:
        raise CorruptFileError(f"{name} describes no encoder: {error}") from None
    model = build(config, device="meta")
    assign_tensors(model, whole_tensors(tensors, name), name)
    return pair(model.eval(), tokenizer)


def main(arguments: list[str] | None = None) -> None:
    """Write the file and say how large it is."""
    parser = argparse.ArgumentParser(
        prog="python -m transformer_book.pretrained.minilm_8bit", description=__doc__
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="where to, such as minilm-8bit.safetensors")
    path = parser.parse_args(arguments).file
    content = minilm_8bit()
    write_atomically(path, content)
    print(f"{path}: {len(content):,} bytes")


if __name__ == "__main__":
    main()
