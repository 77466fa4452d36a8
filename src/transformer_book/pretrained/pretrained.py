"""What the loaders return."""

from typing import NamedTuple

from transformer_book.models import Decoder, Encoder
from transformer_book.tokenizers import ByteLevelBPE, WordPiece


class Pretrained(NamedTuple):
    """A model and its tokenizer; unpack it: `model, tokenizer = load_minilm()`."""

    model: Decoder | Encoder
    tokenizer: ByteLevelBPE | WordPiece
