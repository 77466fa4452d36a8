"""Where each parameter of a model comes from in a file that uses other names and layouts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import nn

from transformer_book.checks.messages import must_be
from transformer_book.models import build
from transformer_book.models.config import TransformerConfig
from transformer_book.storage.files import CorruptFileError
from transformer_book.storage.weights import adopt_tensors, is_finite, model_tensors


@dataclass(frozen=True)
class Origin:
    """A tensor in the file, and how a parameter is read from it.

    transpose: the file has (in, out), a Linear has (out, in). part: which third of the file's last axis, for
    query, key and value stored side by side; None for all of it.
    """

    name: str
    transpose: bool = False
    part: int | None = None

    def stored_shape(self, shape: torch.Size) -> tuple[int, ...]:
        """Return the shape the file should have for a parameter of this shape."""
        stored = tuple(reversed(shape)) if self.transpose else tuple(shape)
        return stored if self.part is None else (*stored[:-1], 3 * stored[-1])

    def read(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the parameter."""
        tensor = tensor if self.part is None else tensor.chunk(3, dim=-1)[self.part]
        return tensor.T if self.transpose else tensor


def build_from_file(
    config: TransformerConfig,
    origins: Mapping[str, Origin],
    tensors: Mapping[str, torch.Tensor],
    source: str,
    *,
    ignored: str,
    copies: Mapping[str, str] | None = None,
    device: str | torch.device,
) -> nn.Module:
    """Build the model of `config` from a file's tensors, in float32 and set to evaluate.

    origins: for each parameter its place in the file. source: the file's name, for messages. ignored: a
    pattern for tensors in the file that are not weights of this model. copies: tensors of the file that this
    model has under another name, and that name; they must be equal. Raises CorruptFileError naming the file's
    tensor that is missing, surplus, of another shape, not finite, or not the copy that it should be.
    """
    model = build(config, device="meta")  # allocates nothing and draws no random weights
    wanted = {origin.name for origin in origins.values()}
    if missing := sorted(wanted - tensors.keys()):
        raise CorruptFileError(f"{source} lacks the tensor {missing[0]} ({len(missing)} missing in all).")
    for copy, original in (copies or {}).items():
        if copy in tensors and original in tensors and not torch.equal(tensors[copy], tensors[original]):
            wanted_value = f"equal to {original}, the tied weights that this model has"
            raise CorruptFileError(must_be(f"{source}: tensor {copy}", wanted_value, "other numbers"))
    known = wanted | set(copies or {})
    surplus = sorted(name for name in tensors.keys() - known if not re.fullmatch(ignored, name))
    if surplus:
        raise CorruptFileError(
            f"{source} holds a tensor {surplus[0]} that the model lacks ({len(surplus)} in all)."
        )
    ready = {}
    for name, parameter in model_tensors(model).items():
        origin = origins[name]
        tensor = tensors[origin.name]
        expected, found = origin.stored_shape(parameter.shape), tuple(tensor.shape)
        if found != expected:
            raise CorruptFileError(must_be(f"{source}: tensor {origin.name}", f"of shape {expected}", found))
        if not is_finite(tensor):
            raise CorruptFileError(must_be(f"{source}: tensor {origin.name}", "finite", "NaN or infinity"))
        ready[name] = origin.read(tensor).to(device, torch.float32).contiguous()
    adopt_tensors(model, ready)
    return model.eval()
