"""What CircuitExplorer knows: SmolLM2's recorded losses as a pack, sizes and texts of its two models."""

import functools
import itertools
import math
import re

import numpy as np

from ..checks.messages import must_be
from ..recorded import recorded, trained

PACK = "circuit-smollm2"
LIVE = "copying"  # the two-layer model that the page runs
LIVE_SEED = 2**41  # of its texts: no seed of its training or of its measure
WATCHED = ((1, 0), (1, 1))  # its induction heads
KEYS = ("loss", "score")


@functools.cache
def smollm2_pack() -> dict:
    """Losses and scores of SmolLM2, a number a text: of the "whole" model, of single heads and of pairs.

    "single": by ablation and key, a list a head in the order layer, head. "pairs": the same, a list a pair in
    the order of `itertools.combinations` over the paired heads.
    """
    from ..experiments.head_ablation import ABLATIONS, by_head

    single, pairs = recorded("head_ablation").values["rows"], recorded("head_pairs")
    first = single[: len({row["seed"] for row in single})]
    return {
        "whole": {key: [row[key] for row in first] for key in KEYS},
        "single": {
            name: {key: _rounded(by_head(single, f"{name}.{key}").flatten(0, 1)) for key in KEYS}
            for name in ABLATIONS
        },
        "pairs": {
            name: {key: pairs.over_seeds("pairs", f"{name}.{key}").T.tolist() for key in KEYS}
            for name in ABLATIONS
        },
    }


def _rounded(values) -> list[list[float]]:
    return [[round(value, 4) for value in row] for row in values.tolist()]


def catalogue() -> dict:
    """Sizes of the models, watched heads, heads whose pairs are recorded, texts of the live one.

    heads as (layer, head); uniform: the loss in nats of a uniform guess.
    """
    import torch

    from ..experiments.copying import CONFIG, LENGTH, repeated_rows
    from ..experiments.head_ablation import SETTINGS
    from ..experiments.head_pairs import HEADS
    from ..models import SMOLLM2_135M

    period = LENGTH // 2
    draw = torch.Generator().manual_seed(LIVE_SEED)
    texts = repeated_rows(draw, SETTINGS.texts, (period, period), length=LENGTH)

    return {
        "smollm2": {
            "layers": SETTINGS.layers,
            "heads": SMOLLM2_135M.num_heads,
            "period": SETTINGS.period,
            "watched": [list(head) for head in SETTINGS.watched],
            "paired": [list(head) for head in HEADS],
            "uniform": math.log(SMOLLM2_135M.vocabulary_size),
        },
        LIVE: {
            "layers": CONFIG.num_layers,
            "heads": CONFIG.num_heads,
            "period": period,
            "watched": [list(head) for head in WATCHED],
            "uniform": math.log(CONFIG.vocabulary_size),
            "texts": texts["tokens"].tolist(),
        },
    }


def recorded_copying(deleted: list[tuple[int, int]], ablation: str) -> dict[str, np.ndarray]:
    """SmolLM2's loss and score without no, one or two heads, whole and "deleted.", a number a text."""
    from ..experiments.head_pairs import HEADS

    pack, entry = smollm2_pack(), catalogue()["smollm2"]
    found = {key: np.array(pack["whole"][key]) for key in KEYS}
    if not deleted:
        changed = pack["whole"]
    elif len(deleted) == 1:
        (layer, head) = deleted[0]
        changed = {key: pack["single"][ablation][key][layer * entry["heads"] + head] for key in KEYS}
    else:
        number = list(itertools.combinations(HEADS, 2)).index(tuple(sorted(deleted)))
        changed = {key: pack["pairs"][ablation][key][number] for key in KEYS}
    return found | {f"deleted.{key}": np.array(changed[key]) for key in KEYS}


def live_copying(deleted: list[tuple[int, int]], ablation: str) -> dict[str, np.ndarray]:
    """As `recorded_copying`, of the two-layer model, computed anew."""
    from ..experiments.head_ablation import HeadAblation

    entry = catalogue()[LIVE]
    rows = []
    for ids in entry["texts"]:
        text = HeadAblation(_trained(), ids, period=entry["period"], watched=map(tuple, entry["watched"]))
        changed = text.without_all(deleted)[ablation] if deleted else text.intact
        pair = (text.intact, changed)
        rows.append([number for one in pair for number in (one.loss.item(), one.scores.mean().item())])
    columns = np.array(rows).T
    return dict(zip(("loss", "score", "deleted.loss", "deleted.score"), columns, strict=True))


@functools.cache
def _trained():
    from ..experiments.copying import make_decoder

    return trained("copying", make_decoder(), "whole")


def head_name(layer: int, head: int) -> str:
    """A head as the field writes it."""
    return f"L{layer}H{head}"


def place_of(name: str) -> tuple[int, int]:
    """Layer and head of a name that `head_name` wrote; ValueError for another text."""
    found = re.fullmatch(r"L(\d+)H(\d+)", name, re.ASCII)
    if not found:
        raise ValueError(must_be("a head", "written as in L16H0", repr(name)))
    return int(found[1]), int(found[2])


def misplaced(catalogue: dict, model: str, deleted: list[str]) -> str:
    """One sentence on what the catalogue does not hold, or an empty string."""
    if model not in catalogue:
        return must_be("model", f"one of {', '.join(catalogue)}", repr(model))
    entry = catalogue[model]
    try:
        places = [place_of(name) for name in deleted]
    except ValueError as error:
        return str(error)
    if len(set(places)) < len(places):
        return must_be("deleted", "a list of different heads", deleted)
    if any(layer >= entry["layers"] or head >= entry["heads"] for layer, head in places):
        return must_be("deleted", f"heads within {entry['layers']} layers of {entry['heads']}", deleted)
    paired = [tuple(head) for head in entry.get("paired", places)]
    if len(places) > 1 and (("paired" in entry and len(places) > 2) or not set(places) <= set(paired)):
        names = ", ".join(head_name(*head) for head in paired)
        return must_be("deleted", f"one head or a recorded pair, two of {names}", deleted)
    return ""
