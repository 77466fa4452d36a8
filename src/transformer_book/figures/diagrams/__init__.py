"""The teacher's pictures: what is drawn at a board, drawn from real arrays. One file a picture."""

from .attention_flow_figure import attention_flow_figure
from .columns_figure import columns_figure
from .growing_cache_figure import growing_cache_figure
from .masks_figure import masks_figure
from .shadow_figure import shadow_figure
from .shapes_figure import shapes_figure
from .stacked_heads_figure import stacked_heads_figure
from .tiling_figure import tiling_figure
from .turn_figure import turn_figure
from .wiring_figure import wiring_figure

__all__ = [
    "attention_flow_figure",
    "columns_figure",
    "growing_cache_figure",
    "masks_figure",
    "shadow_figure",
    "shapes_figure",
    "stacked_heads_figure",
    "tiling_figure",
    "turn_figure",
    "wiring_figure",
]
