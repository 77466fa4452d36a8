"""Recorded results against their checkpoints and their first training steps, and the recorder itself."""

from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from book_tools.record import recorder
from book_tools.record.__main__ import main
from book_tools.record.recorder import means
from book_tools.record.runs import RUNS
from transformer_book.data import data_folder
from transformer_book.experiments import (
    ablations,
    deep_stacks,
    digits,
    longer_texts,
    number_text,
    numerals,
    scaled_scores,
    shifted_digits,
    text_stream,
)
from transformer_book.experiments.experiment import Experiment, Grid, Measurement, Outcome, Training
from transformer_book.recorded import mean_and_error, recorded, trained
from transformer_book.storage.files import CorruptFileError
from transformer_book.storage.weights import read_safetensors
from transformer_book.training import TrainingSettings

EXPERIMENTS = [name for name, run in RUNS.items() if isinstance(run, Experiment)]

# Losses are means over thousands of tokens, measured in float32 with weights that are the same everywhere. In
# sums of up to 512 terms, through a few layers, another processor's order of adding shifts a score by about
# 1e-5 of its size; results are stored with six digits.
CLOSE = {"rel": 2e-4, "abs": 2e-5}
# What is counted changes by whole cases where a score, so shifted, falls on the other side of a draw or of a
# rival: one draw in 1e5, or a few rivals in thousands. A poem that goes another way may lose its form, and
# what 300 steps of Adam find (divergence and what follows from it) ends near by, not at the same place.
COUNTED = {
    "form": 3,
    "formed": 3,
    "share": 0.015,  # three of 200 poems
    "copied": 0.01,
    "exact": 1,
    "aligned": 0.002,  # five of the 2,361 digits
    "accuracy": 0.006,  # two of the 360 test digits, and fewer of all else
    "median": 0.02,
    "sentences": 10,
    "largest": 2e-3,
}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_values_are_those_of_the_checkpoint(name):
    run = RUNS[name]
    found = run.measure(trained(name, run.start(run.seed).model)).values
    expected = recorded(name).values
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        if (kind := key.split("_")[0]) in COUNTED:
            assert found[key] == pytest.approx(value, abs=COUNTED[kind]), f"{key}: edited, or other data"
        elif isinstance(value, int):
            assert found[key] == value, f"{key}: edited, or other data"
        else:
            assert found[key] == pytest.approx(value, **CLOSE), f"{key}: edited, or other data"


class EnoughError(Exception):
    """Raised to end a training after its first steps."""


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_first_steps_again(name, first_losses):
    """The command gives the recorded loss curve's first point: same data, seed, config and settings."""
    run, stored = RUNS[name], recorded(name)
    start = run.start(stored.seed)
    if run.at_start is not None:
        # A gradient through 24 layers of products of up to 128 terms: each adds some 1e-6, not all alike.
        for key, curve in run.at_start(start.model).items():
            np.testing.assert_allclose(curve, stored.curves[key], rtol=1e-3, err_msg=key)
    steps = stored.curves["step"][1] - stored.curves["step"][0]
    losses = first_losses(start, steps)
    # The first loss is as close as any; each of at most twenty updates passes its rounding on to the next.
    assert np.mean(losses) == pytest.approx(stored.curves["loss"][0], rel=2e-3), "the run does not repeat"


GRIDS = {
    "stacks": lambda settings, seed: deep_stacks.train_stack(settings, seed, steps=10)[1],
    "shifted_digits": lambda settings, seed: shifted_digits.train_classifier(
        settings, seed, steps=settings.warmup
    )[1][:20],
}
CONDITIONS = {"stacks": deep_stacks.CONDITIONS, "shifted_digits": shifted_digits.CONDITIONS}


@pytest.mark.parametrize("name", GRIDS)
def test_a_grid_without_weights_starts_again(name):
    """The first steps of a grid's first condition give the first point of its recorded loss."""
    stored, condition = recorded(name), next(iter(CONDITIONS[name]))
    losses = GRIDS[name](CONDITIONS[name][condition], stored.seed)
    assert np.mean(losses) == pytest.approx(stored.curves[condition]["loss"][0], rel=2e-3)


@pytest.mark.parametrize("kind", longer_texts.KINDS)
def test_losses_beyond_the_training_length_are_those_of_the_checkpoint(kind, row_of):
    model = trained("positions", longer_texts.experiment(kind).start(0).model, kind)
    row = row_of("positions", kind, longer_texts.SEEDS[0])
    for name, values in longer_texts.measure(model).values.items():
        assert row[name] == pytest.approx(values, **CLOSE), f"{name}: edited, or other data"


@pytest.mark.parametrize("name", ["wide_16_unscaled", "gpt2_64_scaled"])
def test_the_first_steps_of_a_decoder_with_watched_queries_again(name, row_of, first_losses):
    start, D_q, divisor = name.split("_")
    seed = scaled_scores.SEEDS[1]
    row = row_of("scaled_scores", name, seed)
    watch, steps = scaled_scores.Watch(), scaled_scores.WATCHED[1]
    scaled = scaled_scores.DIVISORS[divisor]
    model = scaled_scores.small_decoder(int(D_q), start, scaled=scaled, seed=seed)

    settings = replace(scaled_scores.SETTINGS, seed=seed)
    first_losses(Training(model, scaled_scores.text_batches(), watch.loss, settings), steps)
    for key, looks in watch.seen.items():
        # The untrained model, whose rounding no training has passed on: float32 in sums of up to 64 terms.
        np.testing.assert_allclose(row[key][0], looks[0], rtol=1e-3, err_msg=key)
    assert row["loss_at_first"] == pytest.approx(np.mean(watch.losses), rel=2e-3), "the run does not repeat"


def test_each_grid_has_each_pair_once():
    for name, run in RUNS.items():
        if isinstance(run, Grid):
            rows = recorded(name).values["rows"]
            expected = list(product(run.conditions, run.seeds))
            assert [(row["condition"], row["seed"]) for row in rows] == expected, name


def test_over_seeds_has_a_row_a_seed():
    run = replace(
        recorded("numerals"),
        values={
            "rows": [
                {"condition": "a", "seed": 0, "x": [1, 2]},
                {"condition": "b", "seed": 0, "x": [3, 4]},
                {"condition": "a", "seed": 1, "x": [5, 8]},
            ]
        },
    )
    found = run.over_seeds("a", "x")
    assert found.tolist() == [[1, 2], [5, 8]]
    mean, error = mean_and_error(found)
    assert mean.tolist() == [3, 5]
    np.testing.assert_allclose(error, [2, 3])
    with pytest.raises(ValueError, match="condition must be one of the run numerals; got 'c'"):
        run.over_seeds("c", "x")
    one = replace(run, values={"x": 1}, rows=[{"seed": 0, "x": 1}, {"seed": 7, "x": 4}])
    assert one.over_seeds(None, "x").tolist() == [1, 4]
    with pytest.raises(ValueError, match="condition must be one of the run numerals; got 'a'"):
        one.over_seeds("a", "x")
    with pytest.raises(ValueError, match="values must be of at least two seeds; got 1"):
        mean_and_error(found[:1])


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if len(RUNS[name].seeds) > 1])
def test_each_experiment_has_a_row_a_seed(name):
    run = recorded(name)
    assert [row["seed"] for row in run.rows] == list(RUNS[name].seeds)
    assert run.rows[0] == {"seed": run.seed} | run.values, (
        "the first row is of other weights than the checkpoint"
    )


def test_what_the_pages_say_of_the_results():
    values = {name: recorded(name).values for name in EXPERIMENTS}
    for gpt in recorded("quatrain_gpt").rows:
        assert gpt["loss_validation"] < gpt["loss_bigram"] < gpt["loss_uniform"]
        assert gpt["form_1.0"] >= 90
        assert gpt["without_attention"] < min(gpt["without_mlp"], gpt["without_residual"])
    for bert in recorded("quatrain_bert").rows:
        assert bert["loss"] < bert["loss_uniform"]
    for kept, forgotten in zip(recorded("mask_kept").rows, recorded("mask_forgotten").rows, strict=True):
        assert forgotten["loss_validation"] < kept["loss_validation"] / 10
        assert (forgotten["formed"], kept["formed"] > 90) == (0, True), (
            "without the mask nothing can be written"
        )
    bag = values["digits_vit_no_positions"]
    assert bag["accuracy"] == bag["accuracy_shuffled"], "without positions the order of patches cannot count"
    assert values["reviews"]["largest_change"] <= values["reviews"]["tolerance"]


def test_the_translator_reads_both_scripts():
    model = trained("numerals", numerals.start(0).model)
    expected = {"三千零七": "3007", "十二万零五百": "120500", "3007": "三千零七"}
    assert dict(zip(expected, numerals.translate(model, list(expected)), strict=True)) == expected


@pytest.mark.parametrize("name", RUNS)
def test_every_run_says_how_it_can_be_repeated(name):
    run = recorded(name)
    assert run.name == name
    assert run.command == f"python -m book_tools.record {name}"
    assert run.seed == RUNS[name].seed
    assert {"python", "torch", "numpy", *RUNS[name].packages} <= run.versions.keys()
    assert run.threads == 1
    for path in checkpoints(name):
        assert path.stat().st_size < 5_000_000
        tensors, notes = read_safetensors(path)
        assert notes["run"].startswith(name)
        assert {t.dtype for t in tensors.values()} <= {torch.float16, torch.int64, torch.bool}


def checkpoints(name):
    """The files of weights of a run: none, one, or one a condition."""
    checkpoint = recorded(name).checkpoint
    conditions = getattr(RUNS[name], "conditions", [None])
    return [] if checkpoint is None else [data_folder() / checkpoint.format(condition=c) for c in conditions]


def test_no_result_or_checkpoint_is_left_over():
    results = {path.stem for path in (data_folder() / "results").glob("*.json")}
    assert results <= set(RUNS), "a results file belongs to no run"
    used = {path for name in results for path in checkpoints(name)}
    assert set((data_folder() / "checkpoints").glob("*.safetensors")) == used


def test_unknown_run_lists_the_names():
    with pytest.raises(
        FileNotFoundError, match=r"name must be that of a recorded run, one of .*quatrain_gpt.*; got 'none'"
    ):
        recorded("none")


def test_a_run_without_checkpoint():
    with pytest.raises(
        ValueError, match="name must be that of a run with a checkpoint; got 'shifted_digits'"
    ):
        trained("shifted_digits", digits.make_vit(0))


@pytest.mark.parametrize("text", ["{", '{"a": 1}', "[]"])
def test_a_broken_results_file_is_named(tmp_path, monkeypatch, text):
    monkeypatch.setenv("TRANSFORMER_BOOK_DATA", str(tmp_path))
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "half.json").write_text(text, encoding="utf-8")
    with pytest.raises(CorruptFileError, match=r"half\.json must be a recorded run"):
        recorded("half")


def test_means_average_equal_parts():
    curve = means([float(k) for k in range(10)], parts=2)
    assert curve == {"step": [2, 7], "loss": [2.0, 7.0]}


@pytest.fixture
def command(tmp_path, monkeypatch):
    """The command with an empty data folder, a run "tiny", a grid "pair", and what was called in `calls`."""
    monkeypatch.setenv("TRANSFORMER_BOOK_DATA", str(tmp_path))
    monkeypatch.setattr(recorder, "CHECKPOINT_EVERY", 2)
    calls = SimpleNamespace(steps=0, last=1000)

    def loss(model, batch):
        if calls.steps == calls.last:
            raise EnoughError
        calls.steps += 1
        return model(batch["x"]).square().sum(), torch.tensor(3)

    def tiny(bias):
        def start(seed):
            torch.manual_seed(seed)
            settings = TrainingSettings(steps=6, warmup=0, seed=seed, progress=False)
            draw = lambda g: {"x": torch.rand(3, 2, generator=g)}  # noqa: E731
            return Training(torch.nn.Linear(2, 3, bias=bias), draw, loss, settings)

        return Experiment(start=start, measure=lambda m: Outcome({"first": m.weight[0, 0].item()}), points=3)

    monkeypatch.setitem(RUNS, "tiny", tiny(True))
    monkeypatch.setitem(
        RUNS, "pair", Grid(conditions={"bias": tiny(True), "none": tiny(False)}, seeds=(4, 5))
    )
    calls.run = lambda name: main([name], unfinished=tmp_path / "unfinished")
    calls.unfinished = tmp_path / "unfinished"
    return calls


def test_a_run_is_written_down(command):
    command.run("tiny")
    run, model = recorded("tiny"), trained("tiny", torch.nn.Linear(2, 3))
    assert torch.equal(model.weight, model.weight.half().float())
    assert run.values == {"first": float(f"{model.weight[0, 0].item():.6g}")}, "measured on other weights"
    assert run.settings["steps"] == 6
    assert run.settings["checkpoint"] is None, "where unfinished work lay is nobody's business"
    assert run.curves["step"] == [1, 3, 5]
    assert not list(command.unfinished.iterdir())


def test_a_run_that_was_stopped_goes_on(command):
    command.run("tiny")
    expected = recorded("tiny").values
    command.steps, command.last = 0, 5
    with pytest.raises(EnoughError):
        command.run("tiny")
    command.steps, command.last = 0, 1000
    command.run("tiny")
    assert command.steps == 2, "four of six steps stood in the unfinished checkpoint"
    assert recorded("tiny").values == expected


def test_other_seeds_leave_rows_and_no_weights(command, monkeypatch):
    """A run with one seed gets the others' rows; its weights, values and curves stay as they were."""
    command.run("tiny")
    before, weights = recorded("tiny"), trained("tiny", torch.nn.Linear(2, 3)).weight
    monkeypatch.setitem(RUNS, "tiny", replace(RUNS["tiny"], seeds=(0, 1, 2)))
    command.steps, command.last = 0, 6 + 5
    with pytest.raises(EnoughError):
        command.run("tiny")
    assert [row["seed"] for row in recorded("tiny").rows] == [0, 1]
    command.last = 1000
    command.run("tiny")
    assert command.steps == 2 * 6 + 1, "a finished seed, or finished steps, were done again"
    after = recorded("tiny")
    assert (after.values, after.curves, after.seed) == (before.values, before.curves, 0)
    assert after.seconds >= before.seconds
    assert torch.equal(trained("tiny", torch.nn.Linear(2, 3)).weight, weights)
    assert after.over_seeds(None, "first")[0] == before.values["first"]
    assert len(set(after.over_seeds(None, "first"))) == 3, "two rows are of the same training"
    assert not list(command.unfinished.iterdir())


def test_seeds_added_to_a_grid_stand_with_their_condition(command, monkeypatch):
    command.run("pair")
    rows = recorded("pair").values["rows"]
    monkeypatch.setitem(RUNS, "pair", replace(RUNS["pair"], seeds=(4, 5, 6)))
    command.steps = 0
    command.run("pair")
    found = recorded("pair").values["rows"]
    assert command.steps == 2 * 6, "finished rows were done again"
    pairs = [(row["condition"], row["seed"]) for row in found]
    assert pairs == list(product(("bias", "none"), (4, 5, 6)))
    assert [row for row in found if row["seed"] != 6] == rows


def test_a_grid_writes_row_by_row_and_goes_on(command):
    command.last = 3 * 6 + 3
    with pytest.raises(EnoughError):
        command.run("pair")
    rows = recorded("pair").values["rows"]
    assert [(row["condition"], row["seed"]) for row in rows] == [("bias", 4), ("bias", 5), ("none", 4)]
    command.last = 1000
    command.run("pair")
    run = recorded("pair")
    assert command.steps == 3 * 6 + 3 + 4, "finished rows and steps were done again"
    assert run.values["rows"][:3] == rows
    assert len({row["first"] for row in run.values["rows"]}) == 4, "two rows are of the same training"
    assert run.curves.keys() == {"bias", "none"}
    assert trained("pair", torch.nn.Linear(2, 3, bias=False), "none").weight[0, 0].item() == pytest.approx(
        rows[2]["first"], rel=1e-5
    )
    assert not list(command.unfinished.iterdir())


def test_a_grid_of_measurements_keeps_no_weights(command, monkeypatch):
    asked = []

    def measure(seed):
        asked.append(seed)
        return Outcome({"twice": 2 * seed})

    settings = TrainingSettings(steps=6, warmup=0)
    measurement = Measurement(measure=measure, settings=settings)
    monkeypatch.setitem(RUNS, "pair", Grid(conditions={"a": measurement, "b": measurement}, seeds=(4, 5)))
    command.run("pair")
    run = recorded("pair")
    assert run.checkpoint is None
    assert run.settings["b"]["steps"] == 6
    assert [row["twice"] for row in run.values["rows"]] == [8, 10, 8, 10]
    assert asked == [4, 5, 4, 5]


def test_an_unknown_name_lists_the_runs(command, capsys):
    with pytest.raises(SystemExit):
        command.run("none")
    assert "NAME must be one of quatrain_gpt, " in capsys.readouterr().err


def test_ranges_cover_every_position_once():
    losses = torch.arange(longer_texts.READ_LENGTH, dtype=torch.float32)
    found = longer_texts.losses_by_range(losses.expand(3, -1))
    widths = np.diff([0, *longer_texts.ENDS])
    assert np.dot(found, widths) == losses.sum(), "a position is missing or counted twice"


def test_the_bigram_is_looked_up_at_each_position_of_each_window():
    follow, _ = text_stream.pair_chances(*_neighbours("train"), len(longer_texts.VOCABULARY))
    before, after = _neighbours("validation")
    losses = longer_texts.bigram_losses(7)
    expected = -follow[before, after].log()[: losses.numel()]
    torch.testing.assert_close(
        losses.flatten(), expected, msg="a pair is missing, counted twice or turned round"
    )
    whole = longer_texts.counting_losses()["bigram"]
    assert whole == pytest.approx(-follow[before, after].log().mean().item()), "not of the whole text"


def _neighbours(part):
    text = number_text.number_stream(part)
    return text[:-1], text[1:]


def test_difference_is_what_the_mean_of_a_window_leaves():
    first, second = torch.tensor([[3.0, -3, 0], [0, 5, -5]])
    window = torch.stack([first, first, second])  # normalised: two a, one b with a · b = -|a|²/2
    both = torch.stack([window, first.expand(3, 3)])
    a, b = 3 / 6**0.5 * torch.tensor([[1.0, -1, 0], [0, 1, -1]])  # mean square 1
    mean = (2 * a + b) / 3
    left = (2 * (a - mean).square().mean() + (b - mean).square().mean()) / 3
    assert deep_stacks.difference(both) == pytest.approx(left.item() / 2, rel=1e-4), (
        "the second window has none"
    )
    assert deep_stacks.difference(both[1:]) == pytest.approx(0, abs=1e-6)


@torch.no_grad()
def test_silent_attention_leaves_each_position_alone():
    model = deep_stacks.weaken(deep_stacks.deep_decoder("post", depth=2), "attention", 0).eval()
    rows = torch.randint(3, 9, (1, 6))
    changed = rows.clone()
    changed[0, 1] = 2
    same = torch.isclose(model(rows).logits, model(changed).logits).all(dim=-1)
    assert same.tolist() == [[True, False, True, True, True, True]], "another position has looked"


@torch.no_grad()
def test_a_silent_mlp_leaves_attention_alone():
    model = deep_stacks.weaken(deep_stacks.deep_decoder("pre", depth=2), "mlp", 0).eval()
    rows = torch.randint(3, 9, (1, 6))
    whole, without = (ablations.logits_without(model, rows, part) for part in ("nothing", "mlp"))
    assert torch.equal(whole, without), "an MLP still adds something"
    assert not torch.allclose(whole, ablations.logits_without(model, rows, "attention")), (
        "attention is silent"
    )


@torch.no_grad()
def test_a_weaker_part_adds_the_share_that_is_left():
    inputs = torch.randn(1, 6, deep_stacks.DIM, generator=torch.Generator().manual_seed(0))
    whole, half = (
        deep_stacks.weaken(deep_stacks.deep_decoder("pre", depth=1), "attention", factor).layers[0]
        for factor in (1, 0.5)
    )
    torch.testing.assert_close(2 * half.attention(inputs).output, whole.attention(inputs).output)


def test_gradients_name_each_matrix_of_each_layer():
    model = deep_stacks.deep_decoder("pre", depth=3)
    found = deep_stacks.gradients(model, windows=2)
    assert {kind: len(norms) for kind, norms in found.items()} == dict.fromkeys(deep_stacks.MATRICES, 3)
    assert all(parameter.grad is None for parameter in model.parameters())


def test_placed_digits_keep_their_ink():
    images = np.arange(1, 1 + 30 * 64, dtype=np.float32).reshape(30, 8, 8)
    still, moved, again = (
        shifted_digits.placed(images, seed=seed, moved=m) for seed, m in ((3, False), (3, True), (3, True))
    )
    assert np.array_equal(still[:, 2:10, 2:10], images), "not in the middle"
    assert np.array_equal(moved, again)
    places = [tuple(np.argwhere(image).min(axis=0)) for image in moved]
    assert len(set(places)) > 5, "the digits do not move"
    for image, canvas in zip(images, moved, strict=True):
        assert np.array_equal(canvas[canvas > 0], image.ravel()), "ink is lost at an edge"


def test_three_networks_of_one_size():
    sizes = [sum(p.numel() for p in make().parameters()) for make in shifted_digits.MODELS.values()]
    assert max(sizes) < 1.01 * min(sizes)
