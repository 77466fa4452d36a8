"""Plain data between the marker and a student's process: JSON in length-prefixed frames, never pickle.

``None``, booleans, numbers, strings, lists, tuples, dictionaries, NumPy arrays and torch tensors cross;
nothing else does. The file stands alone, because the sandbox binds it beside ``runner`` and nothing of the
book.
"""

import base64
import json
import math
import re
import struct

ARRAY_KINDS = "biufc"
DTYPE = re.compile(rf"[<|][{ARRAY_KINDS}][0-9]{{1,2}}")  # what encode writes; NumPy would read far more
MAX_DEPTH = 32
# What one message may make the marker do. An empty axis counts as one: what a test computes from the shape
# of an array without bytes need not be empty. Commas and brackets of JSON bound its values; base64 has none.
MOST_DIMENSIONS = 8
MOST_ELEMENTS = 1 << 24
MOST_BYTES = 1 << 24  # of one array: told before it is copied and written as text, which takes processor time
MOST_VALUES = 300_000
MOST_PAIRS = 200  # of one dictionary: keys made to collide are compared two by two
# NumPy makes every string of a list as wide as the longest, four bytes a character.
MOST_CHARACTERS = 1 << 20  # of the longest string, times the values that cross with it
HEADER = struct.Struct(">I")


class NotPlainData(TypeError):
    """A value that the channel does not carry."""


class TooLarge(ValueError):
    """Plain data with more elements, values or dictionary keys than the channel carries."""


class BadFrame(ValueError):
    """Bytes from the other side that are not a frame of this channel."""


def encode(value):
    """Turn plain data into what JSON can hold; raise NotPlainData, or TooLarge for too much of it."""
    data = encode_part(value)
    if too_wordy(value):
        raise TooLarge("strings too long for an array of them")
    return data


def encode_part(value, depth=0):
    """Encode a value that stands ``depth`` deep in another."""
    if depth > MAX_DEPTH:
        raise NotPlainData(f"a value nested more than {MAX_DEPTH} deep")
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        return int(value) if isinstance(value, int) else float(value)
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, list | tuple):
        return {type_name(value): [encode_part(item, depth + 1) for item in value]}
    if isinstance(value, dict):
        return {"dict": encode_pairs(value, depth)}
    return encode_array(value)


def encode_pairs(value, depth):
    """Encode a dictionary's pairs; raise TooLarge for too many."""
    pairs = []
    for key, item in value.items():
        if len(pairs) == MOST_PAIRS:
            raise TooLarge(f"a dictionary of more than {MOST_PAIRS} keys")
        pairs.append([encode_part(key, depth + 1), encode_part(item, depth + 1)])
    return pairs


def type_name(value):
    """Name the tag of a list or a tuple (a named tuple crosses as a tuple)."""
    return "list" if isinstance(value, list) else "tuple"


def encode_array(value):
    """Encode a NumPy array or scalar, or a torch tensor; raise NotPlainData for anything else.

    A value's own classes say which library it is of: ``sys.modules`` may hold one that another thread is
    still importing, and the import statement waits for it.
    """
    libraries = {base.__module__.partition(".")[0] for base in type(value).__mro__}
    if "torch" in libraries:
        import torch

        if isinstance(value, torch.Tensor):
            tensor = value.detach().cpu()
            if tensor.dtype in (torch.bfloat16, torch.float16):
                tensor = tensor.float()
            return {"tensor": array_fields(tensor.resolve_conj().resolve_neg().numpy())}
    if "numpy" in libraries:
        import numpy

        if isinstance(value, numpy.generic | numpy.ndarray):
            if value.dtype.kind not in ARRAY_KINDS:
                raise NotPlainData(f"an array of dtype {value.dtype}")
            if isinstance(value, numpy.generic):
                return encode_part(scalar(value))
            return {"array": array_fields(numpy.asarray(value))}
    raise NotPlainData(f"a value of type {type(value).__name__}")


def scalar(value):
    """Return Python's number for a NumPy scalar (the item of an extended-precision one is NumPy's again)."""
    kinds = {"b": bool, "i": int, "u": int, "f": float, "c": complex}
    return kinds[value.dtype.kind](value)


def array_fields(array):
    """Give an array's dtype, shape and bytes (C order, little-endian); raise TooLarge for a wide one."""
    if too_wide(array.shape) or array.nbytes > MOST_BYTES:
        raise TooLarge(f"an array of shape {array.shape}, dtype {array.dtype}")
    array = array.astype(array.dtype.newbyteorder("<"))
    return [array.dtype.str, list(array.shape), base64.b64encode(array.tobytes()).decode("ascii")]


def too_wide(shape):
    """Say whether a shape has more dimensions or elements than may cross."""
    return len(shape) > MOST_DIMENSIONS or math.prod(max(n, 1) for n in shape) > MOST_ELEMENTS


def too_wordy(value):
    """Say whether plain data as one array would be large: in each place as wide as the longest string."""
    longest, count, parts = 0, 0, [value]
    while parts:
        part = parts.pop()
        count += math.prod(getattr(part, "shape", ()))
        if isinstance(part, str):
            longest = max(longest, len(part))
        elif isinstance(part, list | tuple | dict):
            parts += part.values() if isinstance(part, dict) else part
    return longest * count > MOST_CHARACTERS


def decode(data):
    """Rebuild plain data; raise BadFrame for anything that encode does not write."""
    value = decode_part(data)
    if too_wordy(value):
        raise BadFrame("strings too long for an array of them")
    return value


def decode_part(data, depth=0):
    """Rebuild a value that stands ``depth`` deep in another."""
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
        return [decode_part(item, depth + 1) for item in content]
    if tag == "tuple":
        return tuple(decode_part(item, depth + 1) for item in content)
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
    if len(pairs) > MOST_PAIRS:
        raise BadFrame(f"a dictionary of {len(pairs)} keys")
    try:
        return {decode_part(key, depth + 1): decode_part(item, depth + 1) for key, item in pairs}
    except (TypeError, ValueError) as error:
        raise BadFrame(f"a dictionary that cannot be rebuilt: {error}") from error


def decode_array(dtype_text, shape, text):
    """Rebuild an array from its fields, checking that the bytes fill the shape."""
    import numpy

    try:
        if not DTYPE.fullmatch(dtype_text):
            raise BadFrame("an array of a forged dtype")
        dtype = numpy.dtype(dtype_text)
        possible = len(shape) <= MOST_DIMENSIONS and all(
            type(n) is int and 0 <= n <= MOST_ELEMENTS for n in shape
        )
        if not possible or too_wide(shape):
            raise BadFrame("an array of a forged shape")
        data = base64.b64decode(text, validate=True)
        if len(data) != math.prod(shape) * dtype.itemsize:
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


def too_many(payload):
    """Say whether a frame's JSON holds more values than may cross."""
    return sum(map(payload.count, (b",", b"[", b"{"))) > MOST_VALUES


def unpack(payload):
    """Read a frame's payload; raise BadFrame unless it is a JSON object of bounded size."""
    if too_many(payload):
        raise BadFrame("a frame of too many values")
    try:
        message = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise BadFrame(f"a frame that is not JSON: {error}") from error
    if not isinstance(message, dict):
        raise BadFrame("a frame that is not a JSON object")
    return message
