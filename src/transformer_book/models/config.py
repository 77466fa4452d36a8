"""What there is to choose in a Transformer: one small frozen dataclass for each kind of model."""

from dataclasses import dataclass, fields

from transformer_book.attention import FORMS
from transformer_book.attention.attention_checks import check_heads, check_scale
from transformer_book.checks.numbers import (
    check_choice,
    check_dropout,
    check_not_negative,
    check_positive,
    check_whole,
)
from transformer_book.layers.mlp import MLP_KINDS
from transformer_book.layers.norms import NORMS
from transformer_book.layers.transformer import PLACEMENTS
from transformer_book.positions import PAIRINGS, check_pairs

POSITIONS = ("learned", "sinusoidal", "rotary", "none")
CHOICES = {
    "mlp": MLP_KINDS,
    "norm": NORMS,
    "norm_placement": PLACEMENTS,
    "form": FORMS,
    "positions": POSITIONS,
    "rope_pairing": PAIRINGS,
}
MAY_BE_ZERO = ("token_types", "num_classes")


@dataclass(frozen=True, kw_only=True)
class TransformerConfig:
    """The choices every kind shares: the layer's sizes and forms (see `layers.TransformerLayer`).

    dim: D. num_layers, num_heads: how many. num_kv_heads, head_dim, mlp_dim: num_heads, D / H and 4D unless
    given. Raises ValueError, naming the field, for a name that does not exist, a size that is no whole number
    of at least 1, or numbers that do not go together.
    """

    dim: int
    num_layers: int
    num_heads: int
    num_kv_heads: int | None = None
    head_dim: int | None = None
    mlp_dim: int | None = None
    mlp: str = "gelu"
    norm: str = "layer"
    norm_placement: str = "pre"
    norm_epsilon: float = 1e-5
    attention_bias: bool = True
    mlp_bias: bool = True
    scale: bool | float = True
    dropout: float = 0.0
    form: str = "fused"

    def __post_init__(self):
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in CHOICES:
                check_choice(field.name, value, CHOICES[field.name])
            elif field.type is bool and not isinstance(value, bool):
                raise ValueError(f"{field.name} is {value!r}, expected True or False")
            elif field.type is int or (field.type == int | None and value is not None):
                check_whole(field.name, value, least=0 if field.name in MAY_BE_ZERO else 1)
        check_heads(self.dim, self.num_heads, self.num_kv_heads, self.head_dim)
        check_scale(self.scale)
        check_dropout(self.dropout)
        check_not_negative("norm_epsilon", self.norm_epsilon)
        check_positive("rope_base", getattr(self, "rope_base", 1.0))
        if getattr(self, "positions", None) == "sinusoidal":
            check_pairs("dim", self.dim)
        if getattr(self, "positions", None) == "rotary":
            check_pairs("head_dim", self.size_of_head)

    @property
    def size_of_head(self) -> int:
        return self.dim // self.num_heads if self.head_dim is None else self.head_dim

    @property
    def kv_heads(self) -> int:
        return self.num_heads if self.num_kv_heads is None else self.num_kv_heads

    @property
    def size_of_mlp(self) -> int:
        return 4 * self.dim if self.mlp_dim is None else self.mlp_dim

    def layer_options(self) -> dict:
        """Arguments of `TransformerLayer`."""
        names = (
            "dim num_heads num_kv_heads head_dim mlp_dim mlp norm norm_placement norm_epsilon "
            "attention_bias mlp_bias scale dropout form"
        )
        return {name: getattr(self, name) for name in names.split()}


@dataclass(frozen=True, kw_only=True)
class DecoderConfig(TransformerConfig):
    """A decoder that predicts the next token: GPT-2's form by default, Llama's with rotary, rms and swiglu.

    context_length: most tokens in a text. tie_output: the output layer is the token embedding (weight tying).
    window: each position sees itself and window - 1 before it; None: all of them. rope_base, rope_pairing: of
    rotary positions (see `positions.rotary_angles`). embedding_scale: multiply token embeddings by √D.
    """

    vocabulary_size: int
    context_length: int
    positions: str = "learned"
    rope_base: float = 10_000.0
    rope_pairing: str = "neighbours"
    window: int | None = None
    tie_output: bool = True
    embedding_scale: bool = False
    mlp: str = "gelu_tanh"


@dataclass(frozen=True, kw_only=True)
class EncoderConfig(TransformerConfig):
    """An encoder: BERT's form by default (post-norm, a norm on the embedding, token types, a pooler).

    token_types: how many sentence types, 0 for none. pooler: a tanh map of the first token's vector.
    masked_lm_head: predict masked tokens (map, GELU, norm, the tied embedding and a bias). The other choices
    are those of `DecoderConfig`.
    """

    vocabulary_size: int
    context_length: int
    positions: str = "learned"
    token_types: int = 2
    embedding_norm: bool = True
    embedding_scale: bool = False
    pooler: bool = True
    masked_lm_head: bool = False
    norm_placement: str = "post"
    norm_epsilon: float = 1e-12
    rope_base: float = 10_000.0
    rope_pairing: str = "neighbours"


@dataclass(frozen=True, kw_only=True)
class EncoderDecoderConfig(TransformerConfig):
    """An encoder-decoder: the form of 2017 by default (post-norm, ReLU, sinusoidal, one shared embedding).

    vocabulary_size: tokens of source and target together, or of the source alone when target_vocabulary_size
    is given (then the target has its own embedding). The output layer is the target's embedding. num_layers:
    of each half.
    """

    vocabulary_size: int
    target_vocabulary_size: int | None = None
    context_length: int = 1024
    positions: str = "sinusoidal"
    embedding_scale: bool = True
    norm_placement: str = "post"
    mlp: str = "relu"
    rope_base: float = 10_000.0
    rope_pairing: str = "neighbours"


@dataclass(frozen=True, kw_only=True)
class VisionConfig(TransformerConfig):
    """A Vision Transformer: square patches, a class token, learned positions, pre-norm (section 9).

    image_size, patch_size: pixels a side. num_classes: scores of the head; 0 for no head. channels: numbers a
    pixel.
    """

    image_size: int
    patch_size: int
    num_classes: int
    channels: int = 3
    norm_epsilon: float = 1e-6

    def __post_init__(self):
        super().__post_init__()
        if self.image_size % self.patch_size:
            raise ValueError(
                f"image_size is {self.image_size}, which patch_size = {self.patch_size} does not divide"
            )

    @property
    def num_patches(self) -> int:
        return (self.image_size // self.patch_size) ** 2

    @property
    def patch_dim(self) -> int:
        return self.channels * self.patch_size**2
