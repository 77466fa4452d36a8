"""Train a small decoder; started by the tests alone, under torchrun, or to be killed in the middle.

Arguments, as JSON: steps, out (file for weights and losses), checkpoint, kill_in_step, kill_in_write,
dropout.
"""

import json
import os
import sys
from pathlib import Path

import torch

from transformer_book.models import Decoder, DecoderConfig
from transformer_book.storage import files
from transformer_book.storage.weights import model_tensors, write_safetensors
from transformer_book.training import TrainingSettings, next_token_loss, train

VOCABULARY = 23
KILLED = 9  # the exit status of a run that stops at once, with nothing tidied up


def make_model(dropout: float = 0.0) -> Decoder:
    torch.manual_seed(5)
    config = DecoderConfig(
        vocabulary_size=VOCABULARY, context_length=12, dim=16, num_layers=2, num_heads=4, dropout=dropout
    )
    return Decoder(config)


def batches(generator: torch.Generator) -> dict[str, torch.Tensor]:
    """Counting texts of 4 to 12 tokens, padded on the right: rows have unequal numbers of tokens."""
    first = torch.randint(VOCABULARY, (6, 1), generator=generator)
    step = torch.randint(1, 4, (6, 1), generator=generator)
    length = torch.randint(4, 13, (6, 1), generator=generator)
    place = torch.arange(12)
    return {"tokens": (first + step * place) % VOCABULARY, "real": place < length}


def settings(**options) -> TrainingSettings:
    defaults = {
        "steps": 30,
        "learning_rate": 1e-2,
        "warmup": 5,
        "seed": 3,
        "checkpoint_every": 5,
        "progress": False,
    }
    return TrainingSettings(**defaults | options)


def main(options: dict) -> None:
    torch.set_num_threads(1)
    calls = 0

    def loss(model, batch):
        nonlocal calls
        calls += 1
        if calls == options.get("kill_in_step"):
            os._exit(KILLED)
        return next_token_loss(model, batch)

    if "kill_in_write" in options:
        replace = files.os.replace
        writes = 0

        def killed(source, target):
            nonlocal writes
            writes += 1
            if writes == options["kill_in_write"]:
                os._exit(KILLED)
            replace(source, target)

        files.os.replace = killed
    model = make_model(options.get("dropout", 0.0))
    result = train(
        model, batches, loss, settings(steps=options["steps"], checkpoint=options.get("checkpoint"))
    )
    if int(os.environ.get("RANK", 0)) == 0:
        write_safetensors(Path(options["out"]), model_tensors(model), {"losses": result.losses})
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
