"""The encoder in BERT's form gives the states and logits of transformers' BERT."""

import pytest
import torch
import transformers

from transformer_book.models import Encoder, EncoderConfig

SIZES = {
    "vocabulary_size": 37,
    "context_length": 16,
    "dim": 24,
    "num_layers": 3,
    "num_heads": 4,
    "mlp_dim": 40,
}
EMBEDDING = {
    "embedding.tokens": "embeddings.word_embeddings",
    "embedding.positions": "embeddings.position_embeddings",
    "embedding.token_types": "embeddings.token_type_embeddings",
    "embedding.norm": "embeddings.LayerNorm",
    "pooler": "pooler.dense",
}
LAYER = {
    "attention.query": "attention.self.query",
    "attention.key": "attention.self.key",
    "attention.value": "attention.self.value",
    "attention.output": "attention.output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "mlp.expand": "intermediate.dense",
    "mlp.contract": "output.dense",
    "mlp_norm": "output.LayerNorm",
}
HEAD = {
    "masked_lm_head.transform": "cls.predictions.transform.dense",
    "masked_lm_head.norm": "cls.predictions.transform.LayerNorm",
    "masked_lm_head": "cls.predictions",
}


def its_name(name, prefix):
    module, leaf = name.rsplit(".", 1)
    pieces = module.split(".")
    if pieces[0] == "layers":
        return f"{prefix}encoder.layer.{pieces[1]}.{LAYER['.'.join(pieces[2:])]}.{leaf}"
    return f"{HEAD[module]}.{leaf}" if module in HEAD else f"{prefix}{EMBEDDING[module]}.{leaf}"


def pair(dtype, head, randomise):
    """Our encoder and transformers' one, of the same weights, with the pooler or the masked-token head."""
    ours = randomise(Encoder(EncoderConfig(**SIZES, pooler=not head, masked_lm_head=head)).to(dtype))
    config = transformers.BertConfig(
        vocab_size=37,
        hidden_size=24,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=40,
        max_position_embeddings=16,
    )
    kind = transformers.BertForMaskedLM if head else transformers.BertModel
    theirs = kind(config).to(dtype).eval()
    theirs.load_state_dict(to_reference(ours.state_dict(), head))
    return ours, theirs


def to_reference(ours, head):
    prefix = "bert." if head else ""
    theirs = {its_name(name, prefix): tensor for name, tensor in ours.items()}
    if head:
        theirs["cls.predictions.decoder.weight"] = ours["embedding.tokens.weight"]
        theirs["cls.predictions.decoder.bias"] = ours["masked_lm_head.bias"]
    return theirs


def inputs(device="cpu"):
    tokens, types = torch.randint(37, (2, 11), device=device), torch.randint(2, (2, 11), device=device)
    padding = torch.ones(2, 11, dtype=torch.bool, device=device)
    padding[1, 7:] = False
    theirs = {"input_ids": tokens, "token_type_ids": types, "attention_mask": padding.long()}
    return tokens, {"token_types": types, "padding": padding}, theirs


@pytest.mark.parametrize("head", [False, True], ids=["pooler", "masked-lm"])
def test_outputs_equal_the_reference(head, dtype, device, randomise, assert_same):
    ours, theirs = (model.to(device) for model in pair(dtype, head, randomise))
    tokens, options, its_options = inputs(device)
    seen, expected = ours(tokens, **options), theirs(**its_options)
    if head:
        assert_same(seen.logits, expected.logits, "head: norm before GELU, no bias, or another embedding")
    else:
        assert_same(seen.final, expected.last_hidden_state, "tanh GELU, pre-norm, token types or their norm")
        assert_same(seen.pooled, expected.pooler_output, "pooler on another token, or without tanh")


def test_gradients_equal_the_reference(randomise, assert_same_gradients):
    ours, theirs = pair(torch.float64, True, randomise)
    tokens, options, its_options = inputs()
    logits = [ours(tokens, **options).logits, theirs(**its_options).logits]
    # A bias of the keys adds the same number to all scores of a query, which softmax ignores.
    zero = "self.key.bias"
    assert_same_gradients((ours, theirs), logits, tokens, lambda grads: to_reference(grads, True), zero)


def test_a_text_of_padding_alone_stays_finite(randomise):
    ours, _ = pair(torch.float64, True, randomise)
    tokens, options, _ = inputs()
    options["padding"][1] = False
    ours(tokens, **options).logits.sum().backward()
    assert all(bool(parameter.grad.isfinite().all()) for parameter in ours.parameters())


@pytest.mark.parametrize("positions", ["learned", "sinusoidal"])
def test_past_the_context_length_it_says_so(positions):
    with pytest.raises(ValueError, match="within context_length = 16; got 17"):
        Encoder(EncoderConfig(**SIZES, positions=positions))(torch.zeros(1, 17, dtype=torch.long))


@pytest.mark.parametrize(
    ("token_types", "sentence"),
    [
        (torch.tensor([[0, 2]]), "token_types must be numbers from 0 to 1; got 2"),
        (torch.tensor([[0]]), r"token_types must be of shape \(B = 1, N = 2\); got \(1, 1\)"),
        (torch.tensor([[0.0, 1.0]]), "token_types must be of type int64 or int32"),
    ],
)
def test_token_types_that_do_not_fit_are_named(token_types, sentence):
    with pytest.raises(ValueError, match=sentence):
        Encoder(EncoderConfig(**SIZES))(torch.tensor([[1, 2]]), token_types=token_types)


def test_token_types_that_the_model_lacks_are_not_dropped_in_silence():
    with pytest.raises(ValueError, match="token_types must be None: the config has none"):
        Encoder(EncoderConfig(**SIZES, token_types=0))(
            torch.tensor([[1, 2]]), token_types=torch.tensor([[0, 1]])
        )


@pytest.mark.parametrize("positions", ["sinusoidal", "rotary", "none"])
def test_other_positions_and_pre_norm(positions, randomise):
    config = EncoderConfig(
        **SIZES, positions=positions, norm_placement="pre", token_types=0, embedding_norm=False
    )
    model = randomise(Encoder(config))
    tokens = torch.tensor([[3, 5, 7, 9]])
    changes = not torch.allclose(model(tokens).final[:, 0], model(tokens.flip(1)).final[:, -1], atol=1e-6)
    assert changes == (positions != "none"), "likely: the order of tokens is lost, or leaks in"
