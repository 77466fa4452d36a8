"""PositionExplorer: sinusoidal codes as clock hands, rotary scores that depend on the offset (section 5)."""

import numpy as np
import traitlets

from ..equations import rope_scores, sinusoidal
from .explorer import Explorer
from .fallback import matrix_table
from .traits import Vector

LAST_POSITION = 63


class PositionExplorer(Explorer):
    """Positions 0 … 63 as sinusoidal codes and as rotations (equations 12.6, 12.7).

    size: D of the codes, 2, 4, 8 or 16; position: p of the code in view;
    q, k: a query and a key with 2, 4, 6 or 8 entries; n, m: their positions.
    """

    kind = "position"
    state_names = ("size", "position", "q", "k", "n", "m")

    size = traitlets.Enum((2, 4, 8, 16), 4).tag(sync=True)
    position = traitlets.Int(1, min=0, max=LAST_POSITION).tag(sync=True)
    q = Vector((1, 0, 0.6, 0.8)).tag(sync=True)
    k = Vector((0.8, 0.6, 1, 0)).tag(sync=True)
    n = traitlets.Int(5, min=0, max=LAST_POSITION).tag(sync=True)
    m = traitlets.Int(3, min=0, max=LAST_POSITION).tag(sync=True)

    @traitlets.validate("q", "k")
    def _check_vectors(self, proposal):
        other = self.k if proposal.trait.name == "q" else self.q
        size = len(proposal.value)
        if size != len(other) or size % 2 or size > 8:
            raise traitlets.TraitError(
                f"{proposal.trait.name} must have 2, 4, 6 or 8 entries, as many as the other one; got {size}."
            )
        return proposal.value

    @property
    def encoding(self) -> np.ndarray:
        """Codes of positions 0 … 63: (D, 64), one position per column."""
        return sinusoidal(np.arange(LAST_POSITION + 1.0), self.size)

    @property
    def score(self) -> float:
        """Score of the query at n against the key at m, both rotated."""
        columns = (np.array(vector)[:, None] for vector in (self.q, self.k))
        return float(rope_scores(*columns, np.array([self.n]), np.array([self.m]))[0, 0])

    def fallback(self) -> str:
        """The code of the position in view and the score."""
        code = matrix_table(f"PE<sub>{self.position}</sub>", self.encoding[:, [self.position]].T, rows=["p"])
        vectors = matrix_table("q, k", [self.q, self.k], rows=[f"q, n = {self.n}", f"k, m = {self.m}"])
        score = matrix_table("s", [[self.score]], rows=[f"n - m = {self.n - self.m}"])
        return "\n".join((code, vectors, score))
