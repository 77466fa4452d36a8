"""Weights of Llama's form (Touvron et al., 2023), SmolLM2's too, in the names of `transformers`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from transformer_book.checks.messages import must_be
from transformer_book.models import DecoderConfig
from transformer_book.pretrained.model_files import (
    WEIGHTS,
    config_of,
    entry,
    model_folder,
    read_config,
    read_weights,
)
from transformer_book.pretrained.parameter_sources import Origin, build_from_file
from transformer_book.pretrained.pretrained import Pretrained, pair
from transformer_book.tokenizers import load_tokenizer_json

FILES = ("config.json", WEIGHTS, "tokenizer.json")
# What all models of this form share; the published files pair the halves of a head (see `positions`).
LLAMA_FORM = {"mlp": "swiglu", "norm": "rms", "positions": "rotary", "rope_pairing": "halves"}
_EXPECTED = {"hidden_act": "silu", "rope_scaling": None}
_IGNORED = r"layers\.\d+\.self_attn\.rotary_emb\.inv_freq"

_MAPS = {
    "attention.query": "self_attn.q_proj",
    "attention.key": "self_attn.k_proj",
    "attention.value": "self_attn.v_proj",
    "attention.output": "self_attn.o_proj",
    "mlp.gate": "mlp.gate_proj",
    "mlp.expand": "mlp.up_proj",
    "mlp.contract": "mlp.down_proj",
}
_NORMS = {"attention_norm": "input_layernorm", "mlp_norm": "post_attention_layernorm"}


def load_llama(
    source: str | Path = "HuggingFaceTB/SmolLM2-135M-Instruct",
    *,
    mirror: str | None = None,
    device: str | torch.device = "cpu",
) -> Pretrained:
    """Return a model of Llama's form and its tokenizer, a byte-level BPE.

    source: a folder with config.json, tokenizer.json and model.safetensors, or several files of weights with
    their index, or a name on the hub such as HuggingFaceTB/SmolLM2-135M-Instruct (0.3 GB). mirror: where to
    fetch it instead, such as "https://hf-mirror.com". Weights are widened to float32. Raises
    FileNotFoundError, ConnectionError, MissingPackageError, CorruptFileError, ValueError for scaled rotary
    positions (Llama 3.1) or another kind of tokenizer (Llama 2).
    """
    folder = model_folder(source, FILES, mirror)
    config = llama_config(folder)
    tokenizer = load_tokenizer_json(folder / "tokenizer.json")
    tensors = read_weights(folder, "model.")
    copies = {"lm_head.weight": "embed_tokens.weight"} if config.tie_output else None
    model = build_from_file(
        config, llama_origins(config), tensors, WEIGHTS, ignored=_IGNORED, copies=copies, device=device
    )
    return pair(model, tokenizer)


def llama_config(folder: Path) -> DecoderConfig:
    """Read config.json; CorruptFileError names an entry that is missing or makes no sense."""
    found = read_config(folder, "llama", _EXPECTED)
    return config_of(
        DecoderConfig,
        "config.json",
        vocabulary_size=entry(found, "vocab_size"),
        context_length=entry(found, "max_position_embeddings"),
        dim=entry(found, "hidden_size"),
        num_layers=entry(found, "num_hidden_layers"),
        num_heads=entry(found, "num_attention_heads"),
        num_kv_heads=found.get("num_key_value_heads"),
        head_dim=found.get("head_dim"),
        mlp_dim=entry(found, "intermediate_size"),
        norm_epsilon=found.get("rms_norm_eps", 1e-6),
        attention_bias=found.get("attention_bias", False),
        mlp_bias=found.get("mlp_bias", False),
        rope_base=_rope_base(found),
        tie_output=found.get("tie_word_embeddings", False),
        **LLAMA_FORM,
    )


def _rope_base(found: dict[str, Any]) -> float:
    """The base of the rotary frequencies, where files of transformers 4 and of 5 have it."""
    rope = found.get("rope_parameters") or {}
    kind = rope.get("rope_type", "default")
    if kind != "default":
        raise ValueError(must_be("config.json: rope_type", "'default', as in this library", repr(kind)))
    return rope.get("rope_theta", found.get("rope_theta", 10_000.0))


def llama_origins(config: DecoderConfig) -> dict[str, Origin]:
    """Say where each parameter stands."""
    pairs = {"embedding.tokens.weight": "embed_tokens.weight", "final_norm.weight": "norm.weight"}
    if not config.tie_output:
        pairs["output.weight"] = "lm_head.weight"
    for k in range(config.num_layers):
        for ours, theirs in (_MAPS | _NORMS).items():
            pairs[f"layers.{k}.{ours}.weight"] = f"layers.{k}.{theirs}.weight"
            room = ours.partition(".")[0]
            if ours in _MAPS and (config.attention_bias if room == "attention" else config.mlp_bias):
                pairs[f"layers.{k}.{ours}.bias"] = f"layers.{k}.{theirs}.bias"
    return {ours: Origin(theirs) for ours, theirs in pairs.items()}
