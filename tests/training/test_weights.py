"""Named tensors into a model: everything that does not fit is named, and nothing is loaded in part."""

import pickle

import pytest
import torch
from safetensors.torch import save_file
from small_run import make_model

from transformer_book.storage.files import CorruptFileError
from transformer_book.storage.weights import (
    load_model,
    model_tensors,
    read_safetensors,
    save_model,
    write_safetensors,
)

NAME = "layers.1.mlp.expand.weight"


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "model.safetensors"
    save_model(path, make_model(), {"steps": 5, "text": "春"})
    return path


def blank():
    model = make_model()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
    return model


def test_round_trip_with_tied_weights(saved):
    model = blank()
    assert load_model(saved, model) == {"steps": 5, "text": "春"}
    for name, tensor in model_tensors(make_model()).items():
        assert torch.equal(model_tensors(model)[name], tensor), name


def test_half_precision_is_stored_and_widened(tmp_path):
    path = tmp_path / "half.safetensors"
    save_model(path, make_model(), {}, dtype=torch.float16)
    tensors, _ = read_safetensors(path)
    assert {t.dtype for t in tensors.values()} == {torch.float16}
    model = blank()
    load_model(path, model)
    assert model.embedding.tokens.weight.dtype == torch.float32
    torch.testing.assert_close(
        model.embedding.tokens.weight, make_model().embedding.tokens.weight, atol=1e-4, rtol=1e-3
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.pop(NAME), rf"model\.safetensors lacks the tensor {NAME}\."),
        (lambda t: t.update({NAME: t[NAME].T.contiguous()}), rf"tensor {NAME} must be of shape \(64, 16\)"),
        (lambda t: t.update(extra=torch.zeros(1)), "holds a tensor extra that the model lacks"),
        (lambda t: t[NAME].fill_(torch.nan), f"tensor {NAME} must be finite"),
        (lambda t: t.update({NAME: t[NAME].to(torch.int8)}), f"{NAME} must be of type torch.float32"),
    ],
)
def test_what_does_not_fit_is_named_and_nothing_is_loaded(saved, change, message):
    tensors, notes = read_safetensors(saved)
    change(tensors)
    write_safetensors(saved, tensors, notes)
    model = blank()
    with pytest.raises(CorruptFileError, match=message):
        load_model(saved, model)
    assert not any(p.any() for p in model.parameters()), "a part was loaded"


@pytest.mark.parametrize("keep", [5, 200, -1])
def test_truncated_file(saved, keep):
    saved.write_bytes(saved.read_bytes()[:keep])
    with pytest.raises(CorruptFileError, match=r"model\.safetensors must be a complete safetensors file"):
        load_model(saved, make_model())


def test_pickle_is_refused(tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(pickle.dumps({NAME: [1.0]}))
    with pytest.raises(CorruptFileError, match="must be a complete safetensors file"):
        read_safetensors(path)


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no file .*none\.safetensors"):
        read_safetensors(tmp_path / "none.safetensors")


def test_notes_of_other_writers(tmp_path):
    save_file({"a": torch.zeros(2)}, tmp_path / "a.safetensors", metadata={"format": "pt"})
    assert read_safetensors(tmp_path / "a.safetensors")[1] == {"format": "pt"}


def test_a_failed_write_leaves_the_old_file(saved, monkeypatch):
    before = saved.read_bytes()

    def fail(source, target):
        raise OSError("disk full")

    monkeypatch.setattr("transformer_book.storage.files.os.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        save_model(saved, make_model(), {})
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == [saved.name], (
        "an unfinished file was left behind"
    )


def test_what_a_type_cannot_hold_is_named_and_nothing_is_written(tmp_path):
    model, path = make_model(), tmp_path / "model.safetensors"
    with torch.no_grad():
        model.embedding.tokens.weight[1, 2] = 1e5
    with pytest.raises(ValueError, match=r"tokens\.weight must be finite as torch\.float16"):
        save_model(path, model, {}, dtype=torch.float16)
    with pytest.raises(ValueError, match=r"dtype must be floating point; got torch\.int8"):
        save_model(path, model, {}, dtype=torch.int8)
    assert not path.exists()


def test_a_folder_is_no_file_to_write(tmp_path):
    with pytest.raises(IsADirectoryError, match="path must be that of a file; got the folder"):
        save_model(tmp_path, make_model(), {})
    assert not list(tmp_path.parent.glob(f".{tmp_path.name}*")), "an unfinished file was left"
