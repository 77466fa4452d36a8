"""Greedy decoding, beam search and sampling continue the first lines of unseen poems (section 8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

from transformer_book.data import load_quatrains
from transformer_book.experiments import quatrains
from transformer_book.experiments.experiment import Grid, Measurement, Outcome
from transformer_book.experiments.poem_forms import form_scores
from transformer_book.generation import beam_search, generate
from transformer_book.models import Decoder
from transformer_book.recorded import trained

SEEDS = (0, 1, 2, 3, 4)
POEMS = 40  # a seed; each seed has others
WIDTHS = (4, 16)


@dataclass(frozen=True)
class Continuing:
    """What a condition is: how many poems, and the way the next characters are chosen."""

    way: str
    poems: int = POEMS


def first_line(poem: str) -> str:
    """Return a poem's first line with its comma."""
    return poem[: poem.index("，") + 1]


def poems_to_continue(seed: int) -> list[str]:
    """Return 40 validation poems, others for each seed."""
    poems = load_quatrains().validation
    return [poems[(seed * POEMS + k) * len(poems) // (len(SEEDS) * POEMS)] for k in range(POEMS)]


def beam(width: int) -> Callable:
    """Return the way of choosing that keeps the `width` likeliest beginnings."""

    def choose(model: Decoder, prompt: torch.Tensor, number: int) -> torch.Tensor:
        options = {"width": width, "stop_tokens": [quatrains.END]}
        return beam_search(model, prompt, number, **options).new_tokens[0]

    return choose


def sampling(temperature: float) -> Callable:
    """Return the way of choosing that draws; temperature 0 is greedy."""

    def choose(model: Decoder, prompt: torch.Tensor, number: int) -> torch.Tensor:
        options = {"temperature": temperature, "stop_tokens": [quatrains.END], "generator": int(prompt.sum())}
        return generate(model, prompt, number, **options).new_tokens[0]

    return choose


WAYS = {
    "greedy": sampling(0.0),
    **{f"beam_{width}": beam(width) for width in WIDTHS},
    "sample_0.8": sampling(0.8),
    "sample_1.0": sampling(1.0),
}


def continued(model: Decoder, poem: str, way: Callable) -> str:
    """Return the first line of `poem` and what the model writes after it."""
    line = first_line(poem)
    prompt = torch.tensor([quatrains.START, *quatrains.VOCABULARY.encode(line)])
    new = way(model, prompt, quatrains.LENGTH - len(prompt))
    return line + quatrains.VOCABULARY.decode(new.tolist())


@torch.no_grad()
def continuation_scores(model: Decoder, poems: list[str]) -> dict[str, float]:
    """Return how likely continuations are to the model, how they repeat, and their form.

    nats: mean of -ln p of each character after the first line, and of the end. repeated: share of the
    characters of a poem that stood in it before. alike: share of the lines after the first that are also in
    another of the poems. The rest is `form_scores`.
    """
    tokens = quatrains.poem_tokens(poems)
    chances = model(tokens[:, :-1]).logits.log_softmax(-1).gather(-1, tokens[:, 1:, None])[..., 0]
    new = tokens[:, 1:] != quatrains.PAD
    for row, poem in enumerate(poems):
        new[row, : len(first_line(poem))] = False
    written = [[c for c in poem if c not in "，。"] for poem in poems]
    total = sum(map(len, written))
    lines = [line for poem in poems for line in quatrains.lines_of(poem)[1:]]
    return {
        "nats": -chances[new].mean().item(),
        "repeated": (total - sum(len(set(poem)) for poem in written)) / total,
        "alike": sum(lines.count(line) > 1 for line in lines) / len(lines),
        **form_scores(poems),
    }


def experiment(name: str) -> Measurement:
    """Return the measure of one of WAYS, or of "people", whose poems are left as they are."""

    def measure(seed: int) -> Outcome:
        model = trained("quatrain_gpt", Decoder(quatrains.QUATRAIN_GPT))
        poems = poems_to_continue(seed)
        if name != "people":
            poems = [continued(model, poem, WAYS[name]) for poem in poems]
        return Outcome(continuation_scores(model, poems))

    return Measurement(measure=measure, settings=Continuing(name))


GRID = Grid(conditions={name: experiment(name) for name in ("people", *WAYS)}, seeds=SEEDS)
