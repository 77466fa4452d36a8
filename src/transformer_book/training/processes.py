"""One process or several: under `torchrun` each takes its share of every batch, alone it takes all.

Nothing here has to be called by a training script; `train` does it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
import torch.distributed as dist
from torch import nn

from transformer_book.checks.messages import must_be
from transformer_book.checks.tensors import check_tensor


class _ModelWithLoss(nn.Module):
    def __init__(self, model: nn.Module, loss: Callable):
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, batch):
        return self.loss(self.model, batch)


@dataclass(frozen=True)
class Processes:
    """How many processes train together, which one this is, and its device."""

    count: int
    rank: int
    device: torch.device

    @property
    def first(self) -> bool:
        """True in the one process that writes files and shows progress."""
        return self.rank == 0

    def share(self, batch: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """Return this process's rows of a batch, on its device; all processes drew the same batch.

        Raises TypeError for a batch that is not a dict of tensors, ValueError for one with too few rows.
        """
        if not isinstance(batch, dict):
            wanted = "a function that returns a dict of tensors"
            raise TypeError(must_be("batches", wanted, f"one that returns a {type(batch).__name__}"))
        for name, tensor in batch.items():
            check_tensor(f"batch[{name!r}]", tensor, "(batch, ...)")
            if not tensor.ndim or len(tensor) < self.count:
                wanted = f"of at least {self.count} rows, one for each process"
                raise ValueError(must_be(f"batch[{name!r}]", wanted, f"shape {tuple(tensor.shape)}"))
        return {name: t[self.rank :: self.count].to(self.device) for name, t in batch.items()}

    def total(self, values: torch.Tensor) -> torch.Tensor:
        """Add a tensor up over all processes."""
        if self.count > 1:
            dist.all_reduce(values)
        return values

    def wrap(self, model: nn.Module, loss: Callable) -> Callable:
        """Return a function of one batch that gives the model's loss; gradients are averaged over processes.

        DDP wraps model and loss together, so that what counts as used is what the loss used: a part of the
        model that it leaves out, as BERT's pooler, then holds up nobody. Which parts are used must not change
        during the run (static_graph).
        """
        if self.count == 1:
            return partial(loss, model)
        return nn.parallel.DistributedDataParallel(_ModelWithLoss(model, loss), static_graph=True)

    def wait(self) -> None:
        """Wait for the others."""
        if self.count > 1:
            dist.barrier()


def join_processes(device: torch.device) -> Processes:
    """Join the processes that `torchrun` started; without torchrun there is this one, on the model's device.

    On CUDA each process takes the device of its local rank and the NCCL backend, on CPU gloo.
    """
    if "RANK" not in os.environ or "WORLD_SIZE" not in os.environ:
        return Processes(1, 0, device)
    if device.type == "cuda":
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
    if not dist.is_initialized():
        dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    return Processes(dist.get_world_size(), dist.get_rank(), device)
