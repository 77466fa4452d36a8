"""The training loop (AdamW, Loshchilov and Hutter, 2019), on about a page."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn
from tqdm import tqdm

from transformer_book.checks.messages import must_be
from transformer_book.storage.weights import is_finite
from transformer_book.training.checkpoint import HISTORY, checkpoint_place, read_checkpoint, write_checkpoint
from transformer_book.training.identity import describe_run
from transformer_book.training.processes import Processes, join_processes
from transformer_book.training.schedule import learning_rate_at
from transformer_book.training.settings import TrainingSettings

Batch = dict[str, torch.Tensor]
BatchSource = Callable[[torch.Generator], Batch]
LossFunction = Callable[[nn.Module, Batch], tuple[torch.Tensor, torch.Tensor]]


@dataclass(frozen=True)
class TrainingResult:
    """What a run leaves: for each step the mean loss per token (nats) and the norm before clipping.

    seconds: wall-clock time of the steps done in this call.
    """

    losses: list[float]
    gradient_norms: list[float]
    seconds: float


def train(
    model: nn.Module, batches: BatchSource, loss: LossFunction, settings: TrainingSettings
) -> TrainingResult:
    """Train `model` in place, on its device; under `torchrun`, together with the other processes.

    batches(generator) draws one batch on the CPU, a dict of tensors whose first axis is the batch; it must
    depend on the generator alone. loss(model, batch) calls the model and returns (sum of losses, number of
    tokens). A run with settings.checkpoint that was killed goes on from its last checkpoint and ends with the
    same weights, bit for bit, on the same CPU with the same number of threads.

    Raises FloatingPointError when the loss, the gradient or a weight is not finite, saying what became of the
    weights; TypeError or ValueError for batches, a loss or a model that no run can be made of, and for a
    checkpoint of another run; OSError, before the first step, for a checkpoint that cannot be written.
    """
    if not isinstance(settings, TrainingSettings):
        raise TypeError(must_be("settings", "TrainingSettings", f"a {type(settings).__name__}"))
    if not isinstance(model, nn.Module):
        raise TypeError(must_be("model", "a torch module", f"a {type(model).__name__}"))
    for name, function in (("batches", batches), ("loss", loss)):
        if not callable(function):
            raise TypeError(must_be(name, "a function", f"a {type(function).__name__}"))
    if any(parameter.is_meta for parameter in model.parameters()):
        raise ValueError(must_be("model", "on a device with memory", "one on the meta device"))
    if not any(parameter.requires_grad for parameter in model.parameters()):
        raise ValueError(must_be("model", "a module with a parameter that requires a gradient", "none"))
    place = None if settings.checkpoint is None else checkpoint_place(settings.checkpoint)
    processes = join_processes(next(model.parameters()).device)
    model.to(processes.device).train()
    run = describe_run(model, loss, settings)
    optimizer = make_optimizer(model, settings)
    history: dict[str, list[float]] = {name: [] for name in HISTORY}
    if place is not None and place.exists():
        history = read_checkpoint(place, model, optimizer, run)
    called = processes.wrap(model, loss)
    first = len(history["losses"])
    start = time.perf_counter()
    silent = {} if settings.progress and processes.first else {"disable": True}
    with tqdm(total=settings.steps, initial=first, leave=False, **silent) as bar:
        for step in range(first, settings.steps):
            for group in optimizer.param_groups:
                group["lr"] = learning_rate_at(step, settings)
            mean, norm = _update(called, model, optimizer, batches, settings, processes, step)
            history["losses"].append(mean)
            history["gradient_norms"].append(norm)
            bar.set_postfix(loss=f"{mean:.3f}", refresh=False)
            bar.update()
            if _is_due(step, settings):
                _require_finite_weights(model, f"after step {step}")
                if place is not None:
                    if processes.first:
                        write_checkpoint(place, model, optimizer, run, history)
                    processes.wait()
    model.eval()
    return TrainingResult(**history, seconds=time.perf_counter() - start)


def _update(
    called, model, optimizer, batches, settings, processes: Processes, step: int
) -> tuple[float, float]:
    """Take one step; return the loss before it and the gradient's norm."""
    # Each step has its own random numbers, so a run that resumes needs none from the past.
    number = settings.seed * 1_000_003 + step
    batch = processes.share(batches(torch.Generator().manual_seed(number)))
    torch.manual_seed(number * processes.count + processes.rank)  # dropout
    low = settings.precision == "bfloat16"
    with torch.autocast(processes.device.type, dtype=torch.bfloat16, enabled=low):
        total, tokens = _checked(called(batch))
    all_losses, all_tokens = processes.total(torch.stack([total.detach().float(), tokens.float()])).tolist()
    mean = all_losses / all_tokens if all_tokens else math.nan
    _require_finite(mean, "loss", model, step, settings)
    optimizer.zero_grad(set_to_none=True)
    # DDP averages gradients over the processes; the loss is to be averaged over the tokens of all of them.
    (total * (processes.count / all_tokens)).backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), settings.clip).item()
    _require_finite(norm, "gradient's norm", model, step, settings)
    optimizer.step()
    return mean, norm


def _checked(result) -> tuple[torch.Tensor, torch.Tensor]:
    """What the loss function returned, if it can be learnt from."""
    pair = isinstance(result, tuple) and len(result) == 2
    if not pair or not all(isinstance(part, torch.Tensor) and part.ndim == 0 for part in result):
        wanted = "a function that returns two tensors without axes, sum of losses and tokens"
        raise TypeError(must_be("loss", wanted, f"one that returns a {type(result).__name__}"))
    if not result[0].requires_grad:
        raise ValueError(must_be("loss", "made by calling the model", "a sum without gradient"))
    return result


def make_optimizer(model: nn.Module, settings: TrainingSettings) -> torch.optim.AdamW:
    """Return AdamW with weight decay on matrices, and none on biases, norms and other vectors.

    Where torch has it (CPU, CUDA), one fused pass updates all parameters.
    """
    parameters = [p for p in model.parameters() if p.requires_grad]
    groups = [
        {"params": [p for p in parameters if p.ndim >= 2], "weight_decay": settings.weight_decay},
        {"params": [p for p in parameters if p.ndim < 2], "weight_decay": 0.0},
    ]
    fused = all(p.device.type in ("cpu", "cuda") for p in parameters)
    return torch.optim.AdamW(groups, lr=settings.learning_rate, betas=settings.betas, fused=fused)


def _is_due(step: int, settings: TrainingSettings) -> bool:
    return (step + 1) % settings.checkpoint_every == 0 or step + 1 == settings.steps


def _require_finite(value: float, what: str, model, step: int, settings: TrainingSettings) -> None:
    if not math.isfinite(value):
        rate = learning_rate_at(step, settings)
        _require_finite_weights(model, f"before step {step}")
        raise FloatingPointError(
            f"The {what} must be finite; got {value} at step {step} (learning rate {rate:.3g}): the run has "
            "diverged, or the batch has no token. Try a smaller learning_rate, a longer warmup or a smaller "
            "clip; the weights are those before this step."
        )


def _require_finite_weights(model: nn.Module, when: str) -> None:
    """Raise FloatingPointError when an update has spoilt a parameter, rather than hand it on or write it."""
    for name, parameter in model.named_parameters():
        if not is_finite(parameter.detach()):
            raise FloatingPointError(
                f"The weights must be finite; got others in {name} {when}: an update was too large. "
                "Go on from the last checkpoint, or start again, with a smaller learning_rate."
            )
