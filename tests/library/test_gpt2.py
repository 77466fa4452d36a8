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


def from_reference(theirs):
    ours = {name: theirs[other] for name, other in RENAMED.items()}
    for layer in range(CONFIG.num_layers):
        mine, its = f"layers.{layer}.", f"transformer.h.{layer}."
        for leaf in ("weight", "bias"):
            parts = theirs[f"{its}attn.c_attn.{leaf}"].chunk(3, dim=-1)
            for part, tensor in zip(("query", "key", "value"), parts, strict=True):
                ours[f"{mine}attention.{part}.{leaf}"] = tensor.T if leaf == "weight" else tensor
            for name, other in MAPS.items():
                tensor = theirs[f"{its}{other}.{leaf}"]
                ours[f"{mine}{name}.{leaf}"] = tensor.T if leaf == "weight" else tensor
            for name, other in NORMS.items():
                ours[f"{mine}{name}.{leaf}"] = theirs[f"{its}{other}.{leaf}"]
    return ours


def test_our_weights_in_the_reference(dtype, device, randomise, assert_same):
    ours, theirs = randomise(Decoder(CONFIG).to(dtype)), reference(dtype)
    theirs.load_state_dict(to_reference(ours.state_dict()))
    ours, theirs, tokens = ours.to(device), theirs.to(device), torch.randint(37, (2, 11), device=device)
    assert_same(ours(tokens).logits, theirs(tokens).logits, "exact GELU instead of tanh, or norm epsilon")


def test_reference_weights_in_ours(dtype, device, randomise, assert_same):
    theirs, ours = randomise(reference(dtype)), Decoder(CONFIG).to(dtype).eval()
    ours.load_state_dict(from_reference(theirs.state_dict()))
    ours, theirs, tokens = ours.to(device), theirs.to(device), torch.randint(37, (2, 11), device=device)
    seen = ours(tokens, return_hidden=True)
    expected = theirs(tokens, output_hidden_states=True)
    assert_same(seen.logits, expected.logits, "weights copied transposed")
    for layer in range(CONFIG.num_layers):
        assert_same(seen.hidden[layer], expected.hidden_states[layer], f"hidden state {layer}")
    assert_same(seen.final, expected.hidden_states[-1], "final norm")


def test_weights_of_every_head(randomise, assert_same):
    theirs, ours = randomise(reference(torch.float64)), Decoder(CONFIG).double().eval()
    theirs.set_attn_implementation("eager")
    ours.load_state_dict(from_reference(theirs.state_dict()))
    tokens = torch.randint(37, (2, 11))
    expected = theirs(tokens, output_attentions=True).attentions
    for layer, seen in enumerate(ours(tokens, return_weights=True).attention):
        assert_same(seen.weights, expected[layer], f"attention weights of layer {layer}")


def test_gradients_equal_the_reference(randomise, assert_same):
    ours, theirs = randomise(Decoder(CONFIG).double()), reference(torch.float64)
    theirs.load_state_dict(to_reference(ours.state_dict()))
    tokens = torch.randint(37, (2, 11))
    for model in (ours, theirs):
        logits = model(tokens).logits[:, :-1].flatten(0, 1)
        torch.nn.functional.cross_entropy(logits, tokens[:, 1:].flatten()).backward()
    grads = to_reference({name: parameter.grad for name, parameter in ours.named_parameters()})
    for name, parameter in theirs.named_parameters():
        assert_same(grads[name], parameter.grad, f"gradient of {name}")


def test_padding_on_the_left_equals_the_reference(randomise, assert_same):
    ours, theirs = randomise(Decoder(CONFIG).double()), reference(torch.float64)
    theirs.load_state_dict(to_reference(ours.state_dict()))
    tokens, padding = torch.randint(37, (2, 11)), torch.ones(2, 11, dtype=torch.bool)
    padding[0, :4] = False
    positions = (padding.cumsum(1) - 1).clamp(min=0)
    expected = theirs(tokens, attention_mask=padding.long(), position_ids=positions).logits
    assert_same(
        ours(tokens, padding=padding).logits[padding], expected[padding], "padding counted as a position"
    )


def test_untied_output(randomise):
    model = randomise(
        Decoder(
            DecoderConfig(
                vocabulary_size=5, context_length=4, dim=6, num_layers=1, num_heads=2, tie_output=False
            )
        )
    )
    seen = model(torch.tensor([[1, 2]]))
    torch.testing.assert_close(seen.logits, model.output(seen.final))
    assert model.output_weight is model.output.weight


def test_logits_where_asked(randomise):
    model, tokens = randomise(Decoder(CONFIG)), torch.randint(37, (2, 11))
    everywhere = model(tokens)
    last = model(tokens, logits_at="last").logits
    torch.testing.assert_close(last, everywhere.logits[:, -1:])
    nothing = model(tokens, logits_at="none")
    assert nothing.logits is None
    torch.testing.assert_close(nothing.final, everywhere.final)
