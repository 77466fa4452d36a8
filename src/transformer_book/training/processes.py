"""One process or several: under `torchrun` each takes its share of every batch, alone it takes all.

Nothing here has to be called by a training script; `train` does it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import nn

from transformer_book.checks.tensors import check_tensor


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

        Raises TypeError for what is no dict of tensors.
        """
        if not isinstance(batch, dict):
            raise TypeError(f"batches returned a {type(batch).__name__}, expected a dict of tensors")
        for name, tensor in batch.items():
            check_tensor(f"batch[{name!r}]", tensor, "(batch, ...)")
        return {name: t[self.rank :: self.count].to(self.device) for name, t in batch.items()}

    def total(self, values: torch.Tensor) -> torch.Tensor:
        """Add a tensor up over all processes."""
        if self.count > 1:
            dist.all_reduce(values)
        return values

    def wrap(self, model: nn.Module) -> nn.Module:
        """Return the model to call: with several processes, one that averages gradients over them (DDP)."""
        return nn.parallel.DistributedDataParallel(model) if self.count > 1 else model

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
