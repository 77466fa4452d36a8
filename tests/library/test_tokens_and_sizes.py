"""Tokens that no vocabulary holds, and sizes that no model can have: told in one sentence."""

import pytest
import torch

from transformer_book.models import (
    DecoderConfig,
    Encoder,
    EncoderDecoder,
    VisionTransformer,
    build,
    image_patches,
)
from transformer_book.positions import rotary_angles


@pytest.mark.parametrize("number", [-1, 11])
def test_a_token_outside_the_vocabulary_is_named(number):
    config = DecoderConfig(dim=12, num_layers=1, num_heads=3, vocabulary_size=11, context_length=8)
    with pytest.raises(
        ValueError, match=f"tokens holds {number}, expected numbers of the vocabulary, 0 to 10"
    ):
        build(config)(torch.tensor([[1, number, 3]]))


def test_tokens_that_are_no_tensor_of_integers_are_told():
    model = build(DecoderConfig(dim=12, num_layers=1, num_heads=3, vocabulary_size=11, context_length=8))
    with pytest.raises(TypeError, match="tokens is a list, expected a torch tensor"):
        model([[1, 2]])
    with pytest.raises(ValueError, match=r"type torch\.uint8, expected integers"):
        model(torch.tensor([[1, 2]], dtype=torch.uint8))
    with pytest.raises(ValueError, match="tokens is on meta, but the model is on cpu"):
        model(torch.tensor([[1, 2]], device="meta"))
    with pytest.raises(TypeError, match="mask is a list, expected a torch tensor of booleans"):
        model(torch.tensor([[1, 2]]), padding=[[True, True]])


def test_a_config_of_another_model_is_named():
    config = DecoderConfig(dim=12, num_layers=1, num_heads=3, vocabulary_size=11, context_length=8)
    for model, name in (
        (Encoder, "Encoder"),
        (EncoderDecoder, "EncoderDecoder"),
        (VisionTransformer, "Vision"),
    ):
        with pytest.raises(TypeError, match=f"config is a DecoderConfig, expected {name}Config"):
            model(config)


@pytest.mark.parametrize("name", ["dim", "vocabulary_size", "context_length"])
@pytest.mark.parametrize("size", [0, 12.0, None, "12", True])
def test_a_size_that_is_no_whole_number_is_refused(name, size):
    sizes = {"dim": 12, "num_layers": 1, "num_heads": 3, "vocabulary_size": 11, "context_length": 8}
    with pytest.raises(ValueError, match=f"{name} is {size!r}, expected a whole number"):
        DecoderConfig(**{**sizes, name: size})


@pytest.mark.parametrize("size", [0, -4])
def test_a_patch_without_pixels_is_refused(size):
    with pytest.raises(ValueError, match=f"patch_size is {size}"):
        image_patches(torch.ones(2, 3, 8, 8), size)


@pytest.mark.parametrize("base", [0, -10.0, float("nan")])
def test_a_base_without_frequencies_is_refused(base):
    with pytest.raises(ValueError, match="expected a positive number"):
        rotary_angles(torch.arange(5), 4, base=base)
