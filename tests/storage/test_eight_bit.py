"""Weights in 8 bits: how near they are, what comes back, and what is refused."""

import pytest
import torch

from transformer_book.storage.eight_bit import (
    dequantise_rows,
    eight_bit_tensors,
    quantise_rows,
    whole_tensors,
)
from transformer_book.storage.files import CorruptFileError

ROUNDING = 2**-23  # of the row's largest weight: scale, quotient and product are rounded to float32


def matrix(rows=7, columns=33):
    sizes = torch.logspace(-6, 6, rows)[:, None]  # rows of very different size
    return sizes * torch.randn(rows, columns, generator=torch.Generator().manual_seed(1))


def test_a_weight_is_off_by_half_a_step_of_its_own_row_at_most():
    whole = matrix()
    codes, scales = quantise_rows(whole)
    assert (codes.dtype, scales.dtype) == (torch.int8, torch.float32)
    largest = whole.abs().amax(dim=1, keepdim=True)
    error = (dequantise_rows(codes, scales).double() - whole.double()).abs() / largest
    assert error.max() <= 1 / 254 + ROUNDING
    assert error.max() > 0.9 / 254, "so near is no 8-bit number"


def test_a_row_s_largest_weight_comes_back_and_so_does_a_row_of_zeros():
    whole = matrix()
    whole[2] = 0
    back = dequantise_rows(*quantise_rows(whole))
    assert (back[2] == 0).all()
    place = whole.abs().argmax(dim=1, keepdim=True)
    torch.testing.assert_close(back.gather(1, place), whole.gather(1, place), rtol=ROUNDING, atol=0)


def test_codes_are_symmetric():
    whole = matrix()
    codes, scales = quantise_rows(whole)
    mirrored, same = quantise_rows(-whole)
    assert torch.equal(mirrored, -codes)
    assert torch.equal(same, scales)
    assert codes.min() >= -127


def test_vectors_stay_as_they_are():
    tensors = {"map.weight": matrix(5, 4), "map.bias": torch.arange(5.0) / 7}
    stored = eight_bit_tensors(tensors)
    assert stored.keys() == {"map.weight", "map.weight.scales", "map.bias"}
    back = whole_tensors(stored, "a file")
    assert torch.equal(back["map.bias"], tensors["map.bias"])
    assert torch.equal(back["map.weight"], dequantise_rows(*quantise_rows(tensors["map.weight"])))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (torch.zeros(3), r"matrix must be of shape \(R, C\); got \(3,\)"),
        (torch.zeros(2, 3, dtype=torch.int64), "matrix must be of type floating point; got torch.int64"),
        (torch.tensor([[1.0, float("nan")]]), "matrix must be finite as float32; got NaN or infinity"),
        (
            torch.tensor([[1e300]], dtype=torch.float64),
            "matrix must be finite as float32; got NaN or infinity",
        ),
    ],
)
def test_what_has_no_eight_bits_is_refused(wrong, says):
    with pytest.raises(ValueError, match=says):
        quantise_rows(wrong)


def change_scales(scales):
    return lambda tensors: tensors | {"a.scales": scales}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda t: {"a": t["a"]}, "a file lacks the scales a.scales"),
        (lambda t: {"a.scales": t["a.scales"]}, "a file holds scales a.scales but no 8-bit tensor"),
        (lambda t: t | {"a": t["a"].float()}, "a file holds scales a.scales but no 8-bit tensor"),
        (
            change_scales(torch.ones(3)),
            r"tensor a must be of shape \(R, C\) with .scales of shape \(R,\); got",
        ),
        (change_scales(torch.tensor([1.0, -1.0])), "tensor a.scales must be finite and not negative"),
        (change_scales(torch.tensor([1.0, float("inf")])), "tensor a.scales must be finite and not negative"),
    ],
)
def test_a_file_without_its_scales_is_corrupt(change, says):
    tensors = eight_bit_tensors({"a": matrix(2, 5)})
    with pytest.raises(CorruptFileError, match=says):
        whole_tensors(change(tensors), "a file")
