"""Equations 12.1 to 12.9 in the book's column notation, on NumPy arrays and torch tensors alike.

X is D x N, one token per column; scores and weights have keys as rows and queries as columns.

| equation | function |
|---|---|
| 12.1 | `attention` |
| 12.2 | `queries_keys_values` |
| 12.3 | `self_attention` |
| 12.4 | `sample_scores`, `variance_of_scores` |
| 12.5 | `scaled_self_attention` |
| 12.6 | `sinusoidal` |
| 12.7 | `rope_scores` |
| 12.8 | `multi_head` |
| 12.9 | `layer` |
"""

from .attention import (
    Attention,
    attention,
    queries_keys_values,
    rows_from_columns,
    scaled_self_attention,
    self_attention,
)
from .layer import Layer, LayerParameters, gelu, layer, layer_norm, mlp
from .multi_head import Head, MultiHead, multi_head
from .positions import frequencies, rope_scores, rotate, rotation, sinusoidal
from .score_variance import Estimate, largest_weight, sample_scores, sample_scores_by_law, variance_of_scores
from .softmax import causal_mask, softmax
from .worked_example import WorkedExample, worked_example

__all__ = [
    "Attention",
    "Estimate",
    "Head",
    "Layer",
    "LayerParameters",
    "MultiHead",
    "WorkedExample",
    "attention",
    "causal_mask",
    "frequencies",
    "gelu",
    "largest_weight",
    "layer",
    "layer_norm",
    "mlp",
    "multi_head",
    "queries_keys_values",
    "rope_scores",
    "rotate",
    "rotation",
    "rows_from_columns",
    "sample_scores",
    "sample_scores_by_law",
    "scaled_self_attention",
    "self_attention",
    "sinusoidal",
    "softmax",
    "variance_of_scores",
    "worked_example",
]
