"""Train small models; started by the tests alone, under torchrun, or to be killed in the middle.

Arguments, as JSON: steps, models (names of MODELS), out (folder for weights and losses, a file a model),
checkpoint, kill_in_step, kill_in_write, dropout.
"""

import json
import os
import sys
from pathlib import Path

import torch

from transformer_book.models import Decoder, DecoderConfig, Encoder, EncoderConfig
from transformer_book.storage import files
from transformer_book.storage.weights import model_tensors, write_safetensors
from transformer_book.training import TrainingSettings, masked_token_loss, next_token_loss, train

VOCABULARY = 23
SIZES = {"vocabulary_size": VOCABULARY, "context_length": 12, "dim": 16, "num_layers": 2, "num_heads": 4}
KILLED = 9  # the exit status of a run that stops at once, with nothing tidied up


def make_model(dropout: float = 0.0, **choices) -> Decoder:
    torch.manual_seed(5)
    return Decoder(DecoderConfig(**SIZES | {"dropout": dropout} | choices))


def make_encoder(dropout: float = 0.0) -> Encoder:
    """BERT's default form, with a pooler that no masked loss reaches."""
    torch.manual_seed(5)
    return Encoder(EncoderConfig(**SIZES, masked_lm_head=True, dropout=dropout))


def batches(generator: torch.Generator) -> dict[str, torch.Tensor]:
    """Counting texts of 4 to 12 tokens, padded on the right: rows have unequal numbers of tokens."""
    first = torch.randint(VOCABULARY, (6, 1), generator=generator)
    step = torch.randint(1, 4, (6, 1), generator=generator)
    length = torch.randint(4, 13, (6, 1), generator=generator)
    place = torch.arange(12)
    return {"tokens": (first + step * place) % VOCABULARY, "real": place < length}


def masked_batches(generator: torch.Generator) -> dict[str, torch.Tensor]:
    """The same texts with every third token to be guessed."""
    batch = batches(generator)
    chosen = batch["real"] & (torch.arange(12) % 3 == 1)
    labels = batch["tokens"].where(chosen, -100)
    return {"tokens": batch["tokens"].masked_fill(chosen, 0), "labels": labels, "real": batch["real"]}


MODELS = {
    "decoder": (make_model, batches, next_token_loss),
    "encoder": (make_encoder, masked_batches, masked_token_loss),
}


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


def stop_in_step(number: int | None, loss):
    """The loss function, which ends the process when it is called for the number-th time."""
    calls = 0

    def stopping(model, batch):
        nonlocal calls
        calls += 1
        if calls == number:
            os._exit(KILLED)
        return loss(model, batch)

    return stopping


def stop_in_write(number: int) -> None:
    """End the process when a finished file is to take the old one's place for the number-th time."""
    replace = files.os.replace
    writes = 0

    def killed(source, target):
        nonlocal writes
        writes += 1
        if writes == number:
            os._exit(KILLED)
        replace(source, target)

    files.os.replace = killed


def main(options: dict) -> None:
    torch.set_num_threads(1)
    if "kill_in_write" in options:
        stop_in_write(options["kill_in_write"])
    for name in options["models"]:
        make, draw, loss = MODELS[name]
        model = make(options.get("dropout", 0.0))
        chosen = settings(steps=options["steps"], checkpoint=options.get("checkpoint"))
        result = train(model, draw, stop_in_step(options.get("kill_in_step"), loss), chosen)
        if int(os.environ.get("RANK", 0)) == 0:
            out = Path(options["out"]) / f"{name}.safetensors"
            notes = {"losses": result.losses, "norms": result.gradient_norms}
            write_safetensors(out, model_tensors(model), notes)
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
