"""The loop learns, follows its settings, stops on NaN and gives the same in two processes."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from small_run import MODELS, VOCABULARY, batches, make_model, settings
from torch import nn

from transformer_book.storage.weights import read_safetensors
from transformer_book.training import learning_rate_at, mask_tokens, next_token_loss, train
from transformer_book.training.loop import make_optimizer


def test_training_learns_to_count():
    model = make_model()
    result = train(model, batches, next_token_loss, settings(steps=150))
    uniform = torch.tensor(float(VOCABULARY)).log().item()
    assert abs(result.losses[0] - uniform) < 0.2, "an untrained model should guess uniformly"
    assert sum(result.losses[-10:]) / 10 < uniform / 2
    assert len(result.gradient_norms) == 150
    assert not model.training, "train() leaves the model in training mode: dropout would stay on"


def test_same_seed_same_losses_and_another_seed_others():
    first, second = (train(make_model(0.1), batches, next_token_loss, settings()).losses for _ in range(2))
    other = train(make_model(0.1), batches, next_token_loss, settings(seed=4)).losses
    assert first == second
    assert first != other


def test_every_step_draws_a_batch_of_its_own():
    seen = []

    def recorded(generator):
        batch = batches(generator)
        seen.append(batch["tokens"].tolist())
        return batch

    train(make_model(), recorded, next_token_loss, settings(steps=6))
    train(make_model(), recorded, next_token_loss, settings(steps=6, seed=4))
    assert all(seen.count(tokens) == 1 for tokens in seen), (
        "a batch came twice: its number is not in the seed"
    )


def test_learning_rate_rises_and_falls():
    chosen = settings(steps=100, warmup=10, learning_rate=2.0, final_fraction=0.1)
    rates = [learning_rate_at(step, chosen) for step in range(100)]
    assert rates[0] == pytest.approx(0.2)
    assert rates[9] == rates[10] == pytest.approx(2.0)
    assert rates[-1] == pytest.approx(0.2), "the last step should have final_fraction of the peak"
    assert rates[10:] == sorted(rates[10:], reverse=True)
    middle = (10 + 99) / 2
    assert learning_rate_at(middle, chosen) == pytest.approx(1.1), "half way, the mean of peak and end"


def test_learning_rate_without_warmup_starts_at_its_peak():
    chosen = settings(steps=5, warmup=0, learning_rate=2.0, final_fraction=0.1)
    assert learning_rate_at(0, chosen) == pytest.approx(2.0)
    assert learning_rate_at(4, chosen) == pytest.approx(0.2)
    assert learning_rate_at(0, settings(steps=1, warmup=0, learning_rate=2.0)) == pytest.approx(2.0)


@pytest.mark.parametrize("step", [-1, float("nan"), "1"])
def test_no_learning_rate_before_the_first_step(step):
    with pytest.raises(ValueError, match=r"step must be a number of at least 0; got"):
        learning_rate_at(step, settings())


def test_learning_rate_reaches_the_optimizer():
    slow = train(make_model(), batches, next_token_loss, settings(steps=3, warmup=3, learning_rate=1e-9))
    fast = train(make_model(), batches, next_token_loss, settings(steps=3, warmup=3))
    assert abs(slow.losses[2] - fast.losses[2]) > 1e-4


def test_gradients_are_clipped():
    class Record(nn.Linear):
        pass

    model = Record(3, 2)
    seen = []
    model.weight.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.norm().item()))

    def loss(called, batch):
        return 1e4 * called(batch["x"]).sum(), torch.tensor(5)

    before = model.weight.detach().clone()
    chosen = settings(steps=1, warmup=0, clip=0.5, weight_decay=0.0)
    result = train(model, lambda g: {"x": torch.rand(5, 3, generator=g)}, loss, chosen)
    assert result.gradient_norms[0] > 1e3, "the norm is reported before clipping"
    total = torch.cat([p.grad.flatten() for p in model.parameters()]).norm().item()
    assert total == pytest.approx(0.5, rel=1e-3), "gradients were not clipped to settings.clip"
    assert not torch.equal(before, model.weight)


def test_weight_decay_is_for_matrices():
    optimizer = make_optimizer(make_model(), settings(weight_decay=0.3))
    for group in optimizer.param_groups:
        expected = 0.3 if group["params"][0].ndim >= 2 else 0.0
        assert group["weight_decay"] == expected
        assert len({p.ndim >= 2 for p in group["params"]}) == 1


def test_nan_loss_stops_the_run_and_names_the_step():
    model = make_model()
    calls = 0
    before = {}

    def loss(called, batch):
        nonlocal calls
        calls += 1
        total, tokens = next_token_loss(called, batch)
        if calls == 4:
            before.update({name: p.detach().clone() for name, p in model.named_parameters()})
            total = total * float("nan")
        return total, tokens

    with pytest.raises(
        FloatingPointError, match=r"loss must be finite; got nan at step 3 \(learning rate 0\.008\)"
    ):
        train(model, batches, loss, settings())
    for name, parameter in model.named_parameters():
        assert torch.equal(parameter, before[name]), "the step with the NaN must not touch the weights"


def test_infinite_gradient_stops_the_run():
    model = nn.Linear(1, 1, bias=False)
    nn.init.zeros_(model.weight)

    def loss(called, batch):
        return called(batch["x"]).square().sum().sqrt(), torch.tensor(
            1
        )  # finite, with an infinite slope at 0

    with pytest.raises(FloatingPointError, match="gradient's norm must be finite; got nan at step 0"):
        train(model, lambda g: {"x": torch.ones(1, 1)}, loss, settings())


def test_a_batch_without_tokens_is_an_error():
    with pytest.raises(FloatingPointError, match="the batch has no token"):
        train(
            make_model(),
            lambda g: {**batches(g), "real": torch.zeros(6, 12, dtype=bool)},
            next_token_loss,
            settings(),
        )


def frozen():
    model = make_model()
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    return model


@pytest.mark.parametrize(
    ("change", "kind", "sentence"),
    [
        ({"model": frozen()}, ValueError, "model must be a module with a parameter that requires a gradient"),
        ({"model": nn.Identity()}, ValueError, "model must be a module with a parameter"),
        ({"model": nn.Linear(2, 3, device="meta")}, ValueError, "model must be on a device with memory"),
        ({"model": "gpt2"}, TypeError, "model must be a torch module; got a str"),
        ({"batches": [{}]}, TypeError, "batches must be a function; got a list"),
        ({"loss": None}, TypeError, "loss must be a function; got a NoneType"),
        (
            {"batches": lambda g: {"tokens": torch.tensor(1)}},
            ValueError,
            "must be of at least 1 rows, one for",
        ),
        ({"settings": {"steps": 3}}, TypeError, "settings must be TrainingSettings; got a dict"),
        ({"batches": lambda g: torch.zeros(2, 3)}, TypeError, "batches must be .* a dict of tensors; got"),
        ({"batches": lambda g: {"tokens": [[1, 2]]}}, TypeError, r"batch\['tokens'\] must be a torch tensor"),
        ({"loss": lambda m, b: next_token_loss(m, b)[0]}, TypeError, "loss must be .* two tensors"),
        ({"loss": lambda m, b: (next_token_loss(m, b)[0], 20)}, TypeError, "two tensors without axes"),
        ({"loss": lambda m, b: (torch.tensor(1.0), torch.tensor(2))}, ValueError, "a sum without gradient"),
    ],
)
def test_what_no_run_can_be_made_of_is_named(change, kind, sentence):
    arguments = {"model": make_model(), "batches": batches, "loss": next_token_loss, "settings": settings()}
    with pytest.raises(kind, match=sentence):
        train(**{**arguments, **change})


def test_progress_goes_to_the_error_stream(capsys):
    train(make_model(), batches, next_token_loss, settings(steps=150, progress=True))
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "loss=" in shown.err
    train(make_model(), batches, next_token_loss, settings(steps=5, progress=False))
    assert capsys.readouterr().err == ""


def test_bfloat16_products_keep_float32_weights():
    model = make_model()
    result = train(model, batches, next_token_loss, settings(precision="bfloat16"))
    exact = train(make_model(), batches, next_token_loss, settings())
    assert {p.dtype for p in model.parameters()} == {torch.float32}
    assert result.losses != exact.losses, "precision had no effect"
    assert result.losses == pytest.approx(exact.losses, abs=0.1)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device: this machine has none")
def test_bfloat16_on_cuda():
    result = train(make_model().cuda(), batches, next_token_loss, settings(steps=150, precision="bfloat16"))
    assert sum(result.losses[-10:]) / 10 < 1.6


@pytest.mark.parametrize(
    "change",
    [
        {"steps": 0},
        {"learning_rate": -1.0},
        {"warmup": 99},
        {"final_fraction": 2},
        {"precision": "float16"},
        {"clip": 0},
        {"steps": 1.5},
        {"learning_rate": float("inf")},
        {"weight_decay": -0.1},
        {"betas": (0.9,)},
        {"betas": (0.9, 1.0)},
        {"seed": -1},
        {"seed": 2**70},
        {"checkpoint": ""},
        {"checkpoint_every": 2.5},
    ],
)
def test_settings_refuse_what_makes_no_sense(change):
    (name,) = change
    with pytest.raises(ValueError, match=f"^{name} must be .*; got "):
        replace(settings(), **change)


@pytest.fixture(scope="module")
def alone_and_together(tmp_path_factory):
    """Folders of what one process trained, and of what two did: a decoder, and an encoder with a pooler."""
    folder, script = tmp_path_factory.mktemp("processes"), str(Path(__file__).parent / "small_run.py")
    launch = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    launch.append(f"--log-dir={folder / 'logs'}")  # torchrun leaves its own folder behind
    for out, start in (("alone", []), ("together", launch)):
        options = {"steps": 50, "models": list(MODELS), "out": str(folder / out)}
        command = [sys.executable, *start, script, json.dumps(options)]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-3000:]
    return folder / "alone", folder / "together"


@pytest.mark.skipif(sys.platform == "win32", reason="torchrun needs libuv, which PyTorch for Windows lacks")
@pytest.mark.parametrize("model", MODELS)
def test_two_processes_train_as_one(alone_and_together, model):
    (expected, expected_notes), (found, found_notes) = (
        read_safetensors(folder / f"{model}.safetensors") for folder in alone_and_together
    )
    # In the first step only the order of sums differs: at most 72 tokens, products of at most 64 terms, so
    # a few hundred roundings of 6e-8 at the worst.
    for what in ("losses", "norms"):
        assert found_notes[what][0] == pytest.approx(expected_notes[what][0], rel=3e-5), (
            f"{what}: is the loss divided by each process's own number of tokens?"
        )
    # Later on Adam divides by a gradient's size, however small: single weights differ by up to an update.
    assert len(found_notes["losses"]) == 50
    assert found_notes["losses"][-1] == pytest.approx(expected_notes["losses"][-1], rel=0.05)
    assert expected.keys() == found.keys()
    for name in expected.keys() & {"pooler.weight", "pooler.bias"}:
        assert torch.equal(found[name], expected[name]), f"{name}: no loss reaches it, yet it changed"


def test_masking_keeps_berts_shares():
    generator = torch.Generator().manual_seed(1)
    tokens = torch.randint(10, 90, (300, 40), generator=generator)
    maskable = torch.arange(40) < 33
    read, labels = mask_tokens(
        tokens, maskable.expand(300, 40), mask_id=3, random_ids=torch.arange(100, 200), generator=generator
    )
    chosen = labels != -100
    assert not chosen[:, 33:].any(), "padding was chosen"
    assert torch.equal(labels[chosen], tokens[chosen]), "the label is the original token"
    assert torch.equal(read[~chosen], tokens[~chosen]), "a token that is not to be guessed was changed"
    share = chosen[:, :33].float().mean().item()
    assert share == pytest.approx(0.15, abs=0.012)
    kinds = [(read[chosen] == 3), (read[chosen] >= 100), (read[chosen] == tokens[chosen])]
    assert [kind.float().mean().item() for kind in kinds] == pytest.approx([0.8, 0.1, 0.1], abs=0.03)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"fraction": 0}, "fraction must be above 0 and at most 1; got 0"),
        ({"fraction": float("nan")}, "fraction must be"),
        ({"mask_id": 1.5}, "mask_id must be a whole number of at least 0; got 1.5"),
        ({"tokens": torch.ones(2, 3)}, r"tokens must be of type int64; got torch\.float32"),
        ({"random_ids": torch.arange(0)}, "random_ids must be at least one id; got none"),
        ({"maskable": torch.ones(2, 3)}, r"maskable must be of type bool; got torch\.float32"),
        ({"maskable": torch.ones(3, 3, dtype=torch.bool)}, r"maskable must be of shape \(B = 2, N = 3\)"),
    ],
)
def test_masking_names_what_does_not_fit(change, sentence):
    arguments = {
        "tokens": torch.ones(2, 3, dtype=torch.int64),
        "maskable": torch.ones(2, 3, dtype=torch.bool),
        "mask_id": 3,
        "random_ids": torch.arange(5),
        "generator": torch.Generator(),
    }
    with pytest.raises(ValueError, match=sentence):
        mask_tokens(**{**arguments, **change})
