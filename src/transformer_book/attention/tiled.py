"""Exact attention in tiles: the online softmax, so that no N x N matrix is ever held (Dao et al., 2022).

For one block of queries the keys are visited block by block. Three things are carried along: the largest
score so far, the sum of exponentials relative to it, and the output relative to it. When a larger score turns
up, both sums are scaled down to it. The backward pass keeps one number per query, log of the sum of
exponentials, and computes each tile of weights again instead of storing it.
"""

import math

import torch

from transformer_book.attention.attention_checks import check_attention
from transformer_book.attention.attention_result import AttentionResult
from transformer_book.attention.autocast import autocast
from transformer_book.attention.scores import repeat_heads, scale_factor
from transformer_book.attention.written_out import written_out
from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_whole

# Queries and keys in a tile. On a CPU a larger tile falls out of the caches, a smaller one costs more calls.
CPU_BLOCKS = (128, 512)
# A GPU finishes a small tile sooner than Python asks for the next. So its tiles are squares as large as a
# fixed memory allows: this many scores in all texts and heads, 64 MiB of float32.
GPU_SCORES = 2**24


def tiled_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    *,
    mask: torch.Tensor | None = None,
    causal: bool = False,
    scale: bool | float = True,
    dropout: float = 0.0,
    query_block: int | None = None,
    key_block: int | None = None,
) -> AttentionResult:
    """Compute (12.5) tile by tile, forwards and backwards, with memory linear in the number of tokens.

    Arguments, result and errors are those of `written_out_attention`, except that there are no scores or
    weights to return and no dropout. query_block, key_block: tokens in a tile, by device unless given.
    Gradients of gradients hold the whole N x M matrix.
    """
    mask = check_attention(query, key, value, mask, causal, scale, dropout)
    for name, size in (("query_block", query_block), ("key_block", key_block)):
        if size is not None:
            check_whole(name, size)
    factor = scale_factor(scale, query.shape[-1])
    return tiled(query, key, value, mask, causal, factor, dropout, query_block, key_block)


def tiled(
    query, key, value, mask=None, causal=False, factor=1.0, dropout=0.0, query_block=None, key_block=None
) -> AttentionResult:
    """The same for arguments that were checked: factor multiplies the scores, mask is (..., N, M)."""
    if dropout:
        raise ValueError(must_be("dropout", "0 in tiled attention (the fused form has it)", dropout))
    query, key, value = autocast(query, *repeat_heads(query, key, value))
    usual = CPU_BLOCKS if query.device.type == "cpu" else _gpu_blocks(query.shape[:-2].numel())
    tiling = Tiling(
        query.shape[-2], key.shape[-2], query_block or usual[0], key_block or usual[1], causal, mask
    )
    return AttentionResult(_TiledAttention.apply(query, key, value, factor, tiling))


def _gpu_blocks(heads):
    """Queries and keys in a tile of so many heads of all texts: a power of two, at least 128."""
    side = max(128, 2 ** (math.isqrt(GPU_SCORES // max(heads, 1)).bit_length() - 1))
    return side, side


class Tiling:
    """Which tiles exist, and which of their entries are masked."""

    def __init__(self, num_queries, num_keys, query_block, key_block, causal, mask):
        self.num_queries, self.num_keys = num_queries, num_keys
        self.query_block, self.key_block = query_block, key_block
        self.causal, self.mask = causal, mask
        self.offset = num_keys - num_queries  # position of the first query among the keys

    def query_blocks(self):
        return _blocks(self.num_queries, self.query_block)

    def key_blocks(self, rows):
        """Key blocks that some query of `rows` may see."""
        last = min(self.num_keys, self.offset + rows.stop) if self.causal else self.num_keys
        return _blocks(last, self.key_block)

    def hidden(self, rows, columns, device):
        """Boolean tile, True where masked; None when the whole tile is visible."""
        hidden = None
        if self.causal and columns.stop - 1 > self.offset + rows.start:
            query_position = torch.arange(rows.start, rows.stop, device=device)[:, None] + self.offset
            hidden = torch.arange(columns.start, columns.stop, device=device) > query_position
        if self.mask is not None:
            masked = ~self.mask[..., rows, columns]
            hidden = masked if hidden is None else hidden | masked
        return hidden


class _TiledAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, query, key, value, factor, tiling):
        output = query.new_empty(*query.shape[:-1], value.shape[-1])  # (B, H, N, D_v)
        log_sum = torch.empty(query.shape[:-1], dtype=_accumulator(query), device=query.device)  # (B, H, N)
        for rows in tiling.query_blocks():
            output[..., rows, :], log_sum[..., rows] = _attend_rows(query, key, value, factor, tiling, rows)
        ctx.save_for_backward(query, key, value, output, log_sum)
        ctx.factor, ctx.tiling = factor, tiling
        return output

    @staticmethod
    def backward(ctx, grad_output):
        query, key, value, output, log_sum = ctx.saved_tensors
        factor, tiling = ctx.factor, ctx.tiling
        if torch.is_grad_enabled():  # create_graph=True: the gradients will be differentiated themselves
            return *_differentiable_gradients(grad_output, query, key, value, factor, tiling), None, None
        grad_query = torch.zeros_like(query, dtype=log_sum.dtype)
        grad_key = torch.zeros_like(key, dtype=log_sum.dtype)
        grad_value = torch.zeros_like(value, dtype=log_sum.dtype)
        # The softmax derivative a_m (1[m = m'] - a_m') needs the sum of weight times gradient: gradient ·
        # output.
        mean_gradient = (grad_output * output).sum(-1, keepdim=True)  # (B, H, N, 1)
        for rows in tiling.query_blocks():
            q, g = query[..., rows, :] * factor, grad_output[..., rows, :]
            for columns in tiling.key_blocks(rows):
                k, v = key[..., columns, :], value[..., columns, :]
                weights = _scores(q, k, tiling, rows, columns)
                weights = weights.sub_(log_sum[..., rows, None]).exp_()  # (B, H, rows, columns)
                weights = weights.to(query.dtype)
                grad_value[..., columns, :] += weights.transpose(-2, -1) @ g
                grad_scores = (g @ v.transpose(-2, -1)).sub_(mean_gradient[..., rows, :]).mul_(weights)
                grad_query[..., rows, :] += grad_scores @ k
                grad_key[..., columns, :] += grad_scores.transpose(-2, -1) @ q
        return (
            grad_query.mul_(factor).to(query.dtype),
            grad_key.to(key.dtype),
            grad_value.to(value.dtype),
            None,
            None,
        )


def _differentiable_gradients(grad_output, query, key, value, factor, tiling):
    """The gradients from operations that autograd can differentiate again; they hold the N x M matrix."""
    weights = written_out(query, key, value, tiling.mask, tiling.causal, factor).weights
    grad_weights = grad_output @ value.transpose(-2, -1)
    grad_scores = weights * (grad_weights - (grad_weights * weights).sum(-1, keepdim=True))
    grad_scores = grad_scores * factor
    return (grad_scores @ key, grad_scores.transpose(-2, -1) @ query, weights.transpose(-2, -1) @ grad_output)


def _attend_rows(query, key, value, factor, tiling, rows):
    """Output and log of the sum of exponentials for one block of queries."""
    q = query[..., rows, :] * factor  # once here instead of in every tile
    largest = torch.full((*q.shape[:-1], 1), float("-inf"), dtype=_accumulator(q), device=q.device)
    total = torch.zeros_like(largest)
    output = largest.new_zeros(*q.shape[:-1], value.shape[-1])
    for columns in tiling.key_blocks(rows):
        tile = _scores(q, key[..., columns, :], tiling, rows, columns)
        new_largest = torch.maximum(largest, tile.amax(dim=-1, keepdim=True))
        reference = new_largest
        if tiling.mask is not None:
            # A query that has seen no key yet has largest score -inf; -inf minus -inf must not become NaN.
            reference = new_largest.masked_fill(new_largest == float("-inf"), 0.0)
        shrink = (largest - reference).exp_()
        tile = tile.sub_(reference).exp_()
        total = total.mul_(shrink).add_(tile.sum(dim=-1, keepdim=True))
        output = output.mul_(shrink).add_(tile.to(value.dtype) @ value[..., columns, :])
        largest = new_largest
    no_key = total == 0
    output = output.div_(total.masked_fill(no_key, 1.0))
    # A query with no key keeps zeros, and +inf makes its weights exp(score - inf) = 0 in the backward pass.
    log_sum = (largest + total.log()).masked_fill(no_key, float("inf"))
    return output.to(query.dtype), log_sum.squeeze(-1)


def _scores(q, k, tiling, rows, columns):
    tile = (q @ k.transpose(-2, -1)).to(_accumulator(q))
    hidden = tiling.hidden(rows, columns, q.device)
    return tile if hidden is None else tile.masked_fill_(hidden, float("-inf"))


def _accumulator(tensor):
    """Sums of half-precision numbers are kept in float32."""
    return torch.float32 if tensor.dtype in (torch.float16, torch.bfloat16) else tensor.dtype


def _blocks(length, size):
    return [slice(start, min(start + size, length)) for start in range(0, length, size)]
