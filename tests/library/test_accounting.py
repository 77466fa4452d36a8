"""Parameters and multiply-adds: the formula equals the count, exactly, for every named model."""

import pytest
import torch
import transformers

from transformer_book import models
from transformer_book.accounting import (
    PUBLISHED,
    Polynomial,
    count_multiply_adds,
    count_parameters,
    counted_parameter_table,
    fit_polynomial,
    gradient_norms,
    multiply_adds,
    parameter_table,
    peak_memory,
)
from transformer_book.attention import FORMS, MultiHeadAttention
from transformer_book.layers import MLP, TransformerLayer
from transformer_book.models import (
    GPT2_SMALL,
    NAMED,
    Decoder,
    DecoderConfig,
    EncoderConfig,
    EncoderDecoderConfig,
    VisionConfig,
    build,
)

SMALL = {"dim": 24, "num_layers": 3, "num_heads": 4}
TEXT = {"vocabulary_size": 31, "context_length": 19}
VARIANTS = {
    "untied": DecoderConfig(**SMALL, **TEXT, tie_output=False, mlp_bias=False),
    "llama": DecoderConfig(
        **SMALL, **TEXT, num_kv_heads=2, head_dim=10, mlp_dim=50, mlp="swiglu", norm="rms", positions="rotary"
    ),
    "gated with biases": DecoderConfig(**SMALL, **TEXT, mlp="swiglu", norm_placement="post"),
    "attention alone": DecoderConfig(**SMALL, **TEXT, mlp="none"),
    "masked lm": EncoderConfig(**SMALL, **TEXT, masked_lm_head=True, pooler=False, token_types=3),
    "pre-norm encoder": EncoderConfig(
        **SMALL, **TEXT, norm_placement="pre", embedding_norm=False, token_types=0
    ),
    "two vocabularies": EncoderDecoderConfig(
        **SMALL, **TEXT, target_vocabulary_size=41, positions="learned", norm_placement="pre"
    ),
    "small vit": VisionConfig(**SMALL, image_size=12, patch_size=3, channels=2, num_classes=5),
    "headless vit": VisionConfig(**SMALL, image_size=12, patch_size=4, num_classes=0),
}
EVERY = {**NAMED, **VARIANTS}
REFERENCES = {
    "gpt2-small": transformers.GPT2Config(),
    "gpt2-medium": transformers.GPT2Config(n_embd=1024, n_layer=24, n_head=16),
    "gpt2-large": transformers.GPT2Config(n_embd=1280, n_layer=36, n_head=20),
    "gpt2-xl": transformers.GPT2Config(n_embd=1600, n_layer=48, n_head=25),
    "bert-base": transformers.BertConfig(),
    "bert-large": transformers.BertConfig(
        hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096
    ),
    "minilm-l6": transformers.BertConfig(
        hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536
    ),
    "vit-b16": transformers.ViTConfig(num_labels=1000),
    "vit-l16": transformers.ViTConfig(
        num_labels=1000,
        hidden_size=1024,
        num_hidden_layers=24,
        num_attention_heads=16,
        intermediate_size=4096,
    ),
    "smollm2-135m": transformers.LlamaConfig(
        vocab_size=49_152,
        hidden_size=576,
        intermediate_size=1536,
        num_hidden_layers=30,
        num_attention_heads=9,
        num_key_value_heads=3,
        tie_word_embeddings=True,
    ),
}
CLASSES = {
    "gpt2": transformers.GPT2LMHeadModel,
    "bert": transformers.BertModel,
    "vit": transformers.ViTForImageClassification,
    "llama": transformers.LlamaForCausalLM,
}


def on_meta(config):
    return build(config, device="meta")


def inputs(config, length, device="meta"):
    if isinstance(config, VisionConfig):
        return [torch.zeros(1, config.channels, config.image_size, config.image_size, device=device)]
    tokens = torch.zeros(1, length, dtype=torch.long, device=device)
    return [tokens, tokens[:, :-3]] if isinstance(config, EncoderDecoderConfig) else [tokens]


def by_formula(config, length):
    if isinstance(config, EncoderDecoderConfig):
        return multiply_adds(config, length, target_length=length - 3)
    return multiply_adds(config, length)


def test_no_named_model_lacks_its_row():
    sizes = {name for name in dir(models) if isinstance(getattr(models, name), models.TransformerConfig)}
    assert set(PUBLISHED) == set(NAMED)
    assert {id(getattr(models, name)) for name in sizes} == {id(config) for config in NAMED.values()}


@pytest.mark.parametrize("name", NAMED)
def test_exact_count_of_every_named_model(name):
    assert count_parameters(on_meta(NAMED[name])) == PUBLISHED[name].parameters


@pytest.mark.parametrize("name", REFERENCES)
def test_the_reference_code_has_as_many_parameters(name):
    config = REFERENCES[name]
    with torch.device("meta"):
        theirs = CLASSES[config.model_type](config)
    assert sum(parameter.numel() for parameter in theirs.parameters()) == PUBLISHED[name].parameters


@pytest.mark.parametrize(("name", "millions"), [("transformer-base", 65), ("transformer-big", 213)])
def test_no_vocabulary_gives_both_counts_of_2017(name, millions):
    table = parameter_table(NAMED[name])
    fitting = (millions * 10**6 - table["total"] + table["token_embedding"]) / NAMED[name].dim
    assert round(fitting, -2) == {"transformer-base": 40_800, "transformer-big": 35_900}[name]
    assert f"{round(fitting, -2):,.0f}" in PUBLISHED[name].differs


@pytest.mark.parametrize("name", EVERY)
def test_parameter_table_by_formula_equals_the_counted_one(name):
    assert parameter_table(EVERY[name]) == counted_parameter_table(on_meta(EVERY[name]))


def test_table_of_gpt2_small():
    table = parameter_table(GPT2_SMALL)
    assert table == {
        "token_embedding": 38_597_376,
        "position_embedding": 786_432,
        "layer.attention": 2_362_368,
        "layer.mlp": 4_722_432,
        "layer.norms": 3_072,
        "layer": 7_087_872,
        "layers": 85_054_464,
        "final_norm": 1_536,
        "total": 124_439_808,
    }


@pytest.mark.parametrize(
    ("name", "length"), [*((name, 16) for name in NAMED), *((name, 7) for name in VARIANTS)]
)
def test_multiply_adds_by_formula_equal_the_counted_ones(name, length):
    config = EVERY[name]
    assert by_formula(config, length).total == count_multiply_adds(on_meta(config), *inputs(config, length))


def test_multiply_adds_of_gpt2_small_at_its_full_length():
    cost = multiply_adds(GPT2_SMALL, 1024)
    assert cost.per_token == 142_406_400
    assert (cost.maps // 1024, cost.attention // 1024, cost.output // 1024) == (
        84_934_656,
        18_874_368,
        38_597_376,
    )
    assert count_multiply_adds(on_meta(GPT2_SMALL), *inputs(GPT2_SMALL, 1024)) == 1024 * 142_406_400


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_attention_is_counted_on_the_cpu(form):
    config = DecoderConfig(**SMALL, vocabulary_size=31, context_length=64, num_kv_heads=2, form=form)
    model = Decoder(config).eval()
    counted = count_multiply_adds(model, *inputs(config, 33, "cpu"))
    # Tiled attention skips whole tiles in the future, and 33 tokens are a single tile.
    assert counted == multiply_adds(config, 33).total, "likely: the fused kernel is not counted"


def test_formulas_recovered_from_modules():
    def qkv(D):
        module = MultiHeadAttention(D, 1)
        return sum(count_parameters(part) for part in (module.query, module.key, module.value))

    assert str(fit_polynomial(qkv, "D")) == "3D² + 3D"
    assert str(fit_polynomial(lambda D: count_parameters(MultiHeadAttention(D, 2)), "D", multiple=2)) == (
        "4D² + 4D"
    )
    assert str(fit_polynomial(lambda D: count_parameters(MLP(D)), "D")) == "8D² + 5D"
    layer = fit_polynomial(lambda D: count_parameters(TransformerLayer(D, 4)), "D", multiple=4)
    assert str(layer) == "12D² + 13D"
    assert layer(1024) * 24 == 302_309_376


def test_formula_in_two_variables():
    formula = fit_polynomial(lambda D, D_q: 2 * D * D_q + D**2 + 2 * D_q + D, ("D", "D_q"))
    assert str(formula) == "D² + 2D·D_q + D + 2D_q"
    assert formula(512, 64) == 328_320


def test_formula_with_negative_terms_and_constants():
    assert str(fit_polynomial(lambda n: 5 - n**2, "n")) == "-n² + 5"
    assert str(fit_polynomial(lambda n: 0, "n")) == "0"
    assert str(Polynomial(("x",), {(2,): 1, (1,): -3})) == "x² - 3x"


def test_gradient_norms_of_each_part():
    model = Decoder(DecoderConfig(**SMALL, **TEXT))
    model(torch.randint(31, (2, 7))).logits.square().sum().backward()
    norms = gradient_norms(model)
    assert list(norms) == ["embedding", "layers.0", "layers.1", "layers.2", "final_norm"]
    expected = torch.cat([parameter.grad.flatten() for parameter in model.layers[1].parameters()]).norm()
    assert norms["layers.1"] == pytest.approx(float(expected), rel=1e-5)


def test_peak_memory_counts_what_is_alive_together():
    given = torch.ones(1000)

    def one_after_another():
        for _ in range(5):
            given + 1

    assert peak_memory(lambda: [given + 1 for _ in range(5)]) == 5 * 4000
    assert peak_memory(one_after_another) == 4000, "likely: freed tensors still count"
    assert peak_memory(lambda: given.view(10, 100).mul_(1)) == 0, "likely: views and arguments count"


@pytest.mark.parametrize(
    ("count", "kind", "sentence"),
    [
        (lambda: multiply_adds("gpt2-small", 5), TypeError, "config must be the config of a model"),
        (lambda: multiply_adds(GPT2_SMALL), ValueError, "length must be a whole number of at least 1"),
        (
            lambda: multiply_adds(models.TRANSFORMER_BASE, 5, target_length=0),
            ValueError,
            "target_length must be",
        ),
        (lambda: multiply_adds(GPT2_SMALL, 5, target_length=3), ValueError, "target_length must be None"),
        (lambda: fit_polynomial(lambda D: D, "D", multiple=0), ValueError, "multiple must be"),
        (lambda: fit_polynomial(lambda D: D, "D", degree=-1), ValueError, "degree must be"),
        (lambda: fit_polynomial(lambda D: D, "D")(1, 2), TypeError, "values must be one for each of D"),
        (lambda: fit_polynomial(lambda n: n**2, "n", degree=1), ValueError, "a polynomial of degree 1"),
        (lambda: fit_polynomial(lambda n: n * (n + 1) // 2, "n"), ValueError, "a polynomial of degree 2"),
        (lambda: gradient_norms(Decoder(DecoderConfig(**SMALL, **TEXT))), ValueError, "model must .* after"),
        (lambda: parameter_table(models.TransformerConfig(**SMALL)), TypeError, "config must be one of"),
        (lambda: build(models.TransformerConfig(**SMALL)), TypeError, "config must be one of DecoderConfig"),
    ],
)
def test_arguments_that_do_not_fit_are_named(count, kind, sentence):
    with pytest.raises(kind, match=sentence):
        count()
