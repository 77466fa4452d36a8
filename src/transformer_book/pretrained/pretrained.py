"""What the loaders return: a model and the tokenizer that goes with it."""

from typing import NamedTuple

from transformer_book.checks.messages import must_be
from transformer_book.models import Decoder, Encoder
from transformer_book.storage.files import CorruptFileError
from transformer_book.tokenizers import ByteLevelBPE, WordPiece


class Pretrained(NamedTuple):
    """A model and its tokenizer; unpack it: `model, tokenizer = load_minilm()`."""

    model: Decoder | Encoder
    tokenizer: ByteLevelBPE | WordPiece


def pair(model: Decoder | Encoder, tokenizer: ByteLevelBPE | WordPiece) -> Pretrained:
    """Return model and tokenizer; CorruptFileError unless the vocabulary has the length of the embedding."""
    wanted = model.config.vocabulary_size
    if len(tokenizer) != wanted:
        raise CorruptFileError(
            must_be("the vocabulary", f"of {wanted:,} tokens like the model's", len(tokenizer))
        )
    return Pretrained(model, tokenizer)
