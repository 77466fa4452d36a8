"""Explorers: widgets that compute in the page itself, live in Jupyter and on the site without a kernel."""

from .attention import AttentionExplorer
from .generation import GenerationExplorer
from .heads import HeadExplorer
from .position import PositionExplorer
from .scaling import ScalingExplorer

__all__ = [
    "AttentionExplorer",
    "GenerationExplorer",
    "HeadExplorer",
    "PositionExplorer",
    "ScalingExplorer",
]
