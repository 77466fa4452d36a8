"""The decoder in Llama's form gives the logits of transformers' Llama."""

import torch
import transformers

from transformer_book.models import Decoder, DecoderConfig

CONFIG = DecoderConfig(
    vocabulary_size=37,
    context_length=32,
    dim=24,
    num_layers=3,
    num_heads=4,
    num_kv_heads=2,
    mlp_dim=40,
    mlp="swiglu",
    norm="rms",
    norm_epsilon=1e-5,
    attention_bias=False,
    mlp_bias=False,
    positions="rotary",
    rope_base=1_000.0,
    rope_pairing="halves",
)
NAMES = {
    "embedding.tokens": "model.embed_tokens",
    "final_norm": "model.norm",
    "attention_norm": "input_layernorm",
    "attention.query": "self_attn.q_proj",
    "attention.key": "self_attn.k_proj",
    "attention.value": "self_attn.v_proj",
    "attention.output": "self_attn.o_proj",
    "mlp_norm": "post_attention_layernorm",
    "mlp.gate": "mlp.gate_proj",
    "mlp.expand": "mlp.up_proj",
    "mlp.contract": "mlp.down_proj",
}


def reference(dtype):
    config = transformers.LlamaConfig(
        vocab_size=37,
        hidden_size=24,
        intermediate_size=40,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=32,
        rms_norm_eps=1e-5,
        rope_parameters={"rope_type": "default", "rope_theta": 1_000.0},
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=None,
    )
    model = transformers.LlamaForCausalLM(config).to(dtype).eval()
    return in_float64(model) if dtype == torch.float64 else model


def in_float64(model):
    """transformers rounds to float32 inside its norm and its angles whatever the model's precision.

    For the comparison in float64 the norms become torch's own and the angles are computed in float64.
    """
    for layer in model.model.layers:
        for name in ("input_layernorm", "post_attention_layernorm"):
            setattr(layer, name, torch.nn.RMSNorm(24, eps=1e-5, dtype=torch.float64))
    model.model.norm = torch.nn.RMSNorm(24, eps=1e-5, dtype=torch.float64)

    def angles(x, position_ids):
        frequencies = 1_000.0 ** -(torch.arange(0, 6, 2, dtype=torch.float64, device=x.device) / 6)
        angle = (position_ids[..., None] * frequencies).repeat(1, 1, 2)  # (B, N, D_h), halves alike
        return angle.cos(), angle.sin()

    model.model.rotary_emb.forward = angles
    return model


def its_name(name):
    pieces = name.removesuffix(".weight").split(".")
    if pieces[0] != "layers":
        return NAMES[".".join(pieces)] + ".weight"
    return f"model.layers.{pieces[1]}.{NAMES['.'.join(pieces[2:])]}.weight"


def to_reference(ours):
    theirs = {its_name(name): tensor for name, tensor in ours.items()}
    return {**theirs, "lm_head.weight": ours["embedding.tokens.weight"]}


def pair(dtype, randomise):
    """Our decoder with random weights, and transformers' one with the same."""
    ours, theirs = randomise(Decoder(CONFIG).to(dtype)), reference(dtype)
    theirs.load_state_dict(to_reference(ours.state_dict()))
    return ours, theirs


def test_logits_equal_the_reference(dtype, device, randomise, assert_same):
    ours, theirs = (model.to(device) for model in pair(dtype, randomise))
    tokens = torch.randint(37, (2, 11), device=device)
    assert_same(ours(tokens).logits, theirs(tokens).logits, "RoPE pairing, or gate and expand exchanged")


def test_neighbouring_pairs_need_reordered_queries_and_keys(randomise, assert_same):
    ours = randomise(Decoder(CONFIG).double())
    config = DecoderConfig(**{**CONFIG.__dict__, "rope_pairing": "neighbours"})
    other = Decoder(config).double().eval()
    state = ours.state_dict()
    order = torch.tensor([0, 3, 1, 4, 2, 5])  # D_h = 6: halves i, i + 3 become neighbours 2i, 2i + 1
    for name in state:
        if name.endswith(("attention.query.weight", "attention.key.weight")):
            state[name] = state[name].unflatten(0, (-1, 6))[:, order].flatten(0, 1)
    other.load_state_dict(state)
    tokens = torch.randint(37, (2, 11))
    assert_same(other(tokens).logits, ours(tokens).logits, "the two pairings are the same or unrelated")


def test_gradients_equal_the_reference(randomise, assert_same_gradients):
    models, tokens = pair(torch.float64, randomise), torch.randint(37, (2, 11))
    logits = [model(tokens).logits[:, :-1] for model in models]
    assert_same_gradients(models, logits, tokens[:, 1:], to_reference)


def test_decoding_with_the_cache_equals_the_reference(randomise, assert_same):
    ours, theirs = pair(torch.float64, randomise)
    tokens, cache, its_cache = torch.randint(37, (2, 9)), ours.new_cache(), transformers.DynamicCache()
    with torch.no_grad():
        for start, stop in ((0, 5), (5, 6), (6, 9)):
            expected = theirs(tokens[:, start:stop], cache=its_cache, use_cache=True)
            logits = ours(tokens[:, start:stop], cache=cache).logits
            assert_same(logits, expected.logits, "RoPE offset with a cache")
