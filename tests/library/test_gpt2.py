"""The decoder in GPT-2's form gives the logits of transformers' GPT-2."""

import torch
import transformers

from transformer_book.models import Decoder, DecoderConfig

CONFIG = DecoderConfig(vocabulary_size=37, context_length=16, dim=24, num_layers=3, num_heads=4, mlp_dim=40)
RENAMED = {
    "embedding.tokens.weight": "transformer.wte.weight",
    "embedding.positions.weight": "transformer.wpe.weight",
    "final_norm.weight": "transformer.ln_f.weight",
    "final_norm.bias": "transformer.ln_f.bias",
}
MAPS = {"attention.output": "attn.c_proj", "mlp.expand": "mlp.c_fc", "mlp.contract": "mlp.c_proj"}
NORMS = {"attention_norm": "ln_1", "mlp_norm": "ln_2"}


def reference(dtype):
    config = transformers.GPT2Config(
        vocab_size=37,
        n_positions=16,
        n_embd=24,
        n_layer=3,
        n_head=4,
        n_inner=40,
        bos_token_id=None,
        eos_token_id=None,
    )
    return transformers.GPT2LMHeadModel(config).to(dtype).eval()


def to_reference(ours):
    """GPT-2 stores maps as (in, out), and queries, keys and values in one."""
    theirs = {RENAMED[name]: tensor for name, tensor in ours.items() if name in RENAMED}
    theirs["lm_head.weight"] = ours["embedding.tokens.weight"]
    for layer in range(CONFIG.num_layers):
        mine, its = f"layers.{layer}.", f"transformer.h.{layer}."
        for leaf in ("weight", "bias"):
            parts = [ours[f"{mine}attention.{part}.{leaf}"] for part in ("query", "key", "value")]
            theirs[f"{its}attn.c_attn.{leaf}"] = torch.cat(parts).T if leaf == "weight" else torch.cat(parts)
            for name, other in MAPS.items():
                tensor = ours[f"{mine}{name}.{leaf}"]
                theirs[f"{its}{other}.{leaf}"] = tensor.T if leaf == "weight" else tensor
            for name, other in NORMS.items():
                theirs[f"{its}{other}.{leaf}"] = ours[f"{mine}{name}.{leaf}"]
    return theirs


def pair(dtype, randomise):
    """Our decoder with random weights, and transformers' one with the same."""
    ours, theirs = randomise(Decoder(CONFIG).to(dtype)), reference(dtype)
    theirs.load_state_dict(to_reference(ours.state_dict()))
    return ours, theirs


def test_logits_and_hidden_states_equal_the_reference(dtype, device, randomise, assert_same):
    ours, theirs = (model.to(device) for model in pair(dtype, randomise))
    tokens = torch.randint(37, (2, 11), device=device)
    seen, expected = ours(tokens, return_hidden=True), theirs(tokens, output_hidden_states=True)
    assert_same(seen.logits, expected.logits, "exact GELU instead of tanh, or norm epsilon")
    for layer in range(CONFIG.num_layers):
        assert_same(seen.hidden[layer], expected.hidden_states[layer], f"hidden state {layer}")
    assert_same(seen.final, expected.hidden_states[-1], "final norm")


def test_weights_of_every_head(randomise, assert_same):
    ours, theirs = pair(torch.float64, randomise)
    theirs.set_attn_implementation("eager")
    tokens = torch.randint(37, (2, 11))
    expected = theirs(tokens, output_attentions=True).attentions
    for layer, seen in enumerate(ours(tokens, return_weights=True).attention):
        assert_same(seen.weights, expected[layer], f"attention weights of layer {layer}")


def test_gradients_equal_the_reference(randomise, assert_same_gradients):
    models, tokens = pair(torch.float64, randomise), torch.randint(37, (2, 11))
    logits = [model(tokens).logits[:, :-1] for model in models]
    assert_same_gradients(models, logits, tokens[:, 1:], to_reference)
