"""Small made-up models in the published formats, written by the field's own library."""

import json
import math
from pathlib import Path

import pytest
import torch
from transformers import BertConfig, BertForMaskedLM, BertForPreTraining, GPT2Config, GPT2LMHeadModel


@pytest.fixture
def float32_bound():
    """How far two float32 models of the same weights may be apart, as a share of the largest entry.

    A sum of n numbers, added in another order, is off by about √n half units in the last place; the errors of
    the layers, being independent, add by their squares. Four standard deviations, for either model.
    """
    return lambda layers, longest_sum: 2 * 4 * math.sqrt(layers * longest_sum) * 2**-24


@pytest.fixture
def gpt2_folder(tmp_path, shaken) -> Path:
    """A GPT-2 of two layers, its tokenizer of 256 bytes, two merges and <|endoftext|>."""
    torch.manual_seed(3)
    config = GPT2Config(vocab_size=259, n_positions=19, n_embd=24, n_layer=2, n_head=3)
    folder = tmp_path / "gpt2"
    shaken(GPT2LMHeadModel(config), 0.1).save_pretrained(folder)
    from transformer_book.tokenizers.byte_alphabet import _BYTE_OF_CHARACTER

    characters = list(_BYTE_OF_CHARACTER)
    vocabulary = [*characters, "th", "the"]
    entries = {piece: i for i, piece in enumerate(vocabulary)} | {"<|endoftext|>": 258}
    (folder / "vocab.json").write_text(json.dumps(entries), encoding="utf-8")
    (folder / "merges.txt").write_text("#version: 0.2\nt h\nth e\n", encoding="utf-8")
    return folder


BERT_CONFIG = {
    "vocab_size": 13,
    "hidden_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 40,
    "max_position_embeddings": 17,
}


def save_bert(folder: Path, kind: type, shaken) -> Path:
    torch.manual_seed(4)
    shaken(kind(BertConfig(**BERT_CONFIG)), 0.1).save_pretrained(folder)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefgh"]
    (folder / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    return folder


@pytest.fixture
def bert_folder(tmp_path, shaken) -> Path:
    """A BERT with pooler, masked-token head and sentence-pair head."""
    return save_bert(tmp_path / "bert", BertForPreTraining, shaken)


@pytest.fixture
def bert_without_pooler(tmp_path, shaken) -> Path:
    """A BERT with the masked-token head alone."""
    return save_bert(tmp_path / "masked", BertForMaskedLM, shaken)
