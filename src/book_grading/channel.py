"""Plain data between the marker and a student's process: JSON in length-prefixed frames, never pickle.

``None``, booleans, numbers, strings, lists, tuples, dictionaries, NumPy arrays and torch tensors cross;
nothing else does. The file stands alone, because the sandbox binds it beside ``runner`` and nothing of the
book.
"""

import base64
import json
import math
import struct
import sys

ARRAY_KINDS = "biufc"
MAX_DEPTH = 32
HEADER = struct.Struct(">I")


class NotPlainData(TypeError):
    """A value that the channel does not carry."""


class BadFrame(ValueError):
    """Bytes from the other side that are no frame of this channel."""


def encode(value, depth=0):
    """Turn plain data into what JSON can hold; raise NotPlainData for anything else."""
    if depth > MAX_DEPTH:
        raise NotPlainData(f"a value nested more than {MAX_DEPTH} deep")
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        return int(value) if isinstance(value, int) else float(value)
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, list | tuple):
        return {type_name(value): [encode(item, depth + 1) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[encode(key, depth + 1), encode(item, depth + 1)] for key, item in value.items()]}
    return encode_array(value)


def type_name(value):
    """Name the tag of a list or a tuple (a named tuple crosses as a tuple)."""
    return "list" if isinstance(value, list) else "tuple"


def encode_array(value):
    """Encode a NumPy array or scalar, or a torch tensor; raise NotPlainData for anything else."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        tensor = value.detach().cpu()
        if tensor.dtype in (torch.bfloat16, torch.float16):
            tensor = tensor.float()
        return {"tensor": array_fields(tensor.resolve_conj().resolve_neg().numpy())}
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic | numpy.ndarray):
        if value.dtype.kind not in ARRAY_KINDS:
            raise NotPlainData(f"an array of dtype {value.dtype}")
        if isinstance(value, numpy.generic):
            return encode(scalar(value))
        return {"array": array_fields(numpy.asarray(value))}
    raise NotPlainData(f"a value of type {type(value).__name__}")


def scalar(value):
    """Return Python's number for a NumPy scalar (the item of an extended-precision one is NumPy's again)."""
    kinds = {"b": bool, "i": int, "u": int, "f": float, "c": complex}
    return kinds[value.dtype.kind](value)


def array_fields(array):
    """Give an array's dtype, shape and bytes (C order, little-endian)."""
    array = array.astype(array.dtype.newbyteorder("<"))
    return [array.dtype.str, list(array.shape), base64.b64encode(array.tobytes()).decode("ascii")]


def decode(data, depth=0):
    """Rebuild plain data; raise BadFrame for anything that encode does not write."""
    if depth > MAX_DEPTH:
        raise BadFrame(f"a value nested more than {MAX_DEPTH} deep")
    if data is None or isinstance(data, bool | int | float | str):
        return data
    if not isinstance(data, dict) or len(data) != 1:
        raise BadFrame("a value without a tag")
    ((tag, content),) = data.items()
    if not isinstance(content, list):
        raise BadFrame(f"the tag {tag!r} without a list")
    if tag == "list":
        return [decode(item, depth + 1) for item in content]
    if tag == "tuple":
        return tuple(decode(item, depth + 1) for item in content)
    if tag == "dict":
        return decode_dict(content, depth)
    if tag == "complex" and [type(part) for part in content] == [float, float]:
        return complex(*content)
    if tag in ("array", "tensor") and len(content) == 3:
        array = decode_array(*content)
        return array if tag == "array" else as_tensor(array)
    raise BadFrame(f"the unknown tag {tag!r}")


def decode_dict(pairs, depth):
    """Rebuild a dictionary from its pairs; its keys have to be scalars or tuples of them."""
    try:
        return {decode(key, depth + 1): decode(item, depth + 1) for key, item in pairs}
    except (TypeError, ValueError) as error:
        raise BadFrame(f"a dictionary that cannot be rebuilt: {error}") from error


def decode_array(dtype_text, shape, text):
    """Rebuild an array from its fields, checking that the bytes fill the shape."""
    import numpy

    try:
        dtype = numpy.dtype(dtype_text)
        data = base64.b64decode(text, validate=True)
        fits = (
            all(type(n) is int and n >= 0 for n in shape) and len(data) == math.prod(shape) * dtype.itemsize
        )
        if dtype.kind not in ARRAY_KINDS or not fits:
            raise BadFrame("an array whose bytes do not fill its shape")
        return numpy.frombuffer(data, dtype).reshape(shape).copy()
    except (TypeError, ValueError, OverflowError) as error:
        raise BadFrame(f"an array that cannot be rebuilt: {error}") from error


def as_tensor(array):
    """Turn an array into a torch tensor; raise BadFrame where torch has no such numbers."""
    import torch

    try:
        return torch.from_numpy(array)
    except (TypeError, ValueError) as error:
        raise BadFrame(f"a tensor that cannot be rebuilt: {error}") from error


def pack(message):
    """Write one message (plain JSON) as a frame."""
    payload = json.dumps(message).encode("ascii")
    return HEADER.pack(len(payload)) + payload


def unpack(payload):
    """Read a frame's payload; raise BadFrame unless it is a JSON object."""
    try:
        message = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise BadFrame(f"a frame that is not JSON: {error}") from error
    if not isinstance(message, dict):
        raise BadFrame("a frame that is not a JSON object")
    return message
