"""Tiled attention never holds an N x N matrix, forwards or backwards."""

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from transformer_book.accounting import peak_memory
from transformer_book.attention import tiled_attention, written_out_attention
from transformer_book.attention.tiled import GPU_SCORES, _gpu_blocks
from transformer_book.models import Decoder, DecoderConfig


class LargestTensor(TorchDispatchMode):
    """The most numbers any operation returned."""

    largest = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        for tensor in result if isinstance(result, tuple | list) else [result]:
            if isinstance(tensor, torch.Tensor):
                self.largest = max(self.largest, tensor.numel())
        return result


@pytest.mark.parametrize("causal", [False, True])
def test_no_tensor_is_larger_than_tile_or_input(causal):
    num_tokens, dim = 512, 4
    query, key, value = (torch.randn(1, 2, num_tokens, dim, requires_grad=True) for _ in range(3))
    with LargestTensor() as seen:
        output = tiled_attention(query, key, value, causal=causal, query_block=32, key_block=64).output
        output.sum().backward()
    assert seen.largest <= max(2 * 32 * 64, 2 * num_tokens * dim), f"{seen.largest} numbers in one tensor"
    with LargestTensor() as written:
        written_out_attention(query, key, value, causal=causal)
    assert written.largest >= 2 * num_tokens**2, "the measure sees no N x N matrix where there is one"


def test_large_scores_do_not_overflow():
    query = torch.tensor([[[[1000.0]], [[1000.0]]]])
    key = torch.tensor([[[[0.5], [1.0], [0.9]], [[-1.0], [-0.5], [-0.9]]]])
    value = torch.tensor([[[[1.0], [2.0], [3.0]], [[4.0], [5.0], [6.0]]]])
    output = tiled_attention(query, key, value, scale=False, key_block=1).output
    assert output.flatten().tolist() == [2.0, 5.0], "likely: no running maximum"


def test_causal_tiles_in_the_future_are_skipped():
    tokens = torch.randn(1, 1, 8, 2)
    poisoned = tokens.clone()
    poisoned[:, :, 4:] = float("nan")
    output = tiled_attention(tokens, poisoned, poisoned, causal=True, query_block=4, key_block=4).output
    assert bool(output[:, :, :4].isfinite().all()), "likely: every tile computed, then masked"


def test_half_precision_sums_in_float32():
    query, key, value = (torch.randn(1, 2, 300, 16, dtype=torch.float64) for _ in range(3))
    exact = tiled_attention(query, key, value).output
    half = tiled_attention(*(x.bfloat16() for x in (query, key, value)), key_block=7).output
    assert half.dtype == torch.bfloat16
    assert float((half - exact).abs().max()) < 0.01, "likely: the running sum is kept in bfloat16"


def test_a_decoder_with_rotary_positions_trains_under_autocast():
    sizes = {"vocabulary_size": 101, "context_length": 64, "dim": 60, "num_layers": 3, "num_heads": 6}
    tokens, gradients = torch.randint(101, (3, 14)), {}
    for form in ("written_out", "tiled"):
        torch.manual_seed(1)
        model = Decoder(DecoderConfig(**sizes, positions="rotary", form=form))
        with torch.autocast("cpu", dtype=torch.bfloat16):
            model(tokens).logits.float().square().mean().backward()
        gradients[form] = torch.cat([p.grad.flatten() for p in model.parameters()])
    # bfloat16 rounds each of a few dozen products by up to 2^-9, at random: together a few per cent.
    difference = (gradients["tiled"] - gradients["written_out"]).norm() / gradients["written_out"].norm()
    assert float(difference) < 0.05


def test_memory_beyond_the_inputs_is_at_most_twice_the_output():
    inputs = [torch.randn(1, 4, 4096, 64) for _ in range(3)]
    output = inputs[0].numel() * 4
    assert peak_memory(lambda: tiled_attention(*inputs).output) <= 2 * output
    short = [x[:, :, :1024] for x in inputs]
    assert peak_memory(lambda: written_out_attention(*short)) >= 4 * 1024**2 * 4


@pytest.mark.parametrize("heads", [0, 1, 12, 13, 384])
def test_tiles_on_a_gpu_are_large_but_bounded(heads):
    side, _ = _gpu_blocks(heads)
    assert heads * side**2 <= GPU_SCORES, "the tiles of all heads take more memory than meant"
    assert not heads or heads * (2 * side) ** 2 > GPU_SCORES, "smaller tiles than memory allows are slow"
