"""Wiegreffe and Pinter's tests on the classifier of reviews (section 10): rivals, and recorded rows."""

import math

import pytest
import torch

from transformer_book.experiments import attention_tests, reviews
from transformer_book.experiments.reviews import PAD, ReviewOutput
from transformer_book.recorded import recorded

SENTENCES = ["很好的酒店", "键盘手感不错，屏也没坏点"]


@torch.no_grad()
def test_the_uniform_classifier_gives_every_character_the_same_weight():
    torch.manual_seed(1)
    model = attention_tests.UniformClassifier().eval()
    tokens = reviews.review_tokens(SENTENCES)
    output = model(tokens)
    assert output.weights[0, :5].tolist() == pytest.approx([0.2] * 5)
    assert output.weights[tokens == PAD].abs().max() == 0, "weight on padding"
    mean = output.vectors[0, :5].mean(dim=0)
    torch.testing.assert_close(output.logits[0], model.answer(mean))


@torch.no_grad()
def test_a_guided_character_does_not_see_its_neighbours():
    torch.manual_seed(1)
    model = attention_tests.GuidedClassifier(8).eval()
    tokens = reviews.review_tokens(SENTENCES)
    first = torch.eye(tokens.shape[1])[:1].expand(2, -1)  # all weight on the first character
    changed = tokens.clone()
    changed[:, 1:] = tokens[:, 1:].flip(0)
    torch.testing.assert_close(model(tokens, first), model(changed, first))
    learnt = attention_tests.GuidedClassifier(8, learnt=True).eval()
    shuffled = tokens[:, torch.randperm(tokens.shape[1])]
    torch.testing.assert_close(
        learnt(tokens, first), learnt(shuffled, first), msg="order or given weights count"
    )


def test_the_rivals_loss_by_hand():
    output = ReviewOutput(torch.tensor([[0.0, math.log(3)]]), torch.tensor([[0.5, 0.5]]), torch.zeros(1))
    batch = {"inputs": None, "chances": torch.tensor([0.5]), "weights": torch.tensor([[0.25, 0.75]])}
    total, count = attention_tests.ApartLoss(0.1)(lambda inputs: output, batch)
    divergence = 0.5 * math.log(0.5 / 0.25) + 0.5 * math.log(0.5 / 0.75)
    assert total.item() == pytest.approx(abs(0.75 - 0.5) - 0.1 * divergence), (
        "signs, or KL the other way round"
    )
    assert count == 1


def test_comparing_a_model_with_itself():
    rows = {"inputs": reviews.review_tokens(SENTENCES), "labels": torch.tensor([1, 0])}
    own = attention_tests.answers(reviews.ReviewClassifier(), rows)
    assert attention_tests.compare(own, own) == {
        "divergence": pytest.approx(0, abs=1e-6),
        "distance": 0,
        "distances": [0, 0],
        "accuracy": own.accuracy,
        "right": attention_tests.marks(own.right),
    }


def test_marks_and_distances_are_those_of_each_sentence():
    weights = torch.tensor([[1.0, 0.0], [1.0, 0.0]])
    one = attention_tests.Answers(weights, torch.tensor([0.75, 0.25]), torch.tensor([True, True]))
    other = attention_tests.Answers(weights, torch.tensor([0.5, 0.375]), torch.tensor([False, True]))
    compared = attention_tests.compare(one, other)
    assert compared["distances"] == [0.25, 0.125]
    assert compared["distance"] == pytest.approx(0.1875)
    assert compared["right"] == "01"
    assert compared["accuracy"] == 0.5


def test_the_marks_of_each_row_give_its_accuracy():
    run = recorded("attention_tests")
    for row in run.values["rows"]:
        for name in (key.removesuffix(".right") for key in row if key.endswith(".right")):
            marks = row[f"{name}.right"]
            assert marks.count("1") / len(marks) == pytest.approx(row[f"{name}.accuracy"], abs=1e-6), name
        for name in ("seed", "apart"):
            distances = row[f"{name}.distances"]
            assert sum(distances) / len(distances) == pytest.approx(row[f"{name}.distance"], abs=1e-4), name
            assert len(distances) == len(row["own.right"])


def test_the_first_seed_is_the_recorded_classifier():
    row = recorded("attention_tests").values["rows"][0]
    run = recorded("reviews").values
    # The stored weights are float16: two of the 630 sentences may fall on the other side.
    assert row["own.accuracy"] == pytest.approx(run["accuracy"], abs=0.0032)
    assert row["searched.divergence"] == pytest.approx(run["median_divergence"], abs=0.03)
    assert row["searched.distance"] <= reviews.TOLERANCE
