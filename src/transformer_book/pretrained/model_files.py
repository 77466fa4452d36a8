"""The files of a published model: from a folder, or fetched from the hub or a mirror of it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import torch

from transformer_book.models.config import TransformerConfig
from transformer_book.storage.files import CorruptFileError, read_text
from transformer_book.storage.packages import MissingPackageError
from transformer_book.storage.weights import read_safetensors

WEIGHTS = "model.safetensors"


def model_folder(source: str | Path, names: tuple[str, ...], mirror: str | None = None) -> Path:
    """Return a folder that holds the files `names` of a model.

    source: a folder, or a name on the hub such as "openai-community/gpt2", whose files are fetched once and
    kept. mirror: the address to fetch from, such as "https://hf-mirror.com"; by default the environment
    variable HF_ENDPOINT, or the hub itself. Raises FileNotFoundError, MissingPackageError, ConnectionError.
    """
    folder = Path(source)
    if folder.is_dir():
        for name in names:
            if not (folder / name).is_file():
                raise FileNotFoundError(
                    f"The folder {folder} holds no file {name}{_only_pickle(folder, name)}."
                )
        return folder
    if folder.is_absolute() or str(source).startswith(".") or str(source).count("/") != 1:
        raise FileNotFoundError(
            f"source {source} is no folder, and no name on the hub such as openai-community/gpt2."
        )
    return _fetch(str(source), names, mirror)


def _only_pickle(folder: Path, name: str) -> str:
    if name == WEIGHTS and (folder / "pytorch_model.bin").is_file():
        return "; pytorch_model.bin is a pickle, which can run code and is not read"
    return ""


def _fetch(repository: str, names: tuple[str, ...], mirror: str | None) -> Path:
    try:
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import EntryNotFoundError, HfHubHTTPError, LocalEntryNotFoundError
    except ModuleNotFoundError as error:
        raise MissingPackageError(
            "Fetching from the hub needs the package huggingface-hub: run `make models` first."
        ) from error
    endpoint = mirror or os.environ.get("HF_ENDPOINT")
    place = endpoint or "the hub"
    for name in names:
        try:
            path = hf_hub_download(repository, name, endpoint=endpoint)
        except LocalEntryNotFoundError as error:
            raise ConnectionError(
                f"{repository} could not be fetched from {place}: give a folder with {', '.join(names)}, "
                "or a mirror such as https://hf-mirror.com."
            ) from error
        except EntryNotFoundError as error:
            raise FileNotFoundError(f"{repository} at {place} has no file {name}.") from error
        except HfHubHTTPError as error:
            raise ConnectionError(f"{place} refused {repository}: {error}") from error
    return Path(path).parent


def read_config(folder: Path, model_type: str, expected: dict[str, Any]) -> dict[str, Any]:
    """Return config.json as a dict.

    expected: entries with the only value that the library's model has; an absent entry has it. Raises
    CorruptFileError for a file that is no JSON or of another model_type, ValueError for an entry that
    differs.
    """
    try:
        config = json.loads(read_text(folder / "config.json"))
    except json.JSONDecodeError as error:
        raise CorruptFileError(f"config.json is no JSON file ({error}).") from error
    if not isinstance(config, dict) or config.get("model_type") != model_type:
        raise CorruptFileError(f"config.json is not that of a model of type {model_type}.")
    for name, value in expected.items():
        if config.get(name, value) != value:
            raise ValueError(
                f"config.json has {name} = {config[name]!r}, which is not supported; expected {value!r}."
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
        raise CorruptFileError(f"{source} describes no model: {error}.") from None


def read_weights(folder: Path, prefix: str) -> dict[str, torch.Tensor]:
    """Return the tensors of model.safetensors by name, without the `prefix` that some files have."""
    tensors, _ = read_safetensors(folder / WEIGHTS)
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items()}
