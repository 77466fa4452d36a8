"""Tokens that no vocabulary holds, and configs that no model can have: told in one sentence."""

import pytest
import torch

from transformer_book.models import (
    Decoder,
    DecoderConfig,
    Encoder,
    EncoderConfig,
    EncoderDecoder,
    EncoderDecoderConfig,
    VisionConfig,
    VisionTransformer,
)

SIZES = {"dim": 6, "num_layers": 1, "num_heads": 2}
TEXT = {**SIZES, "vocabulary_size": 11, "context_length": 8}
IMAGE = {**SIZES, "image_size": 8, "patch_size": 4, "num_classes": 2}


@pytest.mark.parametrize(
    ("call", "kind", "sentence"),
    [
        ({"tokens": [[1, 2]]}, TypeError, r"tokens must be a torch tensor \(B, N\); got a list"),
        ({"tokens": torch.tensor([1, 2])}, ValueError, r"tokens must be of shape \(B, N\); got \(2,\)"),
        ({"tokens": torch.tensor([[1.0, 2.0]])}, ValueError, "tokens must be of type int64 or int32"),
        ({"tokens": torch.tensor([[]]).long()}, ValueError, "tokens must be of at least 1 token"),
        ({"tokens": torch.tensor([[1]], device="meta")}, ValueError, "tokens must be on cpu like the model"),
        ({"tokens": torch.tensor([[1, -1, 3]])}, ValueError, "tokens must be numbers from 0 to 10; got -1"),
        ({"tokens": torch.tensor([[1, 11, 3]])}, ValueError, "tokens must be numbers from 0 to 10; got 11"),
        ({"tokens": torch.ones(1, 9).long()}, ValueError, "tokens must be within context_length = 8; got 9"),
        ({"padding": [[True, True]]}, TypeError, "padding must be a torch tensor"),
        ({"padding": torch.ones(1, 2)}, ValueError, "padding must be of type bool"),
        ({"padding": torch.ones(1, 3).bool()}, ValueError, r"padding must be of shape \(B = 1, N = 2\)"),
        ({"padding": torch.ones(1, 2, device="meta").bool()}, ValueError, "padding must be on cpu"),
        ({"logits_at": "first"}, ValueError, "logits_at must be one of all, last, none"),
        ({"cache": {}}, TypeError, "cache must be a DecoderCache"),
    ],
)
def test_arguments_that_do_not_fit_are_named(call, kind, sentence):
    with pytest.raises(kind, match=sentence):
        Decoder(DecoderConfig(**TEXT))(**{"tokens": torch.tensor([[1, 2]]), **call})


@pytest.mark.parametrize("model", [Encoder, EncoderDecoder, VisionTransformer])
def test_a_config_of_another_model_is_named(model):
    with pytest.raises(TypeError, match=r"config must be a \w+Config; got a DecoderConfig"):
        model(DecoderConfig(**TEXT))


@pytest.mark.parametrize(
    ("config", "right", "wrong"),
    [
        (DecoderConfig, TEXT, {"dim": 0, "num_layers": None, "num_heads": 2.0, "num_kv_heads": 0}),
        (DecoderConfig, TEXT, {"head_dim": 2.0, "mlp_dim": -1, "mlp": "selu", "attention_bias": None}),
        (DecoderConfig, TEXT, {"norm": "batch", "norm_placement": "middle", "norm_epsilon": -1e-5}),
        (DecoderConfig, TEXT, {"mlp_bias": 1, "scale": "root", "dropout": 1.0, "form": "flash"}),
        (DecoderConfig, TEXT, {"vocabulary_size": True, "context_length": "12", "positions": "alibi"}),
        (DecoderConfig, TEXT, {"rope_base": 0, "rope_pairing": "llama", "embedding_scale": "yes"}),
        (DecoderConfig, TEXT, {"window": 0, "tie_output": "no"}),
        (EncoderConfig, TEXT, {"token_types": -1, "embedding_norm": 1, "pooler": "yes"}),
        (EncoderConfig, TEXT, {"masked_lm_head": None}),
        (EncoderDecoderConfig, TEXT, {"target_vocabulary_size": 0, "positions": None}),
        (VisionConfig, IMAGE, {"image_size": 8.0, "patch_size": -2, "channels": 0, "num_classes": -1}),
    ],
)
def test_every_field_of_a_config_is_checked(config, right, wrong):
    for name, value in wrong.items():
        with pytest.raises(ValueError, match=f"{name} must be"):
            config(**{**right, name: value})


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"num_heads": 4}, "dim must be a multiple of num_heads = 4 unless head_dim is given; got 6"),
        ({"num_kv_heads": 3}, "num_heads must be a multiple of num_kv_heads = 3; got 2"),
        ({"positions": "rotary"}, "head_dim must be an even number of at least 2; got 3"),
        ({"positions": "sinusoidal", "dim": 9, "num_heads": 3}, "dim must be an even number"),
    ],
)
def test_fields_that_do_not_go_together_are_named(changed, sentence):
    with pytest.raises(ValueError, match=sentence):
        DecoderConfig(**{**TEXT, **changed})
