"""RotaryExplorer: a query and a key turned by their positions, and their score (section 5)."""

import numpy as np
import traitlets

from ..equations import rope_scores
from .explorer import Explorer
from .fallback import matrix_table
from .position import LAST_POSITION
from .traits import Vector


class RotaryExplorer(Explorer):
    """A score that depends on the offset of two positions alone (equation 12.7).

    q, k: a query and a key with 2, 4, 6 or 8 entries; n, m: their positions, 0 … 63.
    """

    kind = "rotary"
    state_names = ("q", "k", "n", "m")

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
    def score(self) -> float:
        """Score of the query at n against the key at m, both rotated."""
        columns = (np.array(vector)[:, None] for vector in (self.q, self.k))
        return float(rope_scores(*columns, np.array([self.n]), np.array([self.m]))[0, 0])

    def fallback(self) -> str:
        """The vectors and their score."""
        vectors = matrix_table("q, k", [self.q, self.k], rows=[f"q, n = {self.n}", f"k, m = {self.m}"])
        score = matrix_table("s", [[self.score]], rows=[f"n - m = {self.n - self.m}"])
        return "\n".join((vectors, score))
