"""Paths that a user gives, old addresses, and models that have no memory yet."""

import pytest
import torch
from torch import nn

from transformer_book.models import Decoder, DecoderConfig, build
from transformer_book.storage.files import CorruptFileError, existing_file, read_text, write_atomically
from transformer_book.storage.weights import load_model, read_safetensors, save_model, write_safetensors

CONFIG = DecoderConfig(vocabulary_size=11, context_length=7, dim=6, num_layers=2, num_heads=3, mlp_dim=5)


def test_the_home_folder_is_written_out(home):
    model = Decoder(CONFIG)
    save_model("~/models/tiny.safetensors", model, {"seed": 3})
    assert (home / "models" / "tiny.safetensors").is_file()
    assert load_model("~/models/tiny.safetensors", Decoder(CONFIG)) == {"seed": 3}
    write_safetensors("~/one.safetensors", {"a": torch.ones(2)}, {})
    assert read_safetensors("~/one.safetensors")[0]["a"].tolist() == [1, 1]
    write_atomically("~/text.txt", "中".encode())
    assert read_text("~/text.txt") == "中"


def test_text_with_a_byte_order_mark_and_in_another_encoding(tmp_path):
    (tmp_path / "a.txt").write_text("中文", encoding="utf-8-sig")
    assert read_text(tmp_path / "a.txt") == "中文"
    (tmp_path / "a.txt").write_bytes("中文".encode("gbk"))
    with pytest.raises(CorruptFileError, match=r"a\.txt must be text in UTF-8; got the byte 0xD6 at 0"):
        read_text(tmp_path / "a.txt")


def test_the_earlier_address_of_the_weights():
    from transformer_book import weights

    assert weights.read_safetensors is read_safetensors
    assert weights.write_safetensors is write_safetensors


@torch.no_grad()
@pytest.mark.parametrize("tied", [True, False])
def test_a_model_without_memory_is_filled(tmp_path, tied):
    config = DecoderConfig(**{**vars(CONFIG), "tie_output": tied})
    model = Decoder(config).eval()
    save_model(tmp_path / "model.safetensors", model, {}, dtype=torch.float16)
    empty = build(config, device="meta").eval()
    empty.final_norm.weight.requires_grad_(False)
    load_model(tmp_path / "model.safetensors", empty)
    assert {p.dtype for p in empty.parameters()} == {torch.float32}, "the file's float16 replaced the model's"
    assert {p.device.type for p in empty.parameters()} == {"cpu"}, (
        "success was reported, and nothing was loaded"
    )
    assert not empty.final_norm.weight.requires_grad
    copied = Decoder(config).eval()
    load_model(tmp_path / "model.safetensors", copied)
    tokens = torch.arange(7)[None]
    assert torch.equal(empty(tokens).logits, copied(tokens).logits)


def test_a_model_that_is_half_without_memory_is_refused(tmp_path):
    model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 2))
    save_model(tmp_path / "model.safetensors", model, {})
    model[1].to("meta")
    before = model[0].weight.detach().clone()
    with pytest.raises(
        ValueError, match=r"on the meta device as a whole, or not at all; got 0\.weight on cpu"
    ):
        load_model(tmp_path / "model.safetensors", model)
    assert torch.equal(model[0].weight, before)


def test_a_buffer_that_no_file_holds_stays_no_secret(tmp_path):
    model = nn.Linear(2, 3)
    save_model(tmp_path / "model.safetensors", model, {})
    model.register_buffer("table", torch.ones(4), persistent=False)
    with pytest.raises(ValueError, match="got table on meta, which no file holds"):
        load_model(tmp_path / "model.safetensors", model.to("meta"))


@pytest.mark.parametrize("path", [None, 3])
def test_what_is_not_a_path_is_named(path):
    with pytest.raises(TypeError, match="path must be a str or a Path; got a"):
        existing_file(path)
