"""What the machine could do at best: one large matrix product, and reading the weights once."""

import math

import torch

SIDE = 1024


def gemm(multiply_adds: int):
    """A function that does about this many multiply-adds as products of 1,024 x 1,024 matrices."""
    a, b = torch.randn(SIDE, SIDE), torch.randn(SIDE, SIDE)
    out = torch.empty(SIDE, SIDE)
    times = max(1, round(multiply_adds / SIDE**3))
    # The last product is cut to size, so that short work is not rounded to whole products.
    rest = math.ceil(SIDE * (multiply_adds / SIDE**3 - (times - 1)))

    @torch.no_grad()
    def run():
        for _ in range(times - 1):
            torch.mm(a, b, out=out)
        torch.mm(a[:rest], b, out=out[:rest])

    return run


def read(numbers: int, times: int):
    """A function that reads this many float32 numbers as often as said: a vector times one large matrix."""
    width = 4096
    matrix, vector = torch.randn(numbers // width, width), torch.randn(1, numbers // width)

    @torch.no_grad()
    def run():
        for _ in range(times):
            torch.mm(vector, matrix)

    return run
