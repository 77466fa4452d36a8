"""The Transformer layer (12.9) and the parts it is made of."""

from transformer_book.layers.mlp import MLP, GatedMLP, make_mlp
from transformer_book.layers.norms import make_norm
from transformer_book.layers.transformer import LayerResult, TransformerLayer

__all__ = ["MLP", "GatedMLP", "LayerResult", "TransformerLayer", "make_mlp", "make_norm"]
