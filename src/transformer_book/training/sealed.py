"""Safetensors files with a SHA-256 digest of all their bytes: a file that changed in one bit is refused.

The digest stands in the file's own header. It is taken while its place holds zeros.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save

from transformer_book.storage.files import CorruptFileError, write_atomically
from transformer_book.storage.weights import read_safetensors

_ZEROS = "0" * 64
_PLACE = re.compile(rb'"sha256":"([0-9a-f]{64})"')
_AT_ONCE = 2**20


def write_sealed(path: Path, tensors: Mapping[str, torch.Tensor], notes: Mapping[str, Any]) -> None:
    """Write tensors and JSON-able notes with a digest, in one step."""
    ready = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    header = {key: json.dumps(value) for key, value in notes.items()} | {"sha256": _ZEROS}
    content = bytearray(save(ready, metadata=header))
    place = _PLACE.search(content).span(1)
    content[slice(*place)] = hashlib.sha256(content).hexdigest().encode()
    write_atomically(path, content)


def read_sealed(path: Path) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    """Return tensors and notes; FileNotFoundError, CorruptFileError for a file that has changed since."""
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        start = file.read(8)
        length = min(int.from_bytes(start, "little"), path.stat().st_size)
        header = file.read(length)
        found = _PLACE.search(header)
        if found is None:
            raise CorruptFileError(f"{path.name} is not a checkpoint of a training run: it has no digest.")
        digest.update(start + header[: found.start(1)] + _ZEROS.encode() + header[found.end(1) :])
        while part := file.read(_AT_ONCE):
            digest.update(part)
    if digest.hexdigest().encode() != found[1]:
        raise CorruptFileError(f"{path.name} is damaged: its bytes do not have the digest in its header.")
    tensors, read = read_safetensors(path)
    del read["sha256"]
    return tensors, read
