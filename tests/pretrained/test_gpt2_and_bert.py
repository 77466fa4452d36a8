"""GPT-2 and BERT from a folder: the logits of `transformers`, and every broken file named."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import BertForMaskedLM, BertForPreTraining, GPT2LMHeadModel

from transformer_book.pretrained import CorruptFileError, load_bert, load_gpt2

TWO_LAYERS = 1e-5  # above `float32_bound(2, 96)`; the error of a wrong layout is near 1


def change_tensors(folder, change):
    path = folder / "model.safetensors"
    tensors = load_file(path)
    change(tensors)
    save_file(tensors, path)


def change_config(folder, **entries):
    path = folder / "config.json"
    config = json.loads(path.read_text(encoding="utf-8")) | entries
    path.write_text(json.dumps({k: v for k, v in config.items() if v is not None}), encoding="utf-8")


@torch.no_grad()
def test_gpt2_gives_the_reference_logits(gpt2_folder):
    model, tokenizer = load_gpt2(gpt2_folder)
    reference = GPT2LMHeadModel.from_pretrained(gpt2_folder).eval()
    tokens = torch.randint(259, (2, 19), generator=torch.Generator().manual_seed(0))
    expected = reference(tokens).logits
    worst = (model(tokens).logits - expected).abs().max() / expected.abs().max()
    assert worst <= TWO_LAYERS, (
        "query, key and value are thirds of c_attn, and its maps are stored as (in, out)"
    )
    assert tokenizer.tokens("the cat") == ["the", " ", "c", "a", "t"]
    assert not model.training


@torch.no_grad()
def test_gpt2_in_the_names_of_the_bare_model(gpt2_folder):
    """The hub's file has no transformer. before its names, and holds the masks and the tied output layer."""

    def change(tensors):
        for name in list(tensors):
            tensors[name.removeprefix("transformer.")] = tensors.pop(name)
        tensors["h.0.attn.bias"] = torch.ones(1, 1, 19, 19)
        tensors["lm_head.weight"] = tensors["wte.weight"].clone()

    tokens = torch.arange(7)[None]
    expected = load_gpt2(gpt2_folder).model(tokens).logits
    change_tensors(gpt2_folder, change)
    assert torch.equal(load_gpt2(gpt2_folder).model(tokens).logits, expected)


@torch.no_grad()
@pytest.mark.parametrize(
    ("fixture", "kind"), [("bert_folder", BertForPreTraining), ("bert_without_pooler", BertForMaskedLM)]
)
def test_bert_gives_the_reference_outputs(request, fixture, kind):
    folder = request.getfixturevalue(fixture)
    model, tokenizer = load_bert(folder)
    reference = kind.from_pretrained(folder).eval()
    tokens = torch.randint(13, (3, 17), generator=torch.Generator().manual_seed(0))
    real = torch.arange(17) < torch.tensor([[17], [9], [1]])
    types = (torch.arange(17) > 4).long().expand(3, 17)
    found = model(tokens, padding=real, token_types=types)
    expected = reference(tokens, attention_mask=real.long(), token_type_ids=types, output_hidden_states=True)
    logits = expected.prediction_logits if kind is BertForPreTraining else expected.logits
    final = expected.hidden_states[-1]
    for ours, theirs in ((found.logits[real], logits[real]), (found.final[real], final[real])):
        assert (ours - theirs).abs().max() / theirs.abs().max() <= TWO_LAYERS
    if kind is BertForPreTraining:
        torch.testing.assert_close(found.pooled, reference.bert(tokens, real.long(), types).pooler_output)
    assert (found.pooled is None) == (kind is BertForMaskedLM)
    assert tokenizer.encode("A b!") == [2, 5, 6, 1, 3]


@torch.no_grad()
def test_bert_with_the_old_names_of_norms(bert_folder):
    def change(tensors):
        for name in [name for name in tensors if "LayerNorm" in name]:
            old = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
                "LayerNorm.bias", "LayerNorm.beta"
            )
            tensors[old] = tensors.pop(name)

    tokens = torch.arange(9)[None]
    expected = load_bert(bert_folder).model(tokens).logits
    change_tensors(bert_folder, change)
    assert torch.equal(load_bert(bert_folder).model(tokens).logits, expected)


GPT2_NAME = "transformer.h.1.attn.c_attn.weight"
BERT_NAME = "bert.encoder.layer.1.attention.self.key.weight"


@pytest.mark.parametrize(
    ("load", "fixture", "name"),
    [(load_gpt2, "gpt2_folder", GPT2_NAME), (load_bert, "bert_folder", BERT_NAME)],
)
@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ("missing", "lacks the tensor {name}"),
        ("shape", r"tensor {name} must be of shape \(24, (72|24)\); got \(\d+, 24\)"),
        ("nan", "tensor {name} must be finite"),
        ("infinite", "tensor {name} must be finite"),
        ("surplus", "holds a tensor h.9.extra that the model lacks"),
        ("truncated", r"model\.safetensors must be a complete safetensors file"),
    ],
)
def test_a_damaged_file_names_the_tensor(request, load, fixture, name, damage, message):
    folder = request.getfixturevalue(fixture)

    def change(tensors):
        if damage == "missing":
            del tensors[name]
        elif damage == "shape":
            tensors[name] = torch.zeros(tensors[name].shape[1] + 1, 24)
        elif damage in ("nan", "infinite"):
            tensors[name][3, 5] = float(damage[:3])
        elif damage == "surplus":
            tensors["h.9.extra"] = torch.zeros(2)

    change_tensors(folder, change)
    if damage == "truncated":
        path = folder / "model.safetensors"
        path.write_bytes(path.read_bytes()[:-7])
    short = name.removeprefix("transformer.").removeprefix("bert.")
    with pytest.raises(CorruptFileError, match=message.format(name=short)):
        load(folder)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "vocab.json", "merges.txt"])
def test_a_missing_file_is_named(gpt2_folder, name):
    (gpt2_folder / name).unlink()
    with pytest.raises(FileNotFoundError, match=f"holds no file {name}"):
        load_gpt2(gpt2_folder)


def test_a_pickle_is_never_read(gpt2_folder):
    (gpt2_folder / "model.safetensors").rename(gpt2_folder / "pytorch_model.bin")
    with pytest.raises(FileNotFoundError, match="is a pickle, which can run code and is not read"):
        load_gpt2(gpt2_folder)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"model_type": "llama"}, "model_type must be gpt2; got llama"),
        ({"n_head": None}, "lacks n_head"),
        ({"n_head": 5}, r"config\.json describes no model: .*num_heads"),
        ({"vocab_size": "many"}, r"config\.json describes no model: vocabulary_size must be"),
        ({"n_inner": -1}, r"config\.json describes no model: mlp_dim must be"),
        ({"activation_function": "relu"}, "activation_function must be 'gelu_new', as in this library"),
        ({"vocab_size": 260}, r"tensor wte\.weight must be of shape \(260, 24\)"),
    ],
)
def test_a_config_that_does_not_fit_is_named(gpt2_folder, entries, message):
    change_config(gpt2_folder, **entries)
    with pytest.raises(ValueError, match=message):
        load_gpt2(gpt2_folder)


@pytest.mark.parametrize(
    ("content", "message"),
    [("{", "must be JSON; got"), ("[1]", "must be JSON with named entries; got a list")],
)
def test_a_config_that_is_no_json(bert_folder, content, message):
    (bert_folder / "config.json").write_text(content, encoding="utf-8")
    with pytest.raises(CorruptFileError, match=rf"config\.json {message}"):
        load_bert(bert_folder)


@torch.no_grad()
def test_gpt2_with_an_output_layer_of_its_own(gpt2_folder):
    reference = GPT2LMHeadModel.from_pretrained(gpt2_folder, tie_word_embeddings=False).eval()
    reference.lm_head.weight.copy_(torch.randn(259, 24, generator=torch.Generator().manual_seed(5)))
    reference.save_pretrained(gpt2_folder)
    tokens = torch.arange(9)[None]
    expected = reference(tokens).logits
    worst = (load_gpt2(gpt2_folder).model(tokens).logits - expected).abs().max() / expected.abs().max()
    assert worst <= TWO_LAYERS, "the file's output layer is left out, and the embedding takes its place"


@pytest.mark.parametrize("shift", [1, 0])
def test_a_tied_output_layer_must_be_the_embedding(gpt2_folder, bert_folder, shift):
    """A file whose output layer differs from its embedding is not the tied model that is built."""
    for load, folder, copy, of in (
        (load_gpt2, gpt2_folder, "lm_head.weight", "transformer.wte.weight"),
        (load_bert, bert_folder, "cls.predictions.decoder.weight", "bert.embeddings.word_embeddings.weight"),
    ):
        change_tensors(folder, lambda tensors, copy=copy, of=of: tensors.update({copy: tensors[of] + shift}))
        if shift:
            with pytest.raises(CorruptFileError, match=f"tensor {copy} must be equal to"):
                load(folder)
        else:
            load(folder)


def test_a_vocabulary_of_another_length_is_refused(gpt2_folder, bert_folder):
    entries = json.loads((gpt2_folder / "vocab.json").read_text(encoding="utf-8"))
    (gpt2_folder / "vocab.json").write_text(json.dumps(entries | {"he": 259}), encoding="utf-8")
    with pytest.raises(CorruptFileError, match="vocabulary must be of 259 tokens like the model's; got 260"):
        load_gpt2(gpt2_folder)
    with (bert_folder / "vocab.txt").open("a", encoding="utf-8") as file:
        file.write("i\nj\n")
    with pytest.raises(CorruptFileError, match="vocabulary must be of 13 tokens like the model's; got 15"):
        load_bert(bert_folder)


def test_bert_keeps_case_where_its_settings_say_so(bert_folder):
    assert load_bert(bert_folder).tokenizer.tokens("A") == ["[CLS]", "a", "[SEP]"]
    (bert_folder / "tokenizer_config.json").write_text('{"do_lower_case": false}', encoding="utf-8")
    assert load_bert(bert_folder).tokenizer.tokens("A") == ["[CLS]", "[UNK]", "[SEP]"]


def test_a_folder_in_the_home_folder(gpt2_folder, home):
    assert load_gpt2("~/gpt2").model.config.dim == 24, "~/gpt2 was taken for a name on the hub"


def split_weights(folder, shards):
    """Put the weights into several files with an index, as transformers writes large models."""
    path = folder / "model.safetensors"
    tensors = load_file(path)
    path.unlink()
    files = {name: f"model-{k % shards}.safetensors" for k, name in enumerate(sorted(tensors))}
    for file in set(files.values()):
        save_file({name: tensors[name] for name in files if files[name] == file}, folder / file)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": files}), encoding="utf-8")
    return files


@torch.no_grad()
@pytest.mark.parametrize(("load", "fixture"), [(load_gpt2, "gpt2_folder"), (load_bert, "bert_folder")])
def test_weights_in_several_files(request, load, fixture):
    folder, tokens = request.getfixturevalue(fixture), torch.arange(9)[None]
    expected = load(folder).model(tokens).logits
    split_weights(folder, shards=3)
    assert torch.equal(load(folder).model(tokens).logits, expected)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda files: {"weight_map": files | {"extra": "model-0.safetensors"}}, "lacks the tensor extra"),
        (lambda files: {"weight_map": {"a": "../outside.safetensors"}}, "names of .* got '../outside"),
        (lambda files: {}, "weight_map must be the file of each tensor; got None"),
    ],
)
def test_a_damaged_index_is_named(gpt2_folder, change, message):
    index = change(split_weights(gpt2_folder, shards=2))
    (gpt2_folder / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
    with pytest.raises(CorruptFileError, match=message):
        load_gpt2(gpt2_folder)


def test_a_missing_shard_is_named(gpt2_folder):
    split_weights(gpt2_folder, shards=2)
    (gpt2_folder / "model-1.safetensors").unlink()
    with pytest.raises(FileNotFoundError, match="model-1"):
        load_gpt2(gpt2_folder)
