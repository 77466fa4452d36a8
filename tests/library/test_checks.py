"""The checks that every public function calls: what they refuse, and the one sentence they say it in."""

import re

import numpy as np
import pytest
import torch

from transformer_book.checks.numbers import (
    check_boolean,
    check_choice,
    check_dropout,
    check_even,
    check_not_negative,
    check_positive,
    check_whole,
)
from transformer_book.checks.tensors import check_device, check_kind, check_type, shapes

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("check", "right", "wrong"),
    [
        (check_whole, [1, np.int64(7)], [0, 2.0, True, "3", None]),
        (check_even, [2, 8], [0, 3, 4.0, -2]),
        (check_positive, [1e-9, 3, np.float32(2)], [0, -1.0, NAN, INF, 10**400, "1", True]),
        (check_not_negative, [0, 0.5], [-1e-5, NAN, None]),
        (lambda name, value: check_dropout(value, name), [0, 0.99], [1.0, -0.1, NAN, "half"]),
        (check_boolean, [True, False], [1, "yes", None]),
        (lambda name, value: check_choice(name, value, ("pre", "post")), ["pre"], ["middle", None, ["pre"]]),
    ],
    ids=["whole", "even", "positive", "not negative", "dropout", "boolean", "choice"],
)
def test_numbers_and_names(check, right, wrong):
    for value in right:
        check("size", value)
    for value in wrong:
        with pytest.raises(ValueError, match=rf"^size must be .*; got {re.escape(repr(value))}\.$"):
            check("size", value)


def test_shapes_gives_the_sizes_of_names():
    query, key = torch.ones(2, 3, 5, 4), torch.ones(2, 3, 7, 4)
    sizes = shapes({"D": 4}, query=(query, "... N D"), key=(key, "... M D"), mask=(None, "N M"))
    assert sizes == {"...": (2, 3), "N": 5, "M": 7, "D": 4}


@pytest.mark.parametrize(
    ("shape", "axes", "wanted"),
    [
        ((2, 3, 7, 5), "... M D", r"\(2, 3, M, D = 4\)"),
        ((2, 6, 7, 4), "... M D", r"\(2, 3, M, D = 4\)"),
        ((7, 4), "... M D", r"\(2, 3, M, D = 4\)"),
        ((4,), "... M D", r"\(2, 3, M, D = 4\)"),
        ((2, 7), "B 8", r"\(B, 8\)"),
        ((2, 8, 1), "B 8", r"\(B, 8\)"),
        ((2, 3), "K K", r"\(K, K\)"),
    ],
)
def test_a_shape_that_does_not_fit_is_named_beside_the_expected_one(shape, axes, wanted):
    query = torch.ones(2, 3, 5, 4)
    got = re.escape(str(shape))
    with pytest.raises(ValueError, match=rf"key must be of shape {wanted}; got {got}\."):
        shapes(query=(query, "... N D"), key=(torch.ones(shape), axes))


def test_an_array_is_not_a_tensor():
    with pytest.raises(TypeError, match=r"key must be a torch tensor \(M, D\); got a ndarray\."):
        shapes(key=(np.ones((7, 4)), "M D"))


def test_kind_type_and_device_are_named():
    tensor = torch.ones(2, dtype=torch.int64)
    for check, rest in (
        (check_kind, ("floating point",)),
        (check_type, (torch.float32, "query")),
        (check_device, (torch.device("meta"), "query")),
    ):
        with pytest.raises(ValueError, match=r"key must be (of type|on) .*; got (torch.int64|cpu)\."):
            check("key", tensor, *rest)
