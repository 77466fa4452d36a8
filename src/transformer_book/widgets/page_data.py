"""Data of the explorers that read a model: packs, JSON files here and classic scripts on the site."""

import functools
import json
from pathlib import Path

from .circuit_data import PACK, smollm2_pack

_FOLDER = Path(__file__).parent / "data"


@functools.cache
def load_pack(name: str) -> dict:
    """Return a recorded pack: heads-smollm2 or heads-minilm; ValueError names those there are."""
    path = _FOLDER / f"{name}.json"
    if not path.is_file():
        known = sorted(found.stem for found in _FOLDER.glob("*.json"))
        raise ValueError(f"name must be a recorded pack, one of {known}; got {name!r}.")
    return json.loads(path.read_text(encoding="utf-8"))


def data_script(name: str) -> str:
    """Source of the script that hands a pack to the explorers of a page, also under `file://`."""
    text = json.dumps(_contents(name), ensure_ascii=False, separators=(",", ":"))
    return f"(globalThis.explorerData ??= {{}})[{json.dumps(name)}] = {text};\n"


def _contents(name: str):
    if name == PACK:
        return smollm2_pack()
    # The tokens of sentences stand in the explorer's own state already.
    return [sentence["weights"] for sentence in load_pack(name)["sentences"]]
