"""ScalingExplorer: what dividing by the square root of D_q does to the weights of 16 keys (section 4)."""

import numpy as np
import traitlets

from ..equations import attention
from .explorer import Explorer
from .fallback import matrix_table
from .scaling_draws import KEYS, LARGEST_DIMENSION, MOST_DRAWS, draw_vectors


class ScalingExplorer(Explorer):
    """One query and 16 keys of random entries, drawn again and again (equations 12.4, 12.5).

    dimension: D_q, 1 … 1,024; seed: of the draws; draws: how many were made, 1 … 200. The last one is shown,
    unscaled and scaled; the running means are over all.
    """

    kind = "scaling"
    state_names = ("dimension", "seed", "draws")

    dimension = traitlets.Int(64, min=1, max=LARGEST_DIMENSION).tag(sync=True)
    seed = traitlets.Int(12, min=0, max=10**6).tag(sync=True)
    draws = traitlets.Int(20, min=1, max=MOST_DRAWS).tag(sync=True)

    def weights_of_draw(self, draw: int, *, scaled: bool) -> np.ndarray:
        """The 16 attention weights of draw 1 … `draws`."""
        q, K = draw_vectors(self.seed, draw - 1, self.dimension)
        return attention(q[:, None], K, np.eye(KEYS), scaled=scaled).weights[:, 0]

    @property
    def weights(self) -> np.ndarray:
        """Weights of the last draw: (2, 16), unscaled and scaled."""
        return np.stack([self.weights_of_draw(self.draws, scaled=scaled) for scaled in (False, True)])

    @property
    def running_means(self) -> np.ndarray:
        """Mean of the largest weight over the first 1, 2, … draws: (2, draws), unscaled and scaled."""
        largest = [
            [self.weights_of_draw(draw, scaled=scaled).max() for draw in range(1, self.draws + 1)]
            for scaled in (False, True)
        ]
        return np.cumsum(largest, axis=1) / np.arange(1, self.draws + 1)

    @property
    def gradients(self) -> np.ndarray:
        """Trace of ∂a/∂s = diag(a) - a aᵀ, Σ a_m (1 - a_m), for the last draw: unscaled and scaled."""
        return (self.weights * (1 - self.weights)).sum(axis=1)

    def fallback(self) -> str:
        """The weights of the last draw, largest first, and the running means."""
        order = np.argsort(-self.weights[0], kind="stable")
        columns = ["D<sub>q</sub> = " + str(self.dimension)]
        root = f"s / √{self.dimension}"
        weights = matrix_table(
            f"{columns[0]}, a", self.weights[:, order], rows=["s", root], columns=[str(m + 1) for m in order]
        )
        means = matrix_table(
            f"max a, {self.draws}", self.running_means[:, -1:], rows=["s", root], columns=[str(self.draws)]
        )
        return weights + "\n" + means
