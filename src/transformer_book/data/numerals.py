"""Whole numbers as Chinese numerals and as digits: 三千零七 ↔ 3007."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from transformer_book.checks.messages import must_be
from transformer_book.checks.numbers import check_whole
from transformer_book.numerals import chinese

_VALIDATION_SIZE = 500

# All characters that occur in numbers below 10⁶.
NUMERAL_CHARACTERS = "零一二三四五六七八九十百千万"
DIGIT_CHARACTERS = "0123456789"


@dataclass(frozen=True)
class Numerals:
    """Pairs such as ("三千零七", "3007"), for training and for validation, without a number in common."""

    train: list[tuple[str, str]]
    validation: list[tuple[str, str]]


def load_numerals(size: int = 20_000, limit: int = 1_000_000, seed: int = 0) -> Numerals:
    """Draw `size` training numbers and 500 validation numbers below `limit`.

    Numbers below 100 are all for training; the others have three to six digits in equal shares.
    Raises ValueError when `limit` holds too few numbers.
    """
    for name, value in (("size", size), ("limit", limit), ("seed", seed)):
        check_whole(name, value, least=0)
    if not 10_000 <= limit <= 1_000_000:
        raise ValueError(must_be("limit", "10,000 to 1,000,000", limit))
    if not 1 <= size <= limit // 4:
        raise ValueError(must_be("size", f"1 to a quarter of limit = {limit}", size))
    rng = Random(seed)
    most = len(str(limit - 1))
    chosen: dict[int, None] = dict.fromkeys(range(100))  # a dict keeps the order, a set does not promise to
    while len(chosen) < size + _VALIDATION_SIZE:
        digits = rng.randint(3, most)
        chosen[rng.randrange(10 ** (digits - 1), min(10**digits, limit))] = None
    pairs = [(chinese.write(number), str(number)) for number in chosen]
    return Numerals(pairs[:-_VALIDATION_SIZE], pairs[-_VALIDATION_SIZE:])
