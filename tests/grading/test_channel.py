"""Values cross as plain data: what is sent comes back, what is no data does not cross, junk is refused."""

import json
import tracemalloc

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from book_grading import channel

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.complex_numbers(allow_nan=False)
)
plain = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text() | st.integers(), inner)
    ),
    max_leaves=12,
)


def across(value):
    """Send a value through the text of a frame."""
    return channel.decode(json.loads(json.dumps(channel.encode(value))))


@settings(max_examples=60)
@given(plain)
def test_plain_data_comes_back_as_it_was(value):
    back = across(value)
    assert back == value
    assert type(back) is type(value), "a tuple or a bool changed its type on the way"


@pytest.mark.parametrize("dtype", ["bool", "int32", "uint8", "float32", "float64", "complex128", ">f8"])
def test_arrays_keep_type_shape_and_values(dtype):
    array = (np.arange(24).reshape(2, 3, 4) % 5).astype(dtype)
    back = across(array[:, ::-1])
    assert back.dtype == array.dtype.newbyteorder("<")
    assert back.shape == array.shape
    np.testing.assert_array_equal(back, array[:, ::-1], err_msg="a strided array lost its order")


def test_an_empty_cache_crosses():
    back = across({"K": np.zeros((3, 0)), "V": torch.zeros(0, 5)})
    assert back["K"].shape == (3, 0)
    assert back["V"].shape == (0, 5)


@pytest.mark.parametrize(
    "number", [np.longdouble(1.5), np.clongdouble(1.5j), np.float16(1.5), np.bool_(True)]
)
def test_every_scalar_crosses_as_a_number(number):
    assert across(number) == number


def test_tensors_come_back_as_tensors():
    tensor = torch.arange(6.0, requires_grad=True).reshape(2, 3)
    back = across([tensor, torch.tensor(True), tensor.bfloat16()])
    assert all(isinstance(item, torch.Tensor) for item in back)
    assert torch.equal(back[0], tensor.detach())
    assert not back[0].requires_grad


@pytest.mark.parametrize("value", [object(), {1, 2}, b"x", np.array([object()]), np.array(["a"]), print])
def test_what_is_no_data_does_not_cross(value):
    with pytest.raises(channel.NotPlainData):
        channel.encode(value)


def test_a_large_array_is_refused_before_it_is_copied():
    wide = np.broadcast_to(np.zeros(1), channel.MOST_BYTES // 8 + 1)
    tracemalloc.start()
    with pytest.raises(channel.TooLarge, match=f"shape .{len(wide)},., dtype float64"):
        channel.encode(wide)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < channel.MOST_BYTES / 100
    assert np.array_equal(across(wide[:-1]), wide[:-1])


def test_a_list_that_holds_itself_does_not_cross():
    loop = []
    loop.append(loop)
    with pytest.raises(channel.NotPlainData, match="deep"):
        channel.encode(loop)


@pytest.mark.parametrize(
    "data",
    [
        {"pickle": ["gASVAAAA"]},
        {"list": 3},
        {"list": [], "tuple": []},
        [1, 2],
        {"array": ["<f8", [3], "AAAA"]},
        {"array": ["<f8", [-1], ""]},
        {"array": ["O", [1], "AAAAAAAAAAA="]},
        {"array": ["<f8", [1 << 60, 1 << 60], ""]},
        {"array": ["no such type", [1], ""]},
        {"array": ["(,1)f8", [1], "AAAAAAAAAAA="]},
        {"dict": [[{"list": []}, 1]]},
        {"dict": [1]},
        {"complex": ["a", {}]},
        {"array": ["<f8", [0, 1 << 70], ""]},
        {"tensor": ["<f16", [1], "AAAAAAAAAAAAAAAAAAAAAA=="]},
        {"tensor": [">f8", [1], "AAAAAAAAAAA="]},
    ],
)
def test_forged_data_is_refused(data):
    with pytest.raises(channel.BadFrame):
        channel.decode(data)


@pytest.mark.parametrize("payload", [b"", b"\xff", b"3", b"[" * 100000, b'{"id": '])
def test_a_frame_that_is_no_object_is_refused(payload):
    with pytest.raises(channel.BadFrame):
        channel.unpack(payload)
