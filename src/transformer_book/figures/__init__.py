"""The book's figures, fed by the other rooms.

Labels are symbols and numbers, so that an edition in any language can share them.
"""

from .attention_figure import attention_figure
from .cost_figure import cost_figure
from .layer_figure import layer_figure
from .picture import Picture
from .scaling_figure import scaling_figure

__all__ = ["Picture", "attention_figure", "cost_figure", "layer_figure", "scaling_figure"]
