"""A plain training loop: seeded, resumable, on CPU or CUDA, and unchanged under `torchrun`.

    settings = TrainingSettings(steps=500, learning_rate=3e-3)
    result = train(model, batches, next_token_loss, settings)

`batches(generator)` draws one batch, a dict of tensors, from a torch generator on the CPU. A loss function
calls the model and returns the sum of the losses and how many tokens they are of; the ready ones are
`next_token_loss`, the faster `chunked_next_token_loss`, `masked_token_loss`, `translation_loss` and
`class_loss`.
"""

from transformer_book.training.checkpoint import read_checkpoint, write_checkpoint
from transformer_book.training.identity import describe_run
from transformer_book.training.loop import TrainingResult, train
from transformer_book.training.losses import (
    chunked_next_token_loss,
    class_loss,
    cross_entropy_sum,
    masked_token_loss,
    next_token_loss,
    translation_loss,
)
from transformer_book.training.masking import mask_tokens
from transformer_book.training.schedule import learning_rate_at
from transformer_book.training.settings import TrainingSettings

__all__ = [
    "TrainingResult",
    "TrainingSettings",
    "chunked_next_token_loss",
    "class_loss",
    "cross_entropy_sum",
    "describe_run",
    "learning_rate_at",
    "mask_tokens",
    "masked_token_loss",
    "next_token_loss",
    "read_checkpoint",
    "train",
    "translation_loss",
    "write_checkpoint",
]
