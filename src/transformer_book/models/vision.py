"""The Vision Transformer: an image cut into patches, each one token for a standard encoder (section 9)."""

from dataclasses import dataclass

import torch
from torch import nn

from transformer_book.attention import AttentionResult
from transformer_book.attention.attention_checks import check_beside_weights
from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_whole
from transformer_book.checks.tensors import shapes
from transformer_book.layers import TransformerLayer, make_norm
from transformer_book.models.config import VisionConfig
from transformer_book.models.initialise import initialise
from transformer_book.models.model_checks import check_config
from transformer_book.models.stack import run_layers
from transformer_book.positions import LearnedPositions


@dataclass(frozen=True)
class VisionOutput:
    """logits (B, classes) or None without a head; final (B, 1 + patches, D), the class token first."""

    logits: torch.Tensor | None
    final: torch.Tensor
    hidden: tuple[torch.Tensor, ...] | None = None
    attention: tuple[AttentionResult, ...] | None = None


def image_patches(images: torch.Tensor, patch_size: int) -> torch.Tensor:
    """Cut images (B, C, height, width) into square patches, row by row: (B, patches, C · patch_size²).

    Inside a patch the order is channel, row, column. Raises TypeError for images that are not a tensor,
    ValueError when the patches do not fill the image.
    """
    sizes = shapes(images=(images, "B C height width"))
    check_whole("patch_size", patch_size)
    for side in ("height", "width"):
        if sizes[side] % patch_size:
            wanted = f"a multiple of patch_size = {patch_size}"
            raise ValueError(must_be(f"the {side} of images", wanted, sizes[side]))
    return _patches(images, patch_size)


def _patches(images, patch_size):
    batch, channels, height, width = images.shape
    rows, columns = height // patch_size, width // patch_size
    tiles = images.reshape(batch, channels, rows, patch_size, columns, patch_size)
    return tiles.permute(0, 2, 4, 1, 3, 5).reshape(batch, rows * columns, channels * patch_size**2)


class VisionTransformer(nn.Module):
    """A Vision Transformer with a class token (Dosovitskiy et al., 2021): 196 patches make 197 tokens.

    Parameters: patches (a linear map of each patch), class_token (D,), positions, layers.i, final_norm, head.
    Raises TypeError for another config than a `VisionConfig`.
    """

    def __init__(self, config: VisionConfig):
        super().__init__()
        check_config(config, VisionConfig)
        self.config = config
        self.patches = nn.Linear(config.patch_dim, config.dim)
        self.class_token = nn.Parameter(torch.zeros(config.dim))
        self.positions = LearnedPositions(1 + config.num_patches, config.dim)
        self.dropout = nn.Dropout(config.dropout)
        self.layers = nn.ModuleList(
            TransformerLayer(**config.layer_options()) for _ in range(config.num_layers)
        )
        pre = config.norm_placement == "pre"
        self.final_norm = make_norm(config.norm, config.dim, config.norm_epsilon) if pre else nn.Identity()
        self.head = nn.Linear(config.dim, config.num_classes) if config.num_classes else None
        initialise(self, config.num_layers)
        nn.init.normal_(self.class_token, std=0.02)

    def forward(
        self,
        images: torch.Tensor,
        *,
        return_hidden: bool = False,
        return_weights: bool | int | list[int] = False,
    ) -> VisionOutput:
        """Classify images (B, channels, image_size, image_size).

        Raises TypeError for images that are not a tensor, ValueError for another shape, type or device.
        """
        config = self.config
        shapes(images=(images, f"B {config.channels} {config.image_size} {config.image_size}"))
        check_beside_weights("images", images, self.patches.weight)
        patches = _patches(images, config.patch_size)  # (B, patches, C · patch_size²)
        tokens = self.patches(patches)  # (B, patches, D)
        first = self.class_token.expand(len(images), 1, -1)  # (B, 1, D)
        x = self.dropout(torch.cat([first, tokens], dim=1) + self.positions.weight)  # (B, 1 + patches, D)
        stack = run_layers(self.layers, x, return_hidden=return_hidden, return_weights=return_weights)
        final = self.final_norm(stack.output)
        logits = None if self.head is None else self.head(final[:, 0])
        return VisionOutput(logits, final, stack.hidden, stack.attention)
