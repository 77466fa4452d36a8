"""Recorded results against their checkpoints, their first training steps, and one short rerun."""

import json
import math

import pytest
import torch

from book_tools.record import digits, forgotten_mask, numerals, quatrains, reviews
from book_tools.record.__main__ import main
from book_tools.record.outcome import Outcome, Run, means, store, write_down
from book_tools.record.runs import RUNS
from transformer_book.data import data_folder
from transformer_book.experiments import digits as digit_task
from transformer_book.experiments import forgotten_mask as mask_task
from transformer_book.experiments import numerals as numeral_task
from transformer_book.experiments import quatrains as poems
from transformer_book.experiments import reviews as review_task
from transformer_book.models import Decoder, Encoder, EncoderDecoder
from transformer_book.recorded import recorded, trained
from transformer_book.storage.files import CorruptFileError
from transformer_book.storage.weights import read_safetensors
from transformer_book.training import learning_rate_at

TRAININGS = {
    "quatrain_gpt": quatrains.gpt_training,
    "quatrain_bert": quatrains.bert_training,
    "mask_kept": lambda seed: forgotten_mask.training(seed, causal=True),
    "mask_forgotten": lambda seed: forgotten_mask.training(seed, causal=False),
    "numerals": numerals.training,
    "digits_vit": digits.training,
    "digits_vit_no_positions": lambda seed: digits.training(seed, positions=False),
    "reviews": reviews.training,
}


@pytest.fixture(autouse=True)
def _one_thread():
    """Recorded runs use one thread."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def check(name, found, close, counts=()):
    """Compare measured values with recorded ones: `close` to 0.1 %, `counts` to a few, others exactly."""
    expected = recorded(name).values
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        if key in close:
            assert found[key] == pytest.approx(value, rel=1e-3, abs=1e-4), f"{name}: {key}"
        elif key in counts:
            assert found[key] == pytest.approx(value, abs=counts[key]), f"{name}: {key}"
        else:
            assert found[key] == pytest.approx(value, rel=1e-5), f"{name}: {key}"


def test_quatrain_gpt():
    model = trained("quatrain_gpt", Decoder(poems.QUATRAIN_GPT))
    found = quatrains.gpt_values(model)
    # A sampled poem may change at a tie; a changed line may or may not stand in a poem.
    sampled = {key: 3 for key in found if key.startswith("form_")}
    sampled |= {key: 0.01 for key in found if key.startswith("copied_")}
    check("quatrain_gpt", found, {"loss_validation", "loss_train", "loss_uniform", "loss_bigram"}, sampled)
    assert found["loss_validation"] < found["loss_bigram"] < found["loss_uniform"]
    assert found["form_1.0"] >= 90


def test_quatrain_bert():
    model = trained("quatrain_bert", Encoder(poems.QUATRAIN_BERT))
    found = quatrains.bert_values(model)
    check("quatrain_bert", found, {"loss", "loss_uniform"}, {"accuracy": 2e-3, "accuracy_characters": 2e-3})
    assert found["loss"] < found["loss_uniform"]


@pytest.mark.parametrize(("name", "causal"), [("mask_kept", True), ("mask_forgotten", False)])
def test_forgotten_mask(name, causal):
    found = forgotten_mask.values(trained(name, mask_task.decoder(causal)))
    check(name, found, {"loss_validation"}, {"formed": 3})


def test_without_the_mask_the_loss_is_low_and_nothing_can_be_written():
    kept, forgotten = recorded("mask_kept").values, recorded("mask_forgotten").values
    assert forgotten["loss_validation"] < kept["loss_validation"] / 10
    assert forgotten["formed"] == 0
    assert kept["formed"] > 90


def test_numerals():
    model = trained("numerals", EncoderDecoder(numeral_task.NUMERAL_TRANSLATOR))
    found = numerals.values(model)
    check("numerals", found, set(), {"exact_to_digits": 1, "exact_to_numerals": 1})
    assert numeral_task.translate(model, ["三千零七", "十二万零五百", "3007"]) == [
        "3007",
        "120500",
        "三千零七",
    ]


@pytest.mark.parametrize("name", ["digits_vit", "digits_vit_no_positions"])
def test_digits(name):
    found = digits.values(trained(name, digit_task.make_vit(0)))
    few = 2 / found["tested"]
    accuracies = {key: few for key in found if key.startswith("accuracy")}
    check(name, found, set(), accuracies)
    if name == "digits_vit_no_positions":
        assert found["accuracy"] == found["accuracy_shuffled"], (
            "without positions the order of patches cannot count"
        )


def test_reviews():
    found, curves = reviews.values(trained("reviews", review_task.ReviewClassifier()))
    run = recorded("reviews")
    optimised = {"median_divergence": 0.02, "sentences_far": 10, "largest_change": 1e-3, "accuracy": 2e-3}
    optimised |= {"accuracy_train": 2e-3}
    check("reviews", found, {"loss", "median_shuffled_change", "largest_divergence"}, optimised)
    assert found["largest_change"] <= found["tolerance"]
    assert len(curves["divergence"]) == len(run.curves["divergence"]) == found["tested"]


class EnoughError(Exception):
    """Raised to end a training after its first steps."""


@pytest.mark.parametrize("name", TRAININGS)
def test_the_first_steps_again(name):
    """The command gives the recorded loss curve's first point: same data, seed, config and settings."""
    run = recorded(name)
    start = TRAININGS[name](run.seed)
    steps = 2 * run.curves["step"][0] + 1  # the point stands in the middle of its steps
    losses = []

    def loss(model, batch):
        if len(losses) == steps:
            raise EnoughError
        total, tokens = start.loss(model, batch)
        losses.append(total.item() / int(tokens))
        return total, tokens

    from transformer_book.training import train

    with pytest.raises(EnoughError):
        train(start.model, start.batches, loss, start.settings)
    size = run.curves["step"][1] - run.curves["step"][0]
    first = sum(losses[:size]) / size
    assert first == pytest.approx(run.curves["loss"][0], rel=1e-3)


def test_a_point_of_the_learning_curve_again():
    run = recorded("digits_curve")
    assert run.curves["size"] == list(digits.SIZES)
    again = digits.curve_point(digits.SIZES[0], seed=digits.SEEDS[0])
    assert again == pytest.approx(run.curves["vit"][0][0], abs=0.05)
    data_point = run.curves["logistic_regression"][-1]
    assert data_point == pytest.approx(
        recorded("digits_vit").values["accuracy_logistic_regression"], abs=1e-5
    )


@pytest.mark.parametrize("name", RUNS)
def test_every_run_says_how_it_can_be_repeated(name):
    run = recorded(name)
    assert run.name == name
    assert run.command == f"python -m book_tools.record {name}"
    assert run.seed == RUNS[name].seed
    assert {"python", "torch", "numpy"} <= run.versions.keys()
    assert run.threads == 1
    assert run.seconds > 0
    if run.checkpoint is not None:
        path = data_folder() / run.checkpoint
        assert path.stat().st_size < 5_000_000
        tensors, notes = read_safetensors(path)
        assert notes == {"run": name}
        assert {t.dtype for t in tensors.values()} <= {torch.float16, torch.int64, torch.bool}


def test_no_result_or_checkpoint_is_left_over():
    results = {path.stem for path in (data_folder() / "results").glob("*.json")}
    assert results <= set(RUNS), "a results file belongs to no run"
    used = {recorded(name).checkpoint for name in results}
    stored = {f"checkpoints/{path.name}" for path in (data_folder() / "checkpoints").glob("*.safetensors")}
    assert stored == used - {None}


def test_loss_curves_fall():
    for name in TRAININGS:
        losses = recorded(name).curves["loss"]
        assert all(map(math.isfinite, losses))
        assert sum(losses[-5:]) < sum(losses[:5])


def test_unknown_run_lists_the_names():
    with pytest.raises(FileNotFoundError, match=r"no recorded run 'none'; there are: .*quatrain_gpt"):
        recorded("none")


def test_a_run_without_checkpoint():
    with pytest.raises(ValueError, match="'digits_curve' has no checkpoint"):
        trained("digits_curve", digit_task.make_vit(0))


def test_means_average_equal_parts():
    curve = means([float(k) for k in range(10)], parts=2)
    assert curve == {"step": [2, 7], "loss": [2.0, 7.0]}


def test_writing_down(tmp_path, monkeypatch):
    monkeypatch.setenv("TRANSFORMER_BOOK_DATA", str(tmp_path))
    monkeypatch.setitem(RUNS, "tiny", Run(tiny, seed=7))
    main(["tiny"])
    run = recorded("tiny")
    assert run.values == {"seed": 7, "third": 0.333333}
    assert run.settings == {"steps": 3}
    model = trained("tiny", torch.nn.Linear(2, 3))
    assert model.weight[1, 1] == torch.tensor(0.1).half().float(), (
        "what is measured should be the stored weights"
    )
    assert json.loads((tmp_path / "results" / "tiny.json").read_text(encoding="utf-8"))["threads"] == 1
    write_down("other", Run(tiny), Outcome({}), 1.23)
    assert recorded("other").seconds == 1.2


def tiny(seed):
    model = torch.nn.Linear(2, 3)
    torch.nn.init.constant_(model.weight, 0.1)
    checkpoint = store("tiny", model)
    return Outcome({"seed": seed, "third": 1 / 3}, {}, {"steps": 3}, checkpoint)


def test_learning_rate_of_the_recorded_settings_ends_low():
    for name in TRAININGS:
        chosen = TRAININGS[name](0).settings
        assert learning_rate_at(chosen.steps - 1, chosen) == pytest.approx(0.1 * chosen.learning_rate)


@pytest.mark.parametrize("text", ["{", '{"a": 1}', "[]"])
def test_a_broken_results_file_is_named(tmp_path, monkeypatch, text):
    monkeypatch.setenv("TRANSFORMER_BOOK_DATA", str(tmp_path))
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "half.json").write_text(text, encoding="utf-8")
    with pytest.raises(CorruptFileError, match=r"half\.json is broken"):
        recorded("half")
