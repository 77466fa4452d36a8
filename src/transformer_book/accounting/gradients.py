"""How much gradient reaches each part of a model."""

import torch
from torch import nn

from transformer_book.checks.messages import must_be


def gradient_norms(model: nn.Module) -> dict[str, float]:
    """Euclidean norm of the gradient in each part, after a backward pass: embedding, layers.0, layers.1, …

    Raises ValueError when no parameter has a gradient.
    """
    squares: dict[str, torch.Tensor] = {}
    for name, parameter in model.named_parameters():
        if parameter.grad is None:
            continue
        pieces = name.split(".")
        part = ".".join(pieces[:2]) if pieces[0].endswith("layers") else pieces[0]
        square = parameter.grad.double().square().sum()
        squares[part] = squares.get(part, 0) + square
    if not squares:
        raise ValueError(must_be("model", "one with gradients, after backward() on a loss", "none"))
    return {part: float(square.sqrt()) for part, square in squares.items()}
