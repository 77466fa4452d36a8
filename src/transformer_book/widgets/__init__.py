"""Explorers: widgets that compute in the page itself, live in Jupyter and on the site without a kernel."""

from .attention import AttentionExplorer
from .circuit import CircuitExplorer
from .digits import DigitsExplorer
from .generation import GenerationExplorer
from .heads import HeadExplorer
from .position import PositionExplorer
from .rotary import RotaryExplorer
from .scaling import ScalingExplorer
from .training import TrainingExplorer
from .translation import TranslationExplorer
from .vectors import VectorExplorer
from .weights import WeightsExplorer

__all__ = [
    "AttentionExplorer",
    "CircuitExplorer",
    "DigitsExplorer",
    "GenerationExplorer",
    "HeadExplorer",
    "PositionExplorer",
    "RotaryExplorer",
    "ScalingExplorer",
    "TrainingExplorer",
    "TranslationExplorer",
    "VectorExplorer",
    "WeightsExplorer",
]
