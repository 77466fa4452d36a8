"""The experiments' own parts: batches, baselines, measures."""

import math

import numpy as np
import pytest
import torch

from transformer_book.data import load_digit_images, load_quatrains
from transformer_book.experiments import ablations, digits, numerals, quatrains, reviews
from transformer_book.experiments.text_stream import text_stream, window_batches
from transformer_book.models import Decoder, DecoderConfig, Encoder, EncoderDecoder
from transformer_book.tokenizers import CharacterVocabulary


def test_poems_are_padded_on_the_right():
    short, long = (next(p for p in load_quatrains().train if len(p) == n) for n in (24, 32))
    tokens = quatrains.poem_tokens([short, long])
    assert tokens.shape == (2, 34)
    assert tokens[:, 0].tolist() == [quatrains.START] * 2
    assert tokens[0, 25] == quatrains.END
    assert (tokens[0, 26:] == quatrains.PAD).all()
    assert tokens[1, 33] == quatrains.END


def test_masked_batches_leave_special_tokens_alone():
    batch = quatrains.masked_batches(load_quatrains().train)(torch.Generator().manual_seed(0))
    chosen = batch["labels"] >= 0
    assert (batch["labels"][chosen] > quatrains.MASK).all(), "a special token is to be guessed"
    assert (batch["tokens"][chosen] >= quatrains.MASK).all(), "a special token was put in"


def test_bigram_loss_by_hand():
    # After 春 came 眠 once; 春 has one kind of follower, so half of its chance is left to single characters.
    train, validation = ["春眠"], ["春春"]
    kinds = len(quatrains.VOCABULARY) - 2  # each token once, <pad> and <start> left out
    single = {"春": 2, "眠": 2, "end": 2}
    total = kinds + 3
    expected = [
        (1 + single["春"] / total) / 2,  # <start> → 春, seen
        (0 + single["春"] / total) / 2,  # 春 → 春, new
        (0 + single["end"] / total) / 2,  # 春 → <end>, new
    ]
    (found,) = quatrains.bigram_losses(train, validation)
    assert found.tolist() == pytest.approx([-math.log(chance) for chance in expected])


@pytest.mark.parametrize(
    ("poem", "formed"),
    [
        ("春眠不觉晓，处处闻啼鸟。夜来风雨声，花落知多少。", True),
        ("春眠不觉晓，处处闻啼鸟。夜来风雨声，花落知多少", False),
        ("春眠不觉晓，处处闻啼鸟。", False),
        ("春眠不觉，处处闻啼鸟。夜来风雨声，花落知多少。", False),
        ("朝辞白帝彩云间，千里江陵一日还。春眠不觉晓，处处闻啼鸟。", False),
    ],
)
def test_form_of_a_quatrain(poem, formed):
    assert quatrains.has_form(poem) == formed


def test_samples_are_seeded_and_end():
    model = Decoder(quatrains.QUATRAIN_GPT).eval()
    first, second = (quatrains.sample_poems(model, 3, seed=5) for _ in range(2))
    assert first == second != quatrains.sample_poems(model, 3, seed=6)
    assert all(len(poem) <= 33 for poem in first)


def test_numeral_batches_hold_both_sides():
    pairs = numerals.both_ways([("三千零七", "3007")])
    assert pairs == [("三千零七", "3007"), ("3007", "三千零七")]
    batch = numerals.pair_batches(pairs, batch_size=9)(torch.Generator().manual_seed(0))
    for source, real, target in zip(batch["source"], batch["source_real"], batch["target"], strict=True):
        text = numerals.VOCABULARY.decode(source[real])
        assert (text, numerals.VOCABULARY.decode(target)) in pairs
        assert source[real][-1] == numerals.END
        assert target[0] == numerals.START


def test_alignment_has_a_row_a_character():
    torch.manual_seed(0)
    weights = numerals.alignment(EncoderDecoder(numerals.NUMERAL_TRANSLATOR).eval(), "三千零七", "3007")
    assert weights.shape == (5, 5)
    torch.testing.assert_close(weights.sum(dim=1), torch.ones(5))


def test_exact_matches_counts_whole_translations(monkeypatch):
    monkeypatch.setattr(numerals, "translate", lambda model, texts: ["3007", "12"])
    assert numerals.exact_matches(None, [("三千零七", "3007"), ("十三", "13")]) == 1


def test_shuffled_patches_keep_their_pixels():
    images = np.arange(2 * 64, dtype=np.float32).reshape(2, 8, 8)
    shuffled = digits.shuffle_patches(images, seed=1)

    def patches(image):
        return {tuple(image[r : r + 2, c : c + 2].ravel()) for r in range(0, 8, 2) for c in range(0, 8, 2)}

    assert not np.array_equal(shuffled, images)
    for before, after in zip(images, shuffled, strict=True):
        assert patches(before) == patches(after)
    assert np.array_equal(shuffled[1] - 64, shuffled[0]), "every image is shuffled in the same way"


def test_fewer_images_with_all_digits():
    data = load_digit_images()
    for size in (50, 200):
        images, labels = digits.first_of_each_class(data, size)
        assert len(images) == size
        assert np.bincount(labels).tolist() == [size // 10] * 10
    images, labels = digits.first_of_each_class(data, 1437)
    assert np.array_equal(images, data.train)
    assert np.array_equal(labels, data.train_labels)


@torch.no_grad()
def test_without_positions_patches_are_a_bag():
    images = load_digit_images().test[:7]
    shuffled = digits.image_tensor(digits.shuffle_patches(images, seed=2))
    for positions in (True, False):
        model = digits.make_vit(0, positions=positions).eval()
        difference = (model(digits.image_tensor(images)).logits - model(shuffled).logits).abs().max()
        assert (difference < 1e-5) == (not positions)


def test_windows_are_stretches_of_the_stream():
    vocabulary = CharacterVocabulary("ab=1", special=["<start>"])
    stream = text_stream(["a=1", "b"], vocabulary)
    assert stream.tolist() == [0, *vocabulary.encode("a=1"), 0, *vocabulary.encode("b")], (
        "a <start> before each text"
    )
    batch = window_batches(stream, length=2, batch_size=7)(torch.Generator().manual_seed(0))["tokens"]
    stretches = {tuple(stream[k : k + 3].tolist()) for k in range(4)}
    assert batch.shape == (7, 3)
    assert {tuple(row) for row in batch.tolist()} <= stretches, "a window jumps over a token"


@torch.no_grad()
def test_review_padding_has_no_weight_and_changes_nothing():
    torch.manual_seed(1)
    model = reviews.ReviewClassifier().eval()
    tokens = reviews.review_tokens(["很好的酒店", "键盘手感不错，屏也没坏点𠀀"])
    output = model(tokens)
    assert output.weights[tokens == reviews.PAD].abs().max() == 0
    assert tokens[1, 12] == reviews.UNKNOWN
    torch.testing.assert_close(output.weights.sum(dim=1), torch.ones(2))
    short = model(tokens[:1, :5])
    torch.testing.assert_close(short.logits, output.logits[:1], atol=1e-6, rtol=1e-5)


@torch.no_grad()
def test_shuffling_equal_weights_changes_nothing():
    model = reviews.ReviewClassifier().eval()
    torch.nn.init.zeros_(model.score.weight)
    tokens = reviews.review_tokens(["很好的酒店，下次还来"])
    assert reviews.shuffled_change(model, tokens, times=5).item() < 1e-6


@pytest.fixture
def decoder(shaken):
    torch.manual_seed(2)
    config = DecoderConfig(
        vocabulary_size=17, context_length=9, dim=24, num_layers=2, num_heads=3, positions="rotary"
    )
    return shaken(Decoder(config).eval(), 0.2)


@torch.no_grad()
def test_ablating_nothing_is_the_model(decoder):
    tokens = torch.randint(17, (2, 9))
    torch.testing.assert_close(ablations.logits_without(decoder, tokens, "nothing"), decoder(tokens).logits)


@torch.no_grad()
@pytest.mark.parametrize("part", ["attention", "mlp"])
def test_ablating_a_branch_is_zeroing_its_last_map(decoder, part):
    tokens = torch.randint(17, (2, 9))
    found = ablations.logits_without(decoder, tokens, part)
    for layer in decoder.layers:
        last = layer.attention.output if part == "attention" else layer.mlp.contract
        torch.nn.init.zeros_(last.weight)
        torch.nn.init.zeros_(last.bias)
    torch.testing.assert_close(found, decoder(tokens).logits)


@torch.no_grad()
def test_the_mean_of_a_branch_takes_its_place(decoder):
    """Where each token is the same, attention adds the same everywhere, so its mean is no loss."""
    tokens = torch.full((2, 9), 5)
    found = ablations.logits_without(decoder, tokens, "mlp", mean_over=torch.ones(2, 9, dtype=torch.bool))
    torch.testing.assert_close(found, decoder(tokens).logits)


@torch.no_grad()
def test_losses_without_are_means_over_each_texts_real_tokens(decoder):
    tokens = torch.randint(1, 17, (2, 8))
    real = torch.ones(2, 8, dtype=torch.bool)
    real[1, 5:] = False
    found = ablations.losses_without(decoder, tokens, real, "nothing")
    chances = decoder(tokens[:, :-1]).logits.log_softmax(-1).gather(2, tokens[:, 1:, None])[..., 0]
    torch.testing.assert_close(found, torch.stack([-chances[0].mean(), -chances[1, :4].mean()]))


@torch.no_grad()
def test_without_residual_the_first_attention_reads_alone(decoder):
    """Zero attention then leaves the MLP's bias path: the logits no longer depend on the token."""
    for layer in decoder.layers:
        torch.nn.init.zeros_(layer.attention.output.weight)
    tokens = torch.randint(17, (1, 9))
    logits = ablations.logits_without(decoder, tokens, "residual")
    torch.testing.assert_close(
        logits, logits[:, :1].expand_as(logits), msg="the token found a way past the branches"
    )
    with pytest.raises(ValueError, match="part must be one of nothing, attention, mlp, residual; got 'norm'"):
        ablations.logits_without(decoder, tokens, "norm")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device: this machine has none")
def test_measures_follow_the_model_to_its_device():
    poems, images = load_quatrains().validation[:20], load_digit_images()
    tokens = quatrains.poem_tokens(poems)
    review = ["设施很不错", "房间太小，不会再来"]
    torch.manual_seed(0)
    gpt, bert = Decoder(quatrains.QUATRAIN_GPT).eval(), Encoder(quatrains.QUATRAIN_BERT).eval()
    translator = EncoderDecoder(numerals.NUMERAL_TRANSLATOR).eval()
    vit, classifier = digits.make_vit(seed=0).eval(), reviews.ReviewClassifier().eval()

    def measures(device):
        for model in (gpt, bert, translator, vit, classifier):
            model.to(device)
        other = reviews.find_other_weights(classifier, reviews.review_tokens(review), steps=5)
        return [
            quatrains.gpt_loss(gpt, poems),
            *quatrains.bert_scores(bert, poems).values(),
            *(
                ablations.losses_without(gpt, tokens, tokens != quatrains.PAD, part).mean().item()
                for part in ablations.PARTS
            ),
            *numerals.alignment(translator, "三百零五", "305").flatten().tolist(),
            digits.vit_accuracy(vit, images.test[:50], images.test_labels[:50]),
            *reviews.review_scores(classifier, review, [1, 0]).values(),
            *reviews.shuffled_change(classifier, reviews.review_tokens(review), times=5).tolist(),
            *other.divergence.tolist(),
        ]

    assert measures("cuda") == pytest.approx(measures("cpu"), abs=1e-3)
    assert len(quatrains.sample_poems(gpt.cuda(), 2, seed=0)) == 2
    assert len(numerals.translate(translator.cuda(), ["三百零五"])) == 1
