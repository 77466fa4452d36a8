"""From a config to its model."""

from contextlib import nullcontext

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from transformer_book.checks.messages import must_be
from transformer_book.checks.tensors import check_dtype
from transformer_book.models.config import (
    DecoderConfig,
    EncoderConfig,
    EncoderDecoderConfig,
    TransformerConfig,
    VisionConfig,
)
from transformer_book.models.decoder import Decoder
from transformer_book.models.encoder import Encoder
from transformer_book.models.encoder_decoder import EncoderDecoder
from transformer_book.models.vision import VisionTransformer

CLASSES = {
    DecoderConfig: Decoder,
    EncoderConfig: Encoder,
    EncoderDecoderConfig: EncoderDecoder,
    VisionConfig: VisionTransformer,
}


class _Undrawn(TorchFunctionMode):
    """Draws no random weights: on the meta device nothing would come of it but two seconds of imports."""

    def __torch_function__(self, function, types, arguments=(), options=None):
        options = options or {}
        if function is nn.init.normal_:
            return options.get("tensor", *arguments[:1])
        return function(*arguments, **options)


def build(config: TransformerConfig, *, device: str | torch.device = "cpu", dtype=None) -> nn.Module:
    """Make the model of a config with random weights.

    device="meta" allocates nothing, so that any size can be counted. dtype: of the weights, float32 unless
    given. Raises TypeError when config is not one of the four kinds or dtype is not a torch dtype,
    ValueError for a dtype of whole numbers.
    """
    if type(config) not in CLASSES:
        names = ", ".join(kind.__name__ for kind in CLASSES)
        raise TypeError(must_be("config", f"one of {names}", f"a {type(config).__name__}"))
    if dtype is not None:
        check_dtype("dtype", dtype)
    undrawn = _Undrawn() if torch.device(device).type == "meta" else nullcontext()
    with torch.device(device), undrawn:
        model = CLASSES[type(config)](config)
    return model if dtype is None else model.to(dtype)
