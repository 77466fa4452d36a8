"""Explorers: widgets that compute in the page itself, live in Jupyter and on the static site without a kernel."""

from .attention import AttentionExplorer
from .scaling import ScalingExplorer

__all__ = ["AttentionExplorer", "ScalingExplorer"]
