"""GPT-2's published weights (Radford et al., 2019), in the names and layouts of `transformers`."""

from __future__ import annotations

from pathlib import Path

import torch

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
from transformer_book.tokenizers.gpt2 import load_gpt2_tokenizer

FILES = ("config.json", WEIGHTS, "vocab.json", "merges.txt")
# The only values that the library's decoder has in GPT-2's form.
_EXPECTED = {
    "activation_function": "gelu_new",
    "scale_attn_weights": True,
    "scale_attn_by_inverse_layer_idx": False,
    "add_cross_attention": False,
}
_IGNORED = r"h\.\d+\.attn\.(bias|masked_bias)"  # causal masks stored as buffers


def load_gpt2(
    source: str | Path = "openai-community/gpt2",
    *,
    mirror: str | None = None,
    device: str | torch.device = "cpu",
) -> Pretrained:
    """Return GPT-2 and its tokenizer.

    source: a folder with config.json, model.safetensors, vocab.json and merges.txt, or a name on the hub:
    openai-community/gpt2 (0.5 GB), gpt2-medium, gpt2-large, gpt2-xl. mirror: where to fetch it instead, such
    as "https://hf-mirror.com". Raises FileNotFoundError, ConnectionError, MissingPackageError,
    CorruptFileError.
    """
    folder = model_folder(source, FILES, mirror)
    config = gpt2_config(folder)
    tensors = read_weights(folder, "transformer.")
    origins = gpt2_origins(config)
    copies = {"lm_head.weight": "wte.weight"} if config.tie_output else None
    model = build_from_file(config, origins, tensors, WEIGHTS, ignored=_IGNORED, copies=copies, device=device)
    return pair(model, load_gpt2_tokenizer(folder))


def gpt2_config(folder: Path) -> DecoderConfig:
    """Read config.json; CorruptFileError names an entry that is missing or makes no sense."""
    found = read_config(folder, "gpt2", _EXPECTED)
    return config_of(
        DecoderConfig,
        "config.json",
        vocabulary_size=entry(found, "vocab_size"),
        context_length=entry(found, "n_positions"),
        dim=entry(found, "n_embd"),
        num_layers=entry(found, "n_layer"),
        num_heads=entry(found, "n_head"),
        mlp_dim=found.get("n_inner"),
        norm_epsilon=found.get("layer_norm_epsilon", 1e-5),
        tie_output=found.get("tie_word_embeddings", True),
    )


def gpt2_origins(config: DecoderConfig) -> dict[str, Origin]:
    """Say where each parameter stands; GPT-2 stores maps as (in, out), and query, key and value as one."""
    origins = {
        "embedding.tokens.weight": Origin("wte.weight"),
        "embedding.positions.weight": Origin("wpe.weight"),
    }
    if not config.tie_output:
        origins["output.weight"] = Origin("lm_head.weight")
    for kind in ("weight", "bias"):
        turned = kind == "weight"
        origins[f"final_norm.{kind}"] = Origin(f"ln_f.{kind}")
        for k in range(config.num_layers):
            ours, theirs = f"layers.{k}", f"h.{k}"
            origins[f"{ours}.attention_norm.{kind}"] = Origin(f"{theirs}.ln_1.{kind}")
            origins[f"{ours}.mlp_norm.{kind}"] = Origin(f"{theirs}.ln_2.{kind}")
            for part, name in enumerate(("query", "key", "value")):
                origins[f"{ours}.attention.{name}.{kind}"] = Origin(
                    f"{theirs}.attn.c_attn.{kind}", turned, part
                )
            origins[f"{ours}.attention.output.{kind}"] = Origin(f"{theirs}.attn.c_proj.{kind}", turned)
            origins[f"{ours}.mlp.expand.{kind}"] = Origin(f"{theirs}.mlp.c_fc.{kind}", turned)
            origins[f"{ours}.mlp.contract.{kind}"] = Origin(f"{theirs}.mlp.c_proj.{kind}", turned)
    return origins
