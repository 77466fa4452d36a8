"""Numbers in words: which of them a page has to bind.

Bound is every whole number from five up (sixteen, dozens), every multiple (four times) and every fraction
(two thirds, half). From one to four things may stand in plain sight, but not where they quote a setting or a
result: `python -m book_tools.audit --words 2` lists two to four too, to look through. How a language writes
them, and which words only look like numbers, its `Language` says.
"""

from book_tools.language import CHINESE

LEAST = 5  # the least whole number in words that has to be bound


def number_words(text, language=CHINESE):
    """Yield (word, offset) for each number in words that a page has to bind."""
    numbers = language.numbers
    text = language.not_numbers.sub(lambda match: "·" * len(match[0]), text)
    for numeral in numbers.numerals.find(text):
        multiple = numbers.times.match(text, numeral.end)
        if numeral.bounds is None:
            counts = numeral.share or bool(numbers.large.search(numeral.text))
        else:
            exact = numeral.share or multiple or numbers.point in numeral.text
            counts = exact or numeral.bounds[1] >= LEAST
        is_factor = numeral.bounds and numeral.bounds[1] > 1 and numbers.factor.search(text, 0, numeral.start)
        if counts or is_factor:
            yield text[numeral.start : multiple.end() if multiple else numeral.end], numeral.start
