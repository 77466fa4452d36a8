"""What there is to choose in a Transformer: one small frozen dataclass for each kind of model."""

from dataclasses import dataclass

from transformer_book.attention import FORMS
from transformer_book.attention.attention_checks import check_heads, check_scale
from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import (
    check_boolean,
    check_choice,
    check_dropout,
    check_even,
    check_not_negative,
    check_positive,
    check_whole,
)
from transformer_book.layers.mlp import MLP_KINDS
from transformer_book.layers.norms import NORMS
from transformer_book.layers.transformer import PLACEMENTS
from transformer_book.positions import PAIRINGS

POSITIONS = ("learned", "sinusoidal", "rotary", "none")


@dataclass(frozen=True, kw_only=True)
class TransformerConfig:
    """The choices every kind shares: the layer's sizes and forms (see `layers.TransformerLayer`).

    dim: D. num_layers, num_heads: how many. num_kv_heads, head_dim, mlp_dim: num_heads, D / H and 4D unless
    given. Raises ValueError, naming the field, for a name that does not exist, a size that is not a whole
    number of at least 1, or numbers that do not go together.
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
        check_heads(self.dim, self.num_heads, self.num_kv_heads, self.head_dim)
        check_whole("num_layers", self.num_layers)
        check_whole("mlp_dim", self.size_of_mlp)
        check_choice("mlp", self.mlp, MLP_KINDS)
        check_choice("norm", self.norm, NORMS)
        check_choice("norm_placement", self.norm_placement, PLACEMENTS)
        check_not_negative("norm_epsilon", self.norm_epsilon)
        check_boolean("attention_bias", self.attention_bias)
        check_boolean("mlp_bias", self.mlp_bias)
        check_scale(self.scale)
        check_dropout(self.dropout)
        check_choice("form", self.form, FORMS)

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
class TextConfig(TransformerConfig):
    """The choices of the kinds that read tokens.

    vocabulary_size: different tokens. context_length: most tokens in a text. positions: one of POSITIONS.
    rope_base, rope_pairing: of rotary positions (see `positions.rotary_angles`). embedding_scale: multiply
    token embeddings by √D.
    """

    vocabulary_size: int
    context_length: int
    positions: str = "learned"
    rope_base: float = 10_000.0
    rope_pairing: str = "neighbours"
    embedding_scale: bool = False

    def __post_init__(self):
        super().__post_init__()
        check_whole("vocabulary_size", self.vocabulary_size)
        check_whole("context_length", self.context_length)
        check_choice("positions", self.positions, POSITIONS)
        check_positive("rope_base", self.rope_base)
        check_choice("rope_pairing", self.rope_pairing, PAIRINGS)
        check_boolean("embedding_scale", self.embedding_scale)
        if self.positions == "sinusoidal":
            check_even("dim", self.dim)
        if self.positions == "rotary":
            check_even("head_dim", self.size_of_head)


@dataclass(frozen=True, kw_only=True)
class DecoderConfig(TextConfig):
    """A decoder that predicts the next token: GPT-2's form by default, Llama's with rotary, rms and swiglu.

    window: each position sees itself and window - 1 before it; None: all of them. tie_output: the output
    layer is the token embedding (weight tying). The other choices are those of `TextConfig`.
    """

    window: int | None = None
    tie_output: bool = True
    mlp: str = "gelu_tanh"

    def __post_init__(self):
        super().__post_init__()
        check_boolean("tie_output", self.tie_output)
        if self.window is not None:
            check_whole("window", self.window)


@dataclass(frozen=True, kw_only=True)
class EncoderConfig(TextConfig):
    """An encoder: BERT's form by default (post-norm, a norm on the embedding, token types, a pooler).

    token_types: how many sentence types, 0 for none. pooler: a tanh map of the first token's vector.
    masked_lm_head: predict masked tokens (map, GELU, norm, the tied embedding and a bias). The other choices
    are those of `TextConfig`.
    """

    token_types: int = 2
    embedding_norm: bool = True
    pooler: bool = True
    masked_lm_head: bool = False
    norm_placement: str = "post"
    norm_epsilon: float = 1e-12

    def __post_init__(self):
        super().__post_init__()
        check_whole("token_types", self.token_types, least=0)
        check_boolean("embedding_norm", self.embedding_norm)
        check_boolean("pooler", self.pooler)
        check_boolean("masked_lm_head", self.masked_lm_head)


@dataclass(frozen=True, kw_only=True)
class EncoderDecoderConfig(TextConfig):
    """An encoder-decoder: the form of 2017 by default (post-norm, ReLU, sinusoidal, one shared embedding).

    vocabulary_size: tokens of source and target together, or of the source alone when target_vocabulary_size
    is given (then the target has its own embedding). The output layer is the target's embedding. num_layers:
    of each half. The other choices are those of `TextConfig`.
    """

    target_vocabulary_size: int | None = None
    context_length: int = 1024
    positions: str = "sinusoidal"
    embedding_scale: bool = True
    norm_placement: str = "post"
    mlp: str = "relu"

    def __post_init__(self):
        super().__post_init__()
        if self.target_vocabulary_size is not None:
            check_whole("target_vocabulary_size", self.target_vocabulary_size)


@dataclass(frozen=True, kw_only=True)
class VisionConfig(TransformerConfig):
    """A Vision Transformer: square patches, a class token, learned positions, pre-norm (section 9).

    image_size, patch_size: pixels per side. num_classes: scores of the head; 0 for no head. channels: numbers
    per pixel.
    """

    image_size: int
    patch_size: int
    num_classes: int
    channels: int = 3
    norm_epsilon: float = 1e-6

    def __post_init__(self):
        super().__post_init__()
        check_whole("image_size", self.image_size)
        check_whole("patch_size", self.patch_size)
        check_whole("num_classes", self.num_classes, least=0)
        check_whole("channels", self.channels)
        if self.image_size % self.patch_size:
            wanted = f"a multiple of patch_size = {self.patch_size}"
            raise ValueError(must_be("image_size", wanted, self.image_size))

    @property
    def num_patches(self) -> int:
        return (self.image_size // self.patch_size) ** 2

    @property
    def patch_dim(self) -> int:
        return self.channels * self.patch_size**2
