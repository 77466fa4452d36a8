"""Whole Transformers from one small config each: encoder, decoder, encoder-decoder, Vision Transformer.

`Decoder(GPT2_SMALL)` is GPT-2 small with random weights; `build(config)` finds the class for a config, and
`build(config, device="meta")` makes a model of any size without allocating it.
"""

from transformer_book.models.build import build
from transformer_book.models.config import (
    DecoderConfig,
    EncoderConfig,
    EncoderDecoderConfig,
    TransformerConfig,
    VisionConfig,
)
from transformer_book.models.decoder import Decoder, DecoderOutput
from transformer_book.models.encoder import Encoder, EncoderOutput
from transformer_book.models.encoder_decoder import ConditionedDecoder, EncoderDecoder, EncoderDecoderOutput
from transformer_book.models.output import chunked_cross_entropy, vocabulary_logits
from transformer_book.models.sizes import (
    BERT_BASE,
    BERT_LARGE,
    GPT2_LARGE,
    GPT2_MEDIUM,
    GPT2_SMALL,
    GPT2_XL,
    GPT3_175B,
    MINILM_L6,
    NAMED,
    SMOLLM2_135M,
    TRANSFORMER_BASE,
    TRANSFORMER_BIG,
    VIT_B16,
    VIT_L16,
)
from transformer_book.models.vision import VisionOutput, VisionTransformer, image_patches

__all__ = [
    "BERT_BASE",
    "BERT_LARGE",
    "GPT2_LARGE",
    "GPT2_MEDIUM",
    "GPT2_SMALL",
    "GPT2_XL",
    "GPT3_175B",
    "MINILM_L6",
    "NAMED",
    "SMOLLM2_135M",
    "TRANSFORMER_BASE",
    "TRANSFORMER_BIG",
    "VIT_B16",
    "VIT_L16",
    "ConditionedDecoder",
    "Decoder",
    "DecoderConfig",
    "DecoderOutput",
    "Encoder",
    "EncoderConfig",
    "EncoderDecoder",
    "EncoderDecoderConfig",
    "EncoderDecoderOutput",
    "EncoderOutput",
    "TransformerConfig",
    "VisionConfig",
    "VisionOutput",
    "VisionTransformer",
    "build",
    "chunked_cross_entropy",
    "image_patches",
    "vocabulary_logits",
]
