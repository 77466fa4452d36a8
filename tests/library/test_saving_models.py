"""Models saved whole, copied and sent to other processes: no part may hold what pickle cannot store."""

import copy
import io
import pickle
import subprocess
import sys
import types

import pytest
import torch

from transformer_book.generation import FastDecoder
from transformer_book.models import DecoderConfig, EncoderConfig, EncoderDecoderConfig, VisionConfig, build

SIZES = {"dim": 12, "num_layers": 2, "num_heads": 3}
TEXT = {**SIZES, "vocabulary_size": 17, "context_length": 8}
CONFIGS = {
    "GPT-2": DecoderConfig(**TEXT),
    "Llama": DecoderConfig(**TEXT, positions="rotary", norm="rms", mlp="swiglu", form="tiled"),
    "BERT": EncoderConfig(**TEXT, masked_lm_head=True, mlp="gelu"),
    "2017": EncoderDecoderConfig(**TEXT),
    "ViT": VisionConfig(**SIZES, image_size=6, patch_size=3, num_classes=2),
}
models = pytest.mark.parametrize("name", CONFIGS)


def call(model):
    if isinstance(model.config, VisionConfig):
        return model(torch.linspace(-1, 1, 108).view(1, 3, 6, 6)).logits
    tokens = torch.arange(5)[None]
    return (model(tokens, tokens) if isinstance(model.config, EncoderDecoderConfig) else model(tokens)).logits


def saved(model):
    file = io.BytesIO()
    torch.save(model, file)
    file.seek(0)
    return torch.load(file, weights_only=False)


@models
def test_no_part_holds_a_function_of_its_own(name):
    for path, module in build(CONFIGS[name]).named_modules():
        held = {key: value for key, value in vars(module).items() if isinstance(value, types.FunctionType)}
        assert not held, f"{path or name} holds {held}: pickle stores no lambda and no closure"


@models
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m)), saved])
def test_a_copy_gives_the_same(name, copied):
    model = build(CONFIGS[name]).eval()
    assert torch.equal(call(copied(model)), call(model))


def test_a_fast_decoder_is_stored_with_its_model():
    fast = FastDecoder(build(CONFIGS["GPT-2"]).eval())
    again, token = pickle.loads(pickle.dumps(fast)), torch.tensor([[3]])
    assert torch.equal(
        again(token, cache=again.new_cache()).logits, fast(token, cache=fast.new_cache()).logits
    )


def test_another_process_reads_every_kind_of_model():
    kinds = [build(config) for config in CONFIGS.values()]
    read = "import pickle, sys; print(*(type(m).__name__ for m in pickle.load(sys.stdin.buffer)))"
    done = subprocess.run(
        [sys.executable, "-c", read], input=pickle.dumps(kinds), capture_output=True, check=True
    )
    assert done.stdout.decode().split() == [type(model).__name__ for model in kinds]
