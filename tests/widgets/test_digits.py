"""One rule for digits: the page's and Python's."""

import math
import random
import struct

from transformer_book.widgets import bundle

DIGITS = (0, 1, 2, 3, 6)


def doubles() -> list[float]:
    """Ties, edges and random bit patterns."""
    dice = random.Random(5)
    ties = (
        [k / 16 for k in range(-400, 400)]
        + [k / 2 for k in range(-50, 50)]
        + [k / 2**7 for k in range(-99, 99)]
    )
    near = [math.nextafter(x, side) for x in ties for side in (-math.inf, math.inf)]
    edges = [0.0, -0.0, -1e-9, 5e-324, 1e21, 123456789012345680000.0, 2.0**70, 1.7e308, -1.7e308]
    patterns = [struct.unpack("<d", dice.randbytes(8))[0] for _ in range(4000)]
    ordinary = [dice.uniform(-20, 20) for _ in range(4000)]
    return [*ties, *near, *edges, math.inf, -math.inf, math.nan, *patterns, *ordinary]


def test_the_page_rounds_as_python_does(read):
    page = read().page
    page.add_script_tag(content=bundle.source("js/core/numbers.js"))
    numbers = doubles()
    for digits in DIGITS:
        shown = page.evaluate("([xs, d]) => xs.map((x) => formatFixed(x, d))", [numbers, digits])
        wrong = [(x, got) for x, got in zip(numbers, shown, strict=True) if got != format(x, f".{digits}f")]
        assert not wrong, (
            f"{len(wrong)} numbers differ at {digits} digits, such as {wrong[:3]}: half-even on ties?"
        )
