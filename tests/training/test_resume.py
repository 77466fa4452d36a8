"""A run that was killed goes on as if nothing had happened; a broken or foreign checkpoint is refused."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import torch
from small_run import KILLED, MODELS, batches, make_model, settings

from transformer_book.storage.files import CorruptFileError
from transformer_book.storage.weights import model_tensors, read_safetensors, write_safetensors
from transformer_book.training import chunked_next_token_loss, next_token_loss, train
from transformer_book.training.sealed import read_sealed, write_sealed


def start(run_script, **options) -> int:
    command = [sys.executable, "-W", "error", str(run_script), json.dumps({"models": ["decoder"]} | options)]
    return subprocess.run(command, env={**os.environ, "OMP_NUM_THREADS": "1"}, check=False).returncode


COMMON = {"steps": 20, "dropout": 0.1}


@pytest.fixture(scope="module")
def whole(run_script, tmp_path_factory):
    """What a run that nobody stopped has written."""
    folder = tmp_path_factory.mktemp("whole-run")
    assert start(run_script, out=str(folder), **COMMON) == 0
    return read_safetensors(folder / "decoder.safetensors")


@pytest.mark.parametrize("kill", [{"kill_in_step": 13}, {"kill_in_write": 2}])
def test_killed_and_resumed_is_bit_equal(run_script, whole, tmp_path, kill):
    checkpoint = tmp_path / "run.safetensors"
    parts = {"out": str(tmp_path / "parts"), "checkpoint": str(checkpoint), **COMMON}
    assert start(run_script, **parts, **kill) == KILLED
    _, notes = read_sealed(checkpoint)
    assert len(notes["history"]["losses"]) == (10 if "kill_in_step" in kill else 5), (
        "a write must be whole or absent"
    )
    assert start(run_script, **parts) == 0
    expected, expected_notes = whole
    found, found_notes = read_safetensors(tmp_path / "parts" / "decoder.safetensors")
    assert found_notes == expected_notes, (
        "other losses: the resumed run drew other batches or another learning rate"
    )
    for name, tensor in expected.items():
        assert torch.equal(found[name], tensor), (
            f"{name}: Adam's moments, its step count or dropout were not restored"
        )


class StoppedError(Exception):
    """Raised to end a training in the middle."""


def test_parameters_that_no_loss_reaches_resume_too(tmp_path):
    make, draw, loss = MODELS["encoder"]
    chosen = settings(steps=9, checkpoint=tmp_path / "run.safetensors", checkpoint_every=3)
    calls = []

    def stopping(model, batch):
        calls.append(1)
        if len(calls) == 5:
            raise StoppedError
        return loss(model, batch)

    whole, parts = make(0.1), make(0.1)
    expected = train(whole, draw, loss, settings(steps=9)).losses
    with pytest.raises(StoppedError):
        train(make(0.1), draw, stopping, chosen)
    assert train(parts, draw, stopping, chosen).losses == expected
    for name, tensor in model_tensors(whole).items():
        assert torch.equal(model_tensors(parts)[name], tensor), name
    assert torch.equal(parts.pooler.weight, make().pooler.weight), "weight decay reached an unused parameter"


@pytest.fixture
def checkpoint(tmp_path):
    path = tmp_path / "run.safetensors"
    train(make_model(), batches, next_token_loss, settings(steps=6, checkpoint=path))
    return path


def resume(checkpoint, model=None, loss=next_token_loss, **changes):
    chosen = settings(**{"steps": 6, "checkpoint": checkpoint} | changes)
    return train(model or make_model(), batches, loss, chosen)


def test_a_finished_run_is_not_run_again(checkpoint):
    model = make_model()
    assert len(resume(checkpoint, model).losses) == 6
    tensors, _ = read_sealed(checkpoint)
    assert torch.equal(model.embedding.tokens.weight, tensors["model.embedding.tokens.weight"])


@pytest.mark.parametrize("change", [{"seed": 4}, {"steps": 7}, {"learning_rate": 0.5}])
def test_other_settings_are_refused(checkpoint, change):
    (name,) = change
    with pytest.raises(ValueError, match=rf"got one with settings\.{name} = "):
        resume(checkpoint, **change)


@pytest.mark.parametrize(
    "choice",
    [
        {"num_heads": 2},
        {"mlp": "relu"},
        {"window": 2},
        {"dropout": 0.5},
        {"scale": 0.3},
        {"norm_epsilon": 1e-3},
        {"form": "tiled"},
        {"embedding_scale": True},
    ],
)
def test_a_model_of_the_same_shapes_that_computes_something_else_is_refused(checkpoint, choice):
    ((name, value),) = choice.items()
    with pytest.raises(
        ValueError, match=rf"got one with model\.config\.{name} = .*, where this run has {value}"
    ):
        resume(checkpoint, make_model(**choice))


def test_a_model_that_was_changed_after_it_was_made_is_refused(checkpoint):
    causal, frozen, subclass = make_model(), make_model(), make_model()
    causal.layers[1].attention.causal = False
    frozen.embedding.positions.weight.requires_grad_(False)
    subclass.__class__ = type("Other", (type(subclass),), {})
    for model, sentence in (
        (causal, r"model\.layers\.1\.attention\.causal = True, where this run has False"),
        (frozen, r"model\.embedding\.positions\.weight = torch\.float32, trained, where .*32, frozen"),
        (make_model().double(), r"weight = torch\.float32, trained, where .*64, trained"),
        (subclass, r"model = .*Decoder, where this run has .*Other"),
    ):
        with pytest.raises(ValueError, match=sentence):
            resume(checkpoint, model)


def test_another_loss_function_is_refused(checkpoint):
    with pytest.raises(ValueError, match="got one with loss = next_token_loss, where this run has chunked_"):
        resume(checkpoint, loss=chunked_next_token_loss)


def test_progress_and_interval_may_change(checkpoint):
    assert len(resume(checkpoint, checkpoint_every=2, progress=True).losses) == 6


def test_a_frozen_parameter_has_no_moments(tmp_path):
    def frozen():
        model = make_model()
        model.embedding.positions.weight.requires_grad_(False)
        return model

    model, again = frozen(), frozen()
    path = tmp_path / "run.safetensors"
    assert resume(path, model).losses == resume(path, again).losses
    assert torch.equal(again.embedding.tokens.weight, model.embedding.tokens.weight)
    assert torch.equal(again.embedding.positions.weight, make_model().embedding.positions.weight)


def test_a_file_with_any_byte_changed_is_refused(checkpoint):
    whole = checkpoint.read_bytes()
    header = 8 + int.from_bytes(whole[:8], "little")
    draw = np.random.default_rng(0)
    places = [*range(8), *draw.integers(8, header, 20), *draw.integers(header, len(whole), 32)]
    for place in places:
        changed = bytearray(whole)
        changed[place] ^= int(draw.integers(1, 256))
        checkpoint.write_bytes(changed)
        with pytest.raises(CorruptFileError, match=r"run\.safetensors is "):
            read_sealed(checkpoint)
    checkpoint.write_bytes(whole[:-100])
    with pytest.raises(CorruptFileError, match=r"run\.safetensors is damaged"):
        resume(checkpoint)


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
    tensors, notes = read_sealed(checkpoint)
    write_sealed(checkpoint, tensors, {**notes, "history": history})
    with pytest.raises(CorruptFileError, match=r"run\.safetensors"):
        resume(checkpoint)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("adam.first.final_norm.bias", lambda t: t * torch.nan),
        ("adam.first.final_norm.bias", lambda t: t[:-1].clone()),
        ("adam.first.final_norm.bias", lambda t: None),
        ("adam.second.final_norm.bias", lambda t: t.index_fill(0, torch.tensor([3]), -1e-9)),
        ("adam.third.final_norm.bias", lambda t: torch.zeros(3)),
        ("model.layers.1.mlp.expand.bias", lambda t: t[:-1].clone()),
    ],
)
def test_a_tensor_that_does_not_fit_is_named_and_the_model_stays(checkpoint, name, change):
    tensors, notes = read_sealed(checkpoint)
    changed = change(tensors[name.replace("third", "first")])
    tensors = {key: tensor for key, tensor in tensors.items() if key != name}
    write_sealed(checkpoint, tensors if changed is None else tensors | {name: changed}, notes)
    model = make_model()
    with pytest.raises(CorruptFileError, match=name.removeprefix("model.")):
        resume(checkpoint, model)
    assert torch.equal(model.embedding.tokens.weight, make_model().embedding.tokens.weight)


@pytest.mark.parametrize("notes", [{}, {"run": {}, "updates": {}}])
@pytest.mark.parametrize("write", [write_safetensors, write_sealed])
def test_a_file_of_something_else_is_refused(tmp_path, write, notes):
    write(tmp_path / "other.safetensors", {"a": torch.zeros(2)}, notes)
    with pytest.raises(CorruptFileError, match="not a checkpoint of a training run"):
        resume(tmp_path / "other.safetensors")


def refuse_to_start(model, batch):
    raise AssertionError("a step was made before the checkpoint's place was looked at")


def test_a_place_that_cannot_be_written_is_named_before_the_first_step(tmp_path):
    (tmp_path / "file").write_text("")
    for place, sentence in (
        (tmp_path, "checkpoint must be the path of a file; got the folder "),
        (
            tmp_path / "file" / "run.safetensors",
            "checkpoint must be the path of a file that can be written; got",
        ),
    ):
        with pytest.raises(OSError, match=sentence):
            resume(place, loss=refuse_to_start)


def test_missing_folders_are_made_and_the_home_folder_is_known(home):
    resume("~/new/folder/run.safetensors", steps=5)
    assert (home / "new" / "folder" / "run.safetensors").is_file()


def test_weights_that_an_update_spoilt_are_neither_written_nor_returned(tmp_path):
    model = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.constant_(model.weight, 1e38)
    path = tmp_path / "run.safetensors"
    chosen = settings(steps=1, warmup=0, learning_rate=3e38, weight_decay=0.0, checkpoint=path)
    with pytest.raises(FloatingPointError, match="weights must be finite; got others in weight after step 0"):
        train(
            model, lambda g: {"x": torch.ones(1, 1)}, lambda m, b: (-m(b["x"]).sum(), torch.tensor(1)), chosen
        )
    assert not path.exists()
