"""Read the numbers that a text shows, with the digits shown, and say whether they agree with what code
printed.
"""

import dataclasses
import functools
import re
from fractions import Fraction

from book_tools.language import CHINESE

PARTS = {"%": Fraction(1, 100), "‰": Fraction(1, 1000)}
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_PLAIN = r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_NUMBER = (
    rf"(?P<sign>(?<![\w)\]])[-−])?"
    rf"(?:(?P<top>\d+)/(?P<bottom>\d+)(?![.\d])|(?P<plain>{_PLAIN}))"
    r"(?:[eE](?P<exponent>[+-]?\d+)|\s?(?:×|x|\\times)\s?10(?P<power>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+|\^\{?-?\d+\}?))?"
)


@dataclasses.dataclass(frozen=True)
class Quantity:
    """A number as shown: its exact value, the step of its last shown digit, and where it stands in the text.

    A ratio (1/16, two thirds) has no last digit: its step is None. One in words is rough: 0.316 is a third. A
    loose numeral (several hundred) has a greatest value, `most`.
    """

    value: Fraction
    step: Fraction | None
    start: int
    end: int
    rough: bool = False
    most: Fraction | None = None


def quantities(text, language=CHINESE):
    """List the numbers of a text in order; numbers in words count only where no digit stands."""
    multipliers = PARTS | language.numbers.multipliers
    found = [_quantity(match, multipliers) for match in _pattern(language).finditer(text)]
    in_words = () if found else language.numbers.numerals.find(text)
    return found or [_quantity_in_words(numeral) for numeral in in_words if numeral.bounds]


@functools.cache
def _pattern(language):
    """A number in digits, with what multiplies it."""
    return re.compile(_NUMBER + rf"(?:\s?(?P<unit>{'|'.join(language.numbers.multipliers)}|%|‰|\\%))?")


def _quantity(match, multipliers):
    scale = Fraction(1)
    if match["exponent"]:
        scale *= Fraction(10) ** int(match["exponent"])
    if match["power"]:
        scale *= Fraction(10) ** int(match["power"].translate(SUPERSCRIPTS).strip("^{}"))
    if match["unit"]:
        scale *= multipliers[match["unit"].lstrip("\\")]
    if match["sign"]:
        scale = -scale
    if match["top"]:
        if int(match["bottom"]) == 0:
            return Quantity(Fraction(0), Fraction(1), match.start(), match.end())
        return Quantity(Fraction(int(match["top"]), int(match["bottom"])) * scale, None, *match.span())
    digits = match["plain"].replace(",", "")
    decimals = len(digits.partition(".")[2])
    return Quantity(Fraction(digits) * scale, abs(scale) / 10**decimals, *match.span())


def _quantity_in_words(numeral):
    least, most = map(Fraction, numeral.bounds)
    place = (numeral.start, numeral.end)
    step = None if numeral.share else Fraction(1)
    return Quantity(least, step, *place, rough=numeral.share, most=most if most > least else None)


def agrees(shown, printed):
    """Return None if a shown number is the printed one rounded to the shown digits, else what to expect
    instead.
    """
    if shown.most is not None:
        within = shown.value <= printed.value <= shown.most
        return None if within else f"expected {_decimal(printed.value)}"
    if shown.value == printed.value and (shown.step is None or printed.step is None):
        return None
    if shown.step is None:
        if printed.step is None:
            return f"expected {printed.value}"
        if shown.rough:
            nearest = printed.value.limit_denominator(shown.value.denominator)
            # A third is no word for 0.25.
            close = 10 * abs(shown.value - printed.value) <= abs(printed.value)
            return None if nearest == shown.value and close else f"expected {_decimal(printed.value)}"
        exact = round_half_even(shown.value, printed.step) == printed.value
        return None if exact else f"expected {_decimal(printed.value)}"
    if printed.step is not None and shown.step < printed.step:
        return "shows more digits than the code prints; print more or show fewer"
    rounded = round_half_even(printed.value, shown.step)
    return None if rounded == shown.value else f"expected {_decimal(rounded)}"


def is_rounded(shown, printed):
    """Say whether a shown number is the printed one, rounded to the shown digits."""
    return agrees(shown, printed) is None


def round_half_even(value, step):
    """Round an exact value to a multiple of `step`, ties to the even multiple."""
    return round(value / step) * step


def _decimal(value):
    return f"{float(value):.12g}" if value.denominator != 1 else f"{value.numerator:,}"
