"""The book's figures, fed by the other rooms.

Labels are symbols and numbers, so that an edition in any language can share them.
"""

from .accuracy_figure import accuracy_figure
from .activation_figure import activation_figure
from .attention_figure import attention_figure
from .code_similarity_figure import code_similarity_figure
from .cost_figure import cost_figure
from .diagrams import (
    attention_flow_figure,
    columns_figure,
    growing_cache_figure,
    masks_figure,
    shadow_figure,
    shapes_figure,
    stacked_heads_figure,
    tiling_figure,
    turn_figure,
    wiring_figure,
)
from .gradient_figure import gradient_figure
from .head_dots_figure import head_dots_figure
from .head_map_figure import head_map_figure
from .layer_figure import layer_figure
from .loss_figure import loss_figure
from .patch_figure import patch_figure
from .picture import Picture
from .position_code_figure import position_code_figure
from .query_gradient_figure import query_gradient_figure
from .scaling_figure import scaling_figure
from .subject_head_figure import subject_head_figure
from .token_weights_figure import token_weights_figure
from .weights_table import WeightsTable

__all__ = [
    "Picture",
    "WeightsTable",
    "accuracy_figure",
    "activation_figure",
    "attention_figure",
    "attention_flow_figure",
    "code_similarity_figure",
    "columns_figure",
    "cost_figure",
    "gradient_figure",
    "growing_cache_figure",
    "head_dots_figure",
    "head_map_figure",
    "layer_figure",
    "loss_figure",
    "masks_figure",
    "patch_figure",
    "position_code_figure",
    "query_gradient_figure",
    "scaling_figure",
    "shadow_figure",
    "shapes_figure",
    "stacked_heads_figure",
    "subject_head_figure",
    "tiling_figure",
    "token_weights_figure",
    "turn_figure",
    "wiring_figure",
]
