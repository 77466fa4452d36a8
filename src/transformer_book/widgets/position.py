"""PositionExplorer: sinusoidal codes as clock hands and as a heat map (section 5)."""

import numpy as np
import traitlets

from ..equations import sinusoidal
from .explorer import Explorer
from .fallback import matrix_table

LAST_POSITION = 63


class PositionExplorer(Explorer):
    """Positions 0 … 63 as sinusoidal codes (equation 12.6).

    size: D of the codes, 2, 4, 8 or 16; position: p of the code in view.
    """

    kind = "position"
    state_names = ("size", "position")

    size = traitlets.Enum((2, 4, 8, 16), 4).tag(sync=True)
    position = traitlets.Int(1, min=0, max=LAST_POSITION).tag(sync=True)

    @property
    def encoding(self) -> np.ndarray:
        """Codes of positions 0 … 63: (D, 64), one position per column."""
        return sinusoidal(np.arange(LAST_POSITION + 1.0), self.size)

    def fallback(self) -> str:
        """The code of the position in view."""
        code = self.encoding[:, [self.position]].T
        return matrix_table(f"PE<sub>{self.position}</sub>", code, rows=["p"])
