"""CircuitExplorer: heads taken out of a model that copies, alone and together (section 6)."""

import numpy as np
import traitlets

from .circuit_data import (
    PACK,
    catalogue,
    head_name,
    live_copying,
    misplaced,
    place_of,
    recorded_copying,
    smollm2_pack,
)
from .fallback import matrix_table
from .model_explorer import ModelExplorer


class CircuitExplorer(ModelExplorer):
    """Heads deleted from SmolLM2, recorded one by one and in pairs, or from the book's two-layer model, live.

    model: "smollm2" or "copying"; ablation: "zero" or "mean"; deleted: heads as the field writes them, such
    as ["L16H0"]. Of SmolLM2 at most two, and two only of those whose pairs are recorded.
    """

    kind = "circuit"
    state_names = ("catalogue", "model", "ablation", "deleted")
    sources = (PACK,)
    model_names = ("copying_whole",)

    catalogue = traitlets.Dict().tag(sync=True)
    packs = traitlets.Dict().tag(sync=True)
    model = traitlets.Unicode("smollm2").tag(sync=True)
    ablation = traitlets.Enum(("zero", "mean"), "zero").tag(sync=True)
    deleted = traitlets.List(traitlets.Unicode(), ["L16H0"]).tag(sync=True)

    def __init__(self, **state):
        super().__init__(catalogue=catalogue(), packs={PACK: smollm2_pack()}, **state)

    @traitlets.validate("model", "deleted")
    def _check_heads(self, proposal):
        state = {"model": self.model, "deleted": self.deleted, proposal.trait.name: proposal.value}
        problem = misplaced(self.catalogue, **state) if self.catalogue else ""
        if problem:
            raise traitlets.TraitError(problem)
        if proposal.trait.name == "deleted" and self.catalogue:
            return [head_name(*place) for place in sorted(map(place_of, proposal.value))]
        return proposal.value

    @property
    def copying(self) -> dict[str, np.ndarray]:
        """Loss of the second round and mean induction score of the watched heads, a number a text.

        "loss" and "score" are the whole model's, "deleted.loss" and "deleted.score" those without the heads.
        """
        places = [place_of(head) for head in self.deleted]
        if self.model == "smollm2":
            return recorded_copying(places, self.ablation)
        return live_copying(places, self.ablation)

    def fallback(self) -> str:
        """Loss and score of each text, with the heads and without them."""
        without = " − " + " − ".join(self.deleted) if self.deleted else ""
        found = self.copying
        rows = {
            "loss": "loss",
            f"loss{without}": "deleted.loss",
            "score": "score",
            f"score{without}": "deleted.score",
        }
        values = [[found[key].mean(), *found[key]] for key in rows.values()]
        columns = ["mean", *(str(n + 1) for n in range(len(values[0]) - 1))]
        return matrix_table(f"{self.model} ({self.ablation})", values, rows=list(rows), columns=columns)
