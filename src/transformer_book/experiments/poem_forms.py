"""The form of poems, written by people and by models: lengths of lines, rhyme, tones (section 8).

Rhyme is taken from the poems themselves: two characters rhyme if they end the second and the fourth line of
some training poem. Tones are those of today's Mandarin, level (1 and 2) or oblique; the entering tone of the
Tang, which it has lost, makes some of them wrong.
"""

from __future__ import annotations

import functools
import random
from collections import Counter
from dataclasses import dataclass
from itertools import permutations

from transformer_book.data import load_level_tones, load_quatrains
from transformer_book.experiments import quatrains
from transformer_book.experiments.experiment import Grid, Measurement, Outcome
from transformer_book.models import Decoder
from transformer_book.recorded import trained

SEEDS = (0, 1, 2, 3, 4)


@dataclass(frozen=True)
class Sampling:
    """How many poems are sampled, at which temperature."""

    poems: int = 200
    temperature: float = 1.0


@functools.cache
def rhyming_pairs() -> frozenset[frozenset[str]]:
    """Return the pairs of characters that end lines two and four of a training poem."""
    return frozenset(frozenset(_ends(poem)) for poem in load_quatrains().train)


def _ends(poem: str) -> tuple[str, str]:
    lines = quatrains.lines_of(poem)
    return lines[1][-1], lines[3][-1]


def form_scores(poems: list[str]) -> dict[str, float]:
    """Return seven shares. formed: of all poems, those with a quatrain's form; the rest is of these alone.

    rhymed: poems whose lines two and four end in a pair that a training poem ends in. tones: lines whose
    second and fourth characters are one level, one oblique. couplets: pairs of lines (1, 2) and (3, 4) whose
    second characters are. apart, tones_apart, couplets_apart: the same for the one place of a poem and the
    other of another, over all pairs of poems: what knowing how often a place has which characters, and
    nothing of the poem, would give. 0 where no poem has the form.
    """
    formed = [poem for poem in poems if quatrains.has_form(poem)]
    ends = [_ends(poem) for poem in formed]
    lines = [_levels(poem) for poem in formed]
    tones = [[(line[i][1], line[i][3]) for line in lines] for i in range(4)]
    couplets = [[(line[i][1], line[i + 1][1]) for line in lines] for i in (0, 2)]
    return {
        "formed": len(formed) / len(poems),
        "rhymed": _share([frozenset(pair) in rhyming_pairs() for pair in ends]),
        "apart": _rhymed_apart(ends),
        "tones": _differing(tones),
        "tones_apart": _differing_apart(tones),
        "couplets": _differing(couplets),
        "couplets_apart": _differing_apart(couplets),
    }


def _levels(poem: str) -> list[list[bool]]:
    """Say of each character of each line whether its tone is level."""
    level = load_level_tones()
    return [[character in level for character in line] for line in quatrains.lines_of(poem)]


def _differing(places: list[list[tuple[bool, bool]]]) -> float:
    """Share of pairs of tones, a list of one pair a poem for each place, that are one level, one oblique."""
    return _share([one != other for pairs in places for one, other in pairs])


def _differing_apart(places: list[list[tuple[bool, bool]]]) -> float:
    """The same with the two tones from different poems, over all ordered pairs of poems."""
    number = len(places[0])
    if number < 2:
        return 0.0
    differing = 0
    for pairs in places:
        one, other = (sum(tones) for tones in zip(*pairs, strict=True))
        own = sum(first != second for first, second in pairs)
        differing += one * (number - other) + (number - one) * other - own
    return differing / (len(places) * number * (number - 1))


def _rhymed_apart(ends: list[tuple[str, str]]) -> float:
    """Share of all ordered pairs of different poems whose one second and other fourth line rhyme."""
    if len(ends) < 2:
        return 0.0
    second, fourth = map(Counter, zip(*ends, strict=True))
    pairs = rhyming_pairs()
    both_ways = [pair for two in pairs for pair in set(permutations(two, 2)) or {tuple(two) * 2}]
    rhymed = sum(second[one] * fourth[other] for one, other in both_ways)
    own = sum(frozenset(pair) in pairs for pair in ends)
    return (rhymed - own) / (len(ends) * (len(ends) - 1))


def _share(found: list[bool]) -> float:
    return sum(found) / len(found) if found else 0.0


def shuffled_poems(poems: list[str], seed: int) -> list[str]:
    """Deal the characters of all poems out anew, punctuation left where it stands: the null of `form_scores`.

    What is left is how often each character occurs.
    """
    deck = [character for poem in poems for character in poem if character not in "，。"]
    random.Random(seed).shuffle(deck)
    dealt = iter(deck)
    return ["".join(c if c in "，。" else next(dealt) for c in poem) for poem in poems]


def by_temperature(temperature: float) -> Measurement:
    """Return the measure of poems that the page's GPT writes; the seed is the sampling's."""
    settings = Sampling(temperature=temperature)

    def measure(seed: int) -> Outcome:
        model = trained("quatrain_gpt", Decoder(quatrains.QUATRAIN_GPT))
        options = {"temperature": temperature, "seed": seed}
        return Outcome(form_scores(quatrains.sample_poems(model, settings.poems, **options)))

    return Measurement(measure=measure, settings=settings)


GRID = Grid(
    conditions={
        f"temperature_{temperature}": by_temperature(temperature) for temperature in quatrains.TEMPERATURES
    },
    seeds=SEEDS,
)
