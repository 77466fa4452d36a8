"""Published sizes under their names. Their exact parameter counts stand in `accounting.PUBLISHED`."""

from transformer_book.models.config import DecoderConfig, EncoderConfig, EncoderDecoderConfig, VisionConfig


def _gpt2(dim, num_layers, num_heads, context_length=1024):
    return DecoderConfig(
        vocabulary_size=50_257,
        context_length=context_length,
        dim=dim,
        num_layers=num_layers,
        num_heads=num_heads,
    )


GPT2_SMALL = _gpt2(768, 12, 12)
GPT2_MEDIUM = _gpt2(1024, 24, 16)
GPT2_LARGE = _gpt2(1280, 36, 20)
GPT2_XL = _gpt2(1600, 48, 25)
GPT3_175B = _gpt2(12_288, 96, 96, context_length=2048)

BERT_BASE = EncoderConfig(vocabulary_size=30_522, context_length=512, dim=768, num_layers=12, num_heads=12)
BERT_LARGE = EncoderConfig(vocabulary_size=30_522, context_length=512, dim=1024, num_layers=24, num_heads=16)
MINILM_L6 = EncoderConfig(vocabulary_size=30_522, context_length=512, dim=384, num_layers=6, num_heads=12)


def _transformer_2017(dim, num_heads):
    # tensor2tensor, the authors' code, has no biases in attention; the paper gives "about 37000" shared
    # tokens.
    return EncoderDecoderConfig(
        vocabulary_size=37_000, dim=dim, num_layers=6, num_heads=num_heads, attention_bias=False
    )


TRANSFORMER_BASE = _transformer_2017(512, 8)
TRANSFORMER_BIG = _transformer_2017(1024, 16)


def _vit(dim, num_layers, num_heads):
    return VisionConfig(
        image_size=224, patch_size=16, num_classes=1000, dim=dim, num_layers=num_layers, num_heads=num_heads
    )


VIT_B16 = _vit(768, 12, 12)
VIT_L16 = _vit(1024, 24, 16)

SMOLLM2_135M = DecoderConfig(
    vocabulary_size=49_152,
    context_length=8192,
    dim=576,
    num_layers=30,
    num_heads=9,
    num_kv_heads=3,
    mlp_dim=1536,
    mlp="swiglu",
    norm="rms",
    norm_epsilon=1e-5,
    attention_bias=False,
    mlp_bias=False,
    positions="rotary",
    rope_base=100_000.0,
    rope_pairing="halves",
)

NAMED = {
    "gpt2-small": GPT2_SMALL,
    "gpt2-medium": GPT2_MEDIUM,
    "gpt2-large": GPT2_LARGE,
    "gpt2-xl": GPT2_XL,
    "gpt3-175b": GPT3_175B,
    "bert-base": BERT_BASE,
    "bert-large": BERT_LARGE,
    "transformer-base": TRANSFORMER_BASE,
    "transformer-big": TRANSFORMER_BIG,
    "vit-b16": VIT_B16,
    "vit-l16": VIT_L16,
    "smollm2-135m": SMOLLM2_135M,
    "minilm-l6": MINILM_L6,
}
