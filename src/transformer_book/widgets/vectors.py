"""VectorExplorer: a query and keys as arrows, and the score as a product of lengths (section 2)."""

import numpy as np
import traitlets

from ..checks.messages import must_be
from ..equations import queries_keys_values, softmax, worked_example
from .explorer import Explorer
from .fallback import matrix_table
from .traits import Matrix, Vector

REACH = 4
MOST_KEYS = 6

_Q, _K, _ = queries_keys_values(*worked_example())


class VectorExplorer(Explorer):
    """One query q (2,) and the keys K (2, M), M up to 6, entries up to 4 in size: arrows to drag.

    key: the key whose shadow on the query is drawn, 1 … M. Starts with the first query of the worked example
    of section 2. Raises TraitError for values that do not fit together.
    """

    kind = "vectors"
    state_names = ("q", "K", "key")

    q = Vector(_Q[:, 0]).tag(sync=True)
    K = Matrix(_K).tag(sync=True)
    key = traitlets.Int(3, min=1, max=MOST_KEYS).tag(sync=True)

    @traitlets.validate(*state_names)
    def _check_fit(self, proposal):
        state = {**self.state(), proposal.trait.name: proposal.value}
        shapes = np.shape(state["q"]), np.shape(state["K"])
        if shapes[0] != (2,):
            raise traitlets.TraitError(must_be("q", "2 numbers", state["q"]))
        if shapes[1][0] != 2 or shapes[1][1] > MOST_KEYS:
            raise traitlets.TraitError(must_be("K", f"2 rows and 1 to {MOST_KEYS} columns", state["K"]))
        if np.abs(np.column_stack([state["q"], state["K"]])).max() > REACH:
            name = proposal.trait.name
            raise traitlets.TraitError(must_be(name, f"numbers of at most {REACH} in size", state[name]))
        if state["key"] > shapes[1][1]:
            raise traitlets.TraitError(must_be("key", f"1 … {shapes[1][1]}", state["key"]))
        return proposal.value

    @property
    def scores(self) -> np.ndarray:
        """Scores (M,): the dot product of each key with the query."""
        return np.array(self.q) @ np.array(self.K)

    @property
    def shadows(self) -> np.ndarray:
        """Lengths (M,) of the keys' shadows on the query, negative where they point away from it."""
        length = np.linalg.norm(self.q)
        return self.scores / length if length else np.zeros(len(self.scores))

    @property
    def weights(self) -> np.ndarray:
        """Softmax of the scores, (M,)."""
        return softmax(self.scores[:, None])[:, 0]

    def fallback(self) -> str:
        """Query, keys, scores and weights."""
        keys = [f"k_{m + 1}" for m in range(len(self.scores))]
        tables = (
            matrix_table("q", [[x] for x in self.q], columns=["q"]),
            matrix_table("K", self.K, columns=keys),
            matrix_table("s", [self.scores], rows=["s"], columns=keys),
            matrix_table("a", [self.weights], rows=["a"], columns=keys),
        )
        return "\n".join(tables)
