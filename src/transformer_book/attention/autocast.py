"""Mixed precision: the type that torch's autocast gives the factors of a product (torch 2.4 or newer)."""

import torch


def autocast_type(device: torch.device) -> torch.dtype | None:
    """The type of products on a device inside `torch.autocast`, None outside."""
    if device.type == "meta" or not torch.is_autocast_enabled(device.type):
        return None
    return torch.get_autocast_dtype(device.type)


def autocast(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Bring tensors to autocast's type, as torch does before each product; float64 stays as it is.

    Operations that torch does not know, such as an `autograd.Function`, have to ask for this themselves.
    """
    dtype = autocast_type(tensors[0].device)
    if dtype is None:
        return tensors
    return tuple(tensor if tensor.dtype == torch.float64 else tensor.to(dtype) for tensor in tensors)
