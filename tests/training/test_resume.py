"""A run that was killed goes on as if nothing had happened; a broken or foreign checkpoint is refused."""

import json
import os
import subprocess
import sys

import pytest
import torch
from small_run import KILLED, batches, make_model, settings

from transformer_book.storage.files import CorruptFileError
from transformer_book.storage.weights import read_safetensors, write_safetensors
from transformer_book.training import next_token_loss, train


def start(run_script, **options) -> int:
    command = [sys.executable, "-W", "error", str(run_script), json.dumps(options)]
    return subprocess.run(command, env={**os.environ, "OMP_NUM_THREADS": "1"}, check=False).returncode


@pytest.mark.parametrize("kill", [{"kill_in_step": 13}, {"kill_in_write": 2}])
def test_killed_and_resumed_is_bit_equal(run_script, tmp_path, kill):
    whole, parts = str(tmp_path / "whole.safetensors"), str(tmp_path / "parts.safetensors")
    checkpoint = tmp_path / "run.safetensors"
    common = {"steps": 20, "dropout": 0.1}
    assert start(run_script, out=whole, **common) == 0
    killed = start(run_script, out=parts, checkpoint=str(checkpoint), **common, **kill)
    assert killed == KILLED
    _, notes = read_safetensors(checkpoint)
    assert len(notes["history"]["losses"]) == (10 if "kill_in_step" in kill else 5), (
        "a write must be whole or absent"
    )
    assert start(run_script, out=parts, checkpoint=str(checkpoint), **common) == 0
    expected, expected_notes = read_safetensors(whole)
    found, found_notes = read_safetensors(parts)
    assert found_notes == expected_notes, (
        "other losses: the resumed run drew other batches or another learning rate"
    )
    for name, tensor in expected.items():
        assert torch.equal(found[name], tensor), (
            f"{name}: Adam's moments, its step count or dropout were not restored"
        )


@pytest.fixture
def checkpoint(tmp_path):
    path = tmp_path / "run.safetensors"
    train(make_model(), batches, next_token_loss, settings(steps=6, checkpoint=path))
    return path


def test_a_finished_run_is_not_run_again(checkpoint):
    model = make_model()
    result = train(model, batches, next_token_loss, settings(steps=6, checkpoint=checkpoint))
    assert len(result.losses) == 6
    tensors, _ = read_safetensors(checkpoint)
    assert torch.equal(model.embedding.tokens.weight, tensors["model.embedding.tokens.weight"])


@pytest.mark.parametrize("change", [{"seed": 4}, {"steps": 7}, {"learning_rate": 0.5}])
def test_other_settings_are_refused(checkpoint, change):
    (name,) = change
    with pytest.raises(ValueError, match=f"belongs to a run with {name} = "):
        train(
            make_model(),
            batches,
            next_token_loss,
            settings(**{"steps": 6, "checkpoint": checkpoint} | change),
        )


def test_progress_and_interval_may_change(checkpoint):
    other = settings(steps=6, checkpoint=checkpoint, checkpoint_every=2)
    assert len(train(make_model(), batches, next_token_loss, other).losses) == 6


def test_a_frozen_parameter_has_no_moments(tmp_path):
    def frozen():
        model = make_model()
        model.embedding.positions.weight.requires_grad_(False)
        return model

    chosen = settings(steps=6, checkpoint=tmp_path / "run.safetensors")
    model = frozen()
    losses = train(model, batches, next_token_loss, chosen).losses
    again = frozen()
    assert train(again, batches, next_token_loss, chosen).losses == losses
    assert torch.equal(again.embedding.tokens.weight, model.embedding.tokens.weight)
    assert torch.equal(again.embedding.positions.weight, make_model().embedding.positions.weight)


def test_truncated_checkpoint_is_refused(checkpoint):
    checkpoint.write_bytes(checkpoint.read_bytes()[:-100])
    with pytest.raises(CorruptFileError, match=r"run\.safetensors must be a complete safetensors file"):
        train(make_model(), batches, next_token_loss, settings(steps=6, checkpoint=checkpoint))


def test_checkpoint_without_a_moment_is_refused(checkpoint):
    tensors, notes = read_safetensors(checkpoint)
    del tensors["adam.second.layers.1.mlp.expand.weight"]
    write_safetensors(checkpoint, tensors, notes)
    with pytest.raises(CorruptFileError, match=r"adam\.second\.layers\.1\.mlp\.expand\.weight"):
        train(make_model(), batches, next_token_loss, settings(steps=6, checkpoint=checkpoint))


@pytest.mark.parametrize(
    "history",
    [
        {},
        {"losses": [1.0]},
        {"losses": [1.0, 2.0], "gradient_norms": [1.0]},
        {"losses": [1.0] * 7, "gradient_norms": [1.0] * 7},
        {"losses": 3, "gradient_norms": 3},
        [],
    ],
    ids=str,
)
def test_a_history_that_cannot_be_is_refused(checkpoint, history):
    tensors, notes = read_safetensors(checkpoint)
    write_safetensors(checkpoint, tensors, {**notes, "history": history})
    with pytest.raises(CorruptFileError, match=r"run\.safetensors .* losses"):
        train(make_model(), batches, next_token_loss, settings(steps=6, checkpoint=checkpoint))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("adam.first.final_norm.bias", lambda t: t * torch.nan),
        ("adam.first.final_norm.bias", lambda t: t[:-1].clone()),
        ("adam.third.final_norm.bias", lambda t: torch.zeros(3)),
    ],
)
def test_a_moment_that_does_not_fit_is_named_and_the_model_stays(checkpoint, name, change):
    tensors, notes = read_safetensors(checkpoint)
    write_safetensors(checkpoint, {**tensors, name: change(tensors["adam.first.final_norm.bias"])}, notes)
    model = make_model()
    with pytest.raises(CorruptFileError, match=name):
        train(model, batches, next_token_loss, settings(steps=6, checkpoint=checkpoint))
    assert torch.equal(model.embedding.tokens.weight, make_model().embedding.tokens.weight)


def test_a_checkpoint_of_another_model_is_named(checkpoint):
    tensors, notes = read_safetensors(checkpoint)
    name = "model.layers.1.mlp.expand.weight"
    write_safetensors(checkpoint, {**tensors, name: tensors[name][:-1].clone()}, notes)
    with pytest.raises(
        CorruptFileError, match=r"layers\.1\.mlp\.expand\.weight must be of shape .*; got \(63, 16\)"
    ):
        train(make_model(), batches, next_token_loss, settings(steps=6, checkpoint=checkpoint))


def test_a_file_of_something_else_is_refused(tmp_path):
    path = tmp_path / "other.safetensors"
    write_safetensors(path, {"a": torch.zeros(2)}, {})
    with pytest.raises(CorruptFileError, match="no checkpoint of a training run"):
        train(make_model(), batches, next_token_loss, settings(checkpoint=path))
