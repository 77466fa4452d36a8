"""GPT-2's initial weights: small normal maps, smaller still where a branch meets the residual path."""

import math

from torch import nn

STANDARD_DEVIATION = 0.02


def initialise(model: nn.Module, num_layers: int):
    """Draw maps and embeddings from N(0, 0.02²), set biases to 0 (Radford et al., 2019).

    Each layer adds two branches to the residual path, so their last maps are drawn with 0.02 / sqrt(2 ·
    num_layers).
    """
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            ends_branch = name.endswith(("attention.output", "mlp.contract"))
            shrink = math.sqrt(2 * num_layers) if ends_branch else 1.0
            nn.init.normal_(module.weight, std=STANDARD_DEVIATION / shrink)
            if getattr(module, "bias", None) is not None:
                nn.init.zeros_(module.bias)
