"""Numbers in words: which of them a page has to bind.

Bound is every whole number from five up (十六, 七千多, 几十), every multiple (四倍, 乘四) and every fraction
(三分之二, 八成, 一半). From one to four things may stand in plain sight, but not where they quote a setting
or a result: `python -m book_tools.audit --words 2` lists two to four too, to look through. Words that only
look like numbers stand in `words.csv`.
"""

import functools
import re
from pathlib import Path

from book_tools.audit.tables import read_table
from transformer_book.numerals import chinese

LEAST = 5  # the least whole number in words that has to be bound
_LARGE = re.compile("[五六七八九十百千万亿]")
_TIMES = re.compile(r"(?:乘以?|除以)\s*$")


@functools.cache
def not_numbers():
    """Return the pattern of the words that only look like numbers."""
    rows = (row for _, row in read_table(Path(__file__).with_name("words.csv"), ["word", "why"]))
    longest = sorted((row["word"] for row in rows), key=len, reverse=True)
    numeral = f"[{chinese.CHARACTERS}]"
    return re.compile("|".join(rf"(?<!{numeral}){word}(?![之钟])" for word in longest))


def number_words(text):
    """Yield (word, offset) for each number in words that a page has to bind."""
    text = not_numbers().sub(lambda match: "·" * len(match[0]), text)
    for numeral in chinese.find(text):
        multiple = text.startswith("倍", numeral.end)
        if numeral.bounds is None:
            counts = numeral.share or bool(_LARGE.search(numeral.text))
        else:
            counts = numeral.share or multiple or "点" in numeral.text or numeral.bounds[1] >= LEAST
        is_factor = numeral.bounds and numeral.bounds[1] > 1 and _TIMES.search(text, 0, numeral.start)
        if counts or is_factor:
            yield text[numeral.start : numeral.end + multiple], numeral.start
