"""GPT-2 small on several GPUs. One command starts a process for each GPU; `train` shares the batches out.

    torchrun --standalone --nproc-per-node 8 examples/gpt2_on_several_gpus.py --text corpus.txt

and to try it on any machine, two processes on the CPU, a small model, Tang poems:

    torchrun --standalone --nproc-per-node 2 examples/gpt2_on_several_gpus.py --tiny

Without torchrun (`python examples/gpt2_on_several_gpus.py …`) the same run is made on one device: the same
batches, the same loss up to rounding. Stop it and start it again: it goes on from its checkpoint.

What to change:

* Another model: a config (`DecoderConfig`), or another loss and batches for an encoder or your own module.
* Another corpus: `windows` makes batches of any row of token ids. One that does not fit into memory can be
  `torch.from_numpy(np.memmap("ids.bin", dtype=np.int64, mode="r"))`; nothing else changes.
* More or fewer GPUs: --nproc-per-node alone. `batch` counts the rows of all processes together, so the run
  stays the same run; each process takes every n-th row. 480 rows of 1,024 tokens are about the half million
  of GPT-2's size; a GPU needs room for its share, else take fewer rows and a lower learning rate.
* Several machines: on each of them `torchrun --nnodes 2 --nproc-per-node 8 --rdzv-backend c10d
  --rdzv-endpoint FIRST_MACHINE:29500 …`, the checkpoint in a folder that all of them see.
* A model that one GPU cannot hold needs its parameters shared out (FSDP), which `train` does not do.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from pathlib import Path

import torch

from transformer_book.data import load_quatrains, quatrain_vocabulary
from transformer_book.experiments.text_stream import text_stream, window_batches
from transformer_book.models import GPT2_SMALL, Decoder, DecoderConfig
from transformer_book.tokenizers import load_gpt2
from transformer_book.training import TrainingSettings, chunked_next_token_loss, train

SETTINGS = TrainingSettings(
    steps=20_000,
    learning_rate=6e-4,  # this and the next four: GPT-3's choices for this size (Brown et al., 2020)
    warmup=700,
    weight_decay=0.1,
    betas=(0.9, 0.95),
    clip=1.0,
    precision="bfloat16",
    checkpoint="runs/gpt2.safetensors",
    checkpoint_every=500,
)
TINY_SETTINGS = TrainingSettings(steps=40, learning_rate=3e-3, warmup=10)


def token_ids(lines: Iterable[str]) -> torch.Tensor:
    """Return a text, a document a line, as one row of GPT-2's ids (T,), each document closed by its end."""
    tokenizer = load_gpt2()
    end = tokenizer.encode("<|endoftext|>", special=True)
    return torch.tensor([token for line in lines for token in tokenizer.encode(line) + end])


def main() -> None:
    """Train, and let the first process say how it ended."""
    parser = argparse.ArgumentParser(
        formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--text", type=Path, help="a file in UTF-8, a document a line")
    source.add_argument("--tiny", action="store_true", help="a small model on the book's poems")
    options = parser.parse_args()
    if options.tiny:
        vocabulary = quatrain_vocabulary()
        ids = text_stream(load_quatrains().train, vocabulary)
        config = DecoderConfig(
            vocabulary_size=len(vocabulary), context_length=64, dim=128, num_layers=2, num_heads=4
        )
        settings, batch = TINY_SETTINGS, 16
    else:
        with open(options.text, encoding="utf-8") as lines:
            ids = token_ids(lines)
        config, settings, batch = GPT2_SMALL, SETTINGS, 480
    torch.manual_seed(settings.seed)
    model = Decoder(config).to("cuda" if torch.cuda.is_available() else "cpu")
    batches = window_batches(ids, config.context_length, batch)
    losses = train(model, batches, chunked_next_token_loss, settings).losses
    if int(os.environ.get("RANK", 0)) == 0:
        print(f"parameters {sum(p.numel() for p in model.parameters()):,}")
        print(f"loss {losses[0]:.2f} at the start, {losses[-1]:.2f} after {len(losses)} steps")
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
