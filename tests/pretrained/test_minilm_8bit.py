"""MiniLM in 8 bits: the file that the command writes, how near its model is, and files that are refused."""

import json

import pytest
import torch
from safetensors.torch import load, save

from transformer_book.pretrained import load_minilm, minilm_8bit
from transformer_book.storage.files import CorruptFileError
from transformer_book.storage.weights import model_tensors
from transformer_book.widgets.model_files import checkpoint_file

SENTENCES = """\
The cat that the dog chased all morning finally fell asleep.
The keys that the man found in the old cabinet were rusty.
The animal did not cross the street because it was too tired.
Time flies like an arrow; fruit flies like a banana.
I never said that she stole the money.
Birds sing.
The old man the boat.
What is the capital of France?
Buffalo buffalo Buffalo buffalo buffalo buffalo Buffalo buffalo.
one two three four one two three
She gave her brother the book that he had wanted since the summer.
The trophy does not fit in the suitcase because it is too small.
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory, if_installed):
    content = if_installed(checkpoint_file, "minilm")
    path = tmp_path_factory.mktemp("minilm") / "minilm-8bit.safetensors"
    path.write_bytes(content)
    return path


def test_every_weight_is_within_the_bound(file):
    model, tokenizer = minilm_8bit.load_minilm_8bit(file)
    whole, same = load_minilm()
    assert model.config == whole.config
    text = "Café, naïve 猫 [MASK]"
    assert tokenizer.encode(text) == same.encode(text)
    for (name, found), expected in zip(
        model_tensors(model).items(), model_tensors(whole).values(), strict=True
    ):
        if expected.ndim == 2:
            error = (found - expected).abs() / expected.abs().amax(dim=1, keepdim=True).clamp(min=1e-30)
            assert error.max() <= 1 / 254 + 2**-23, name
        else:
            assert torch.equal(found, expected), name


def test_attention_is_as_near_as_the_page_says(file):
    """The explorer's hint: 0.002 on average, some by up to 0.1. Measured: 0.0015 and 0.06."""
    model, tokenizer = minilm_8bit.load_minilm_8bit(file)
    whole, _ = load_minilm()
    means, largest = [], []
    for sentence in SENTENCES.splitlines():
        tokens = torch.tensor([tokenizer.encode(sentence)])
        with torch.no_grad():
            pairs = zip(*(m(tokens, return_weights=True).attention for m in (model, whole)), strict=True)
        errors = torch.stack([(ours.weights - theirs.weights).abs() for ours, theirs in pairs])
        means.append(errors.mean().item())
        largest.append(errors.max().item())
    assert 0.0005 < sum(means) / len(means) < 0.0025
    assert 0.02 < max(largest) < 0.1


def test_the_command_writes_the_file(file, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(minilm_8bit, "minilm_8bit", file.read_bytes)
    target = tmp_path / "folder" / "written.safetensors"
    minilm_8bit.main([str(target)])
    assert target.read_bytes() == file.read_bytes()
    assert capsys.readouterr().out == f"{target}: {file.stat().st_size:,} bytes\n"
    assert 22e6 < file.stat().st_size < 24e6
    assert b"Apache License 2.0; changed" in file.read_bytes()[:1_000_000], "the licence asks for this notice"


def small_file(path, change=None):
    """A file of the form with one map of 2 x 3 and a vocabulary of five pieces, changed."""
    notes = {"config": {"dim": 4}, "pieces": "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]"}
    tensors = {"a": torch.zeros(2, 3)}
    notes = change(notes) if change else notes
    path.write_bytes(save(tensors, metadata={} if notes is None else {"model": json.dumps(notes)}))
    return path


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda notes: None, "broken.safetensors: the note model must be a config and pieces; got None"),
        (lambda notes: {"config": notes["config"]}, "the note model must be a config and pieces"),
        (
            lambda notes: notes | {"config": {"dim": 4, "wings": 2}},
            "broken.safetensors describes no encoder: .*wings",
        ),
        (
            lambda notes: (
                notes
                | {
                    "config": {
                        "dim": 4,
                        "num_layers": 1,
                        "num_heads": 3,
                        "vocabulary_size": 5,
                        "context_length": 8,
                    }
                }
            ),
            "describes no model: .*dim",
        ),
    ],
)
def test_another_file_is_refused(tmp_path, change, says):
    with pytest.raises(CorruptFileError, match=says):
        minilm_8bit.load_minilm_8bit(small_file(tmp_path / "broken.safetensors", change))


def test_a_file_that_lacks_a_tensor_is_refused(file, tmp_path):
    content = file.read_bytes()
    length = int.from_bytes(content[:8], "little")
    notes = json.loads(content[8 : 8 + length])["__metadata__"]
    tensors = load(content)
    del tensors["layers.0.attention.query.bias"]
    (tmp_path / "less.safetensors").write_bytes(save(tensors, metadata=notes))
    with pytest.raises(
        CorruptFileError, match=r"less\.safetensors lacks the tensor layers.0.attention.query.bias"
    ):
        minilm_8bit.load_minilm_8bit(tmp_path / "less.safetensors")
