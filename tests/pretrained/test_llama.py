"""Models of Llama's form from safetensors: the logits and ids of `transformers`, on tiny random models."""

import json
from functools import partial

import pytest
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM

from transformer_book.pretrained import CorruptFileError, load_llama
from transformer_book.tokenizers.byte_alphabet import _BYTE_OF_CHARACTER

TWO_LAYERS = 1e-5  # above `float32_bound(2, 96)`; the error of a wrong layout is near 1

SIZES = {
    "vocab_size": 259,
    "hidden_size": 24,
    "intermediate_size": 40,
    "num_hidden_layers": 2,
    "num_attention_heads": 6,
    "num_key_value_heads": 3,
    "max_position_embeddings": 19,
    "rms_norm_eps": 1e-5,
    "rope_parameters": {"rope_type": "default", "rope_theta": 5000.0},
}
FORMS = {
    "tied": {"tie_word_embeddings": True},
    "untied": {},
    "biases": {"attention_bias": True, "mlp_bias": True},
    "wide heads": {"head_dim": 8, "num_key_value_heads": 2},
}


@pytest.fixture
def save(tmp_path, shaken):
    return partial(write, tmp_path, shaken)


def write(folder, shaken, **options):
    torch.manual_seed(3)
    model = shaken(LlamaForCausalLM(LlamaConfig(**{**SIZES, **options})), 0.1).eval()
    model.save_pretrained(folder)
    pieces = [*_BYTE_OF_CHARACTER, "th", "the"]
    tokenizer = Tokenizer(models.BPE({piece: i for i, piece in enumerate(pieces)}, [("t", "h"), ("th", "e")]))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.add_special_tokens(["<|end|>"])
    tokenizer.save(str(folder / "tokenizer.json"))
    return model, tokenizer


@torch.no_grad()
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shard", [None, "20KB"])
def test_the_reference_logits(tmp_path, save, form, shard):
    reference, judge = save(**FORMS[form])
    if shard:
        (tmp_path / "model.safetensors").unlink()
        reference.save_pretrained(tmp_path, max_shard_size=shard)
        assert (tmp_path / "model.safetensors.index.json").is_file()
    model, tokenizer = load_llama(tmp_path)
    tokens = torch.tensor([tokenizer.encode("the other cat 12<|end|>", special=True)])
    assert tokens[0].tolist() == judge.encode("the other cat 12<|end|>").ids
    expected = reference(tokens).logits
    worst = (model(tokens).logits - expected).abs().max() / expected.abs().max()
    assert worst <= TWO_LAYERS, (
        "transformers pairs the halves of a head; a bias or the output layer was left out"
    )


@torch.no_grad()
def test_files_of_older_writers(tmp_path, save):
    """transformers 4 writes rope_theta beside the sizes; weights in bfloat16, some files with a buffer."""
    reference, _ = save()
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    config["rope_theta"] = config.pop("rope_parameters")["rope_theta"]
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    tensors = {name: t.bfloat16() for name, t in load_file(tmp_path / "model.safetensors").items()}
    reference.load_state_dict(tensors)
    tensors["model.layers.0.self_attn.rotary_emb.inv_freq"] = torch.ones(2)
    save_file(tensors, tmp_path / "model.safetensors")
    tokens = torch.arange(9)[None]
    expected = reference(tokens).logits
    assert (
        load_llama(tmp_path).model(tokens).logits - expected
    ).abs().max() / expected.abs().max() <= TWO_LAYERS


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"model_type": "qwen2"}, "model_type must be llama; got qwen2"),
        ({"rope_parameters": {"rope_type": "llama3", "rope_theta": 1.0}}, "rope_type must be 'default'"),
        ({"rope_scaling": {"type": "linear"}}, "rope_scaling must be None, as in this library"),
        ({"hidden_act": "gelu"}, "hidden_act must be 'silu'"),
        ({"tie_word_embeddings": True}, r"lm_head\.weight must be equal to embed_tokens\.weight"),
        ({"vocab_size": 258}, r"tensor embed_tokens\.weight must be of shape \(258, 24\)"),
    ],
)
def test_a_config_that_does_not_fit_is_named(tmp_path, save, entries, message):
    save()
    path = tmp_path / "config.json"
    config = json.loads(path.read_text(encoding="utf-8")) | entries
    path.write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        load_llama(tmp_path)


def test_a_vocabulary_of_another_length_is_refused(tmp_path, save):
    save(vocab_size=264)  # rows that no token has
    with pytest.raises(CorruptFileError, match="vocabulary must be of 264 tokens like the model's; got 259"):
        load_llama(tmp_path)
