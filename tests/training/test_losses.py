"""The ready loss functions: what they skip and what they count."""

import pytest
import torch
import torch.nn.functional as F

from transformer_book.models import (
    Decoder,
    DecoderConfig,
    Encoder,
    EncoderConfig,
    EncoderDecoder,
    EncoderDecoderConfig,
    VisionConfig,
    VisionTransformer,
)
from transformer_book.training import (
    chunked_next_token_loss,
    class_loss,
    cross_entropy_sum,
    masked_token_loss,
    next_token_loss,
    translation_loss,
)

SIZES = {"dim": 12, "num_layers": 1, "num_heads": 3}


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(0)


def test_next_token_loss_looks_one_place_ahead():
    model = Decoder(DecoderConfig(vocabulary_size=11, context_length=7, **SIZES))
    tokens = torch.randint(11, (2, 6))
    total, count = next_token_loss(model, {"tokens": tokens})
    logits = model(tokens[:, :5]).logits
    expected = sum(-F.log_softmax(logits[b, n], -1)[tokens[b, n + 1]] for b in range(2) for n in range(5))
    assert count == 10
    torch.testing.assert_close(total, expected, msg="labels are not the next tokens")


@pytest.mark.parametrize("loss", [next_token_loss, chunked_next_token_loss])
def test_next_token_loss_skips_padding(loss):
    model = Decoder(DecoderConfig(vocabulary_size=11, context_length=7, **SIZES))
    tokens = torch.randint(11, (2, 6))
    real = torch.arange(6) < torch.tensor([[6], [3]])
    total, count = loss(model, {"tokens": tokens, "real": real})
    parts = [next_token_loss(model, {"tokens": t})[0] for t in (tokens[:1], tokens[1:, :3])]
    assert count == 5 + 2
    torch.testing.assert_close(total, parts[0] + parts[1])


def test_the_loss_in_chunks_has_the_same_gradients():
    model = Decoder(DecoderConfig(vocabulary_size=1103, context_length=7, **SIZES)).double()
    batch = {"tokens": torch.randint(1103, (90, 8))}  # 630 tokens: more than one chunk
    (whole, number), (chunked, same) = (f(model, batch) for f in (next_token_loss, chunked_next_token_loss))
    assert number == same == 630
    torch.testing.assert_close(chunked, whole)
    parameters = dict(model.named_parameters())
    expected, found = (torch.autograd.grad(total, parameters.values()) for total in (whole, chunked))
    for name, one, other in zip(parameters, expected, found, strict=True):
        # Sums over 630 tokens and 1,103 classes in another order, each rounded to 1e-16 of values below 100.
        torch.testing.assert_close(other, one, rtol=0, atol=1e-10, msg=name)


def test_masked_token_loss_counts_chosen_tokens():
    model = Encoder(EncoderConfig(vocabulary_size=11, context_length=7, masked_lm_head=True, **SIZES))
    labels = torch.full((2, 5), -100)
    labels[0, 3], labels[1, 1] = 4, 9
    tokens, real = torch.randint(11, (2, 5)), torch.ones(2, 5, dtype=bool)
    total, count = masked_token_loss(model, {"tokens": tokens, "labels": labels, "real": real})
    scores = F.log_softmax(model(tokens, padding=real).logits, -1)
    assert count == 2
    torch.testing.assert_close(total, -scores[0, 3, 4] - scores[1, 1, 9])


def test_translation_loss_skips_padding_on_both_sides():
    model = EncoderDecoder(EncoderDecoderConfig(vocabulary_size=11, context_length=9, **SIZES)).eval()
    source, target = torch.randint(11, (1, 4)), torch.randint(11, (1, 5))
    plain = {"source": source, "target": target}
    plain |= {f"{side}_real": torch.ones_like(plain[side], dtype=bool) for side in ("source", "target")}
    padded = {"source": F.pad(source, (0, 3), value=1), "target": F.pad(target, (0, 2), value=1)}
    padded |= {
        f"{side}_real": torch.arange(padded[side].shape[1])[None] < plain[side].shape[1]
        for side in ("source", "target")
    }
    (total, count), (expected, expected_count) = (
        translation_loss(model, padded),
        translation_loss(model, plain),
    )
    assert count == expected_count == 4
    torch.testing.assert_close(total, expected, msg="padding changed the loss")


def test_class_loss():
    model = VisionTransformer(VisionConfig(image_size=4, patch_size=2, num_classes=5, channels=1, **SIZES))
    batch = {"inputs": torch.rand(3, 1, 4, 4), "labels": torch.tensor([0, 4, 2])}
    total, count = class_loss(model, batch)
    assert count == 3
    torch.testing.assert_close(total / 3, F.cross_entropy(model(batch["inputs"]).logits, batch["labels"]))


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        (torch.tensor([[0, 1, 7]]), "labels must be 0 to 4, or -100 to skip; got 7"),
        (torch.tensor([[0, -1, 2]]), "labels must be .*; got -1"),
        (torch.tensor([[0], [1], [2]]), r"labels must be of shape \(1, 3\); got \(3, 1\)"),
        (torch.tensor([[0.0, 1.0, 2.0]]), r"labels must be of type int64; got torch\.float32"),
    ],
)
def test_labels_that_do_not_fit_are_named(labels, sentence):
    with pytest.raises(ValueError, match=sentence):
        cross_entropy_sum(torch.zeros(1, 3, 5), labels)


def test_one_text_of_one_token_has_a_loss():
    total, count = cross_entropy_sum(torch.tensor([1.0, 3.0]), torch.tensor(1))
    assert count == 1
    torch.testing.assert_close(total, torch.tensor(-2.0).exp().log1p())


def test_a_model_without_a_head_is_named():
    model = Encoder(EncoderConfig(vocabulary_size=11, context_length=7, **SIZES))
    tokens = torch.zeros(2, 5, dtype=torch.long)
    with pytest.raises(TypeError, match=r"logits must be a torch tensor .*; got a NoneType"):
        masked_token_loss(model, {"tokens": tokens, "labels": tokens, "real": tokens == 0})


def test_padding_of_another_shape_is_named():
    tokens = torch.ones(2, 5, dtype=torch.int64)
    with pytest.raises(ValueError, match=r"real must be of shape \(B = 2, N = 5\); got \(2, 4\)"):
        next_token_loss(None, {"tokens": tokens, "real": torch.ones(2, 4, dtype=torch.bool)})
