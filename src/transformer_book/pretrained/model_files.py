"""The files of a published model: from a folder, or fetched from the hub or a mirror of it."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

import torch

from transformer_book.checks.messages import must_be
from transformer_book.models.config import TransformerConfig
from transformer_book.storage.files import CorruptFileError, read_text, user_path
from transformer_book.storage.packages import MissingPackageError
from transformer_book.storage.weights import read_safetensors

WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"  # in place of WEIGHTS: which of several files holds each tensor


def model_folder(
    source: str | Path, names: tuple[str, ...], mirror: str | None = None, optional: tuple[str, ...] = ()
) -> Path:
    """Return a folder that holds the files `names` of a model, and those of `optional` that there are.

    source: a folder, or a name on the hub such as "openai-community/gpt2", whose files are fetched once and
    kept. names: with WEIGHTS among them, the weights may also lie in several files with an index. mirror: the
    address to fetch from, such as "https://hf-mirror.com"; by default the environment variable HF_ENDPOINT,
    or the hub itself. Raises FileNotFoundError, MissingPackageError, ConnectionError.
    """
    folder = user_path(source)
    if folder.is_dir():
        for name in names:
            if not any((folder / one).is_file() for one in _in_place_of(name)):
                raise FileNotFoundError(
                    f"The folder {folder} holds no file {name}{_only_pickle(folder, name)}."
                )
        return folder
    if folder.is_absolute() or str(source).startswith(".") or str(source).count("/") != 1:
        wanted = "a folder, or a name on the hub such as openai-community/gpt2"
        raise FileNotFoundError(must_be("source", wanted, source))
    return _fetch(str(source), names, mirror, optional)


def _in_place_of(name: str) -> tuple[str, ...]:
    return (WEIGHTS, INDEX) if name == WEIGHTS else (name,)


def _only_pickle(folder: Path, name: str) -> str:
    if name == WEIGHTS and (folder / "pytorch_model.bin").is_file():
        return "; pytorch_model.bin is a pickle, which can run code and is not read"
    return ""


def _fetch(repository: str, names: tuple[str, ...], mirror: str | None, optional: tuple[str, ...]) -> Path:
    try:
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import EntryNotFoundError, HfHubHTTPError, LocalEntryNotFoundError
    except ModuleNotFoundError as error:
        raise MissingPackageError(
            "Fetching from the hub needs the package huggingface-hub: run `make models` first."
        ) from error
    endpoint = mirror or os.environ.get("HF_ENDPOINT")
    place = endpoint or "the hub"

    def fetch(name: str) -> Path:
        try:
            return Path(hf_hub_download(repository, name, endpoint=endpoint))
        except LocalEntryNotFoundError as error:
            raise ConnectionError(
                f"{repository} could not be fetched from {place}: give a folder with {', '.join(names)}, "
                "or a mirror such as https://hf-mirror.com."
            ) from error
        except EntryNotFoundError as error:
            raise FileNotFoundError(f"{repository} at {place} has no file {name}.") from error
        except HfHubHTTPError as error:
            raise ConnectionError(f"{place} refused {repository}: {error}") from error

    for name in names:
        try:
            path = fetch(name)
        except FileNotFoundError as missing:
            try:
                path = fetch(_in_place_of(name)[-1])
            except FileNotFoundError:
                raise missing from None
            for part in sorted(set(read_index(path).values())):
                fetch(part)
    for name in optional:
        with contextlib.suppress(FileNotFoundError, ConnectionError):
            fetch(name)
    return path.parent


def read_json(path: Path) -> dict[str, Any]:
    """Return the entries of a JSON file; CorruptFileError unless it is JSON with named entries."""
    try:
        entries = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise CorruptFileError(must_be(path.name, "JSON", error)) from None
    if not isinstance(entries, dict):
        raise CorruptFileError(must_be(path.name, "JSON with named entries", f"a {type(entries).__name__}"))
    return entries


def read_config(folder: Path, model_type: str, expected: dict[str, Any]) -> dict[str, Any]:
    """Return config.json as a dict.

    expected: entries with the only value that the library's model has; an absent entry has it. Raises
    CorruptFileError for a file that is not JSON or of another model_type, ValueError for an entry that
    differs.
    """
    config = read_json(folder / "config.json")
    if config.get("model_type") != model_type:
        raise CorruptFileError(must_be("config.json: model_type", model_type, config.get("model_type")))
    for name, value in expected.items():
        if config.get(name, value) != value:
            raise ValueError(
                must_be(f"config.json: {name}", f"{value!r}, as in this library", repr(config[name]))
            )
    return config


def entry(config: dict[str, Any], name: str) -> Any:
    """Return an entry of config.json; CorruptFileError names one that is missing."""
    if name not in config:
        raise CorruptFileError(f"config.json lacks {name}.")
    return config[name]


def config_of(kind: type[TransformerConfig], source: str, **entries) -> TransformerConfig:
    """Return the config of these entries; CorruptFileError says which one of `source` no model can have."""
    try:
        return kind(**entries)
    except ValueError as error:
        raise CorruptFileError(f"{source} describes no model: {error}") from None


def read_index(path: Path) -> dict[str, str]:
    """Return the file of each tensor from an index; CorruptFileError unless they are names beside it."""
    files = read_json(path).get("weight_map")
    if not isinstance(files, dict) or not files:
        raise CorruptFileError(must_be(f"{path.name}: weight_map", "the file of each tensor", repr(files)))
    for name in files.values():
        if not isinstance(name, str) or Path(name).name != name or not name.endswith(".safetensors"):
            raise CorruptFileError(
                must_be(f"{path.name}: weight_map", "names of safetensors files", repr(name))
            )
    return files


def read_weights(folder: Path, prefix: str) -> dict[str, torch.Tensor]:
    """Return the tensors by name, from one file or several, without the `prefix` that some files have."""
    if (folder / WEIGHTS).is_file():
        tensors, _ = read_safetensors(folder / WEIGHTS)
    else:
        files = read_index(folder / INDEX)
        parts = {name: read_safetensors(folder / name)[0] for name in sorted(set(files.values()))}
        for name, file in files.items():
            if name not in parts[file]:
                raise CorruptFileError(f"{file} lacks the tensor {name}, which {INDEX} promises.")
        tensors = {name: tensor for part in parts.values() for name, tensor in part.items()}
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items()}
