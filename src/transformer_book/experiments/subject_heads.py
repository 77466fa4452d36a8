"""Sentences in which a verb is far from its subject, and what each head makes of them (section 6).

A head is chosen on six sentences and tested on others, all of which are reported. Two of the four held-out
groups are there to catch a head that only looks right: one that likes the first noun fails on "that", one
that knows cats rather than subjects fails on "swapped".
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import torch
from torch import nn

from transformer_book.experiments.head_scores import attention_weights


@dataclass(frozen=True)
class Sentence:
    """A sentence, one of its verbs, that verb's subject, and the other noun."""

    text: str
    verb: str
    subject: str
    distractor: str


CHOOSING = (
    Sentence("The cat that the dog chased all morning finally fell asleep.", "fell", "cat", "dog"),
    Sentence(
        "The teacher that the students admired for years finally retired.", "retired", "teacher", "students"
    ),
    Sentence("The book that the boy carried home yesterday finally fell apart.", "fell", "book", "boy"),
    Sentence("The bird that the hunter watched all day finally flew away.", "flew", "bird", "hunter"),
    Sentence("The king that the soldiers feared for years finally died.", "died", "king", "soldiers"),
    Sentence("The letter that the woman wrote last week finally arrived.", "arrived", "letter", "woman"),
)

_NEW = (
    Sentence(
        "The horse that the farmer followed all afternoon finally stopped.", "stopped", "horse", "farmer"
    ),
    Sentence("The girl that the doctor visited every week finally smiled.", "smiled", "girl", "doctor"),
    Sentence(
        "The train that the tourists expected since noon finally arrived.", "arrived", "train", "tourists"
    ),
    Sentence("The wolf that the sheep feared all winter finally died.", "died", "wolf", "sheep"),
    Sentence("The actor that the crowd loved for decades finally retired.", "retired", "actor", "crowd"),
    Sentence("The tree that the children climbed every summer finally fell.", "fell", "tree", "children"),
    Sentence("The thief that the guard chased across town finally escaped.", "escaped", "thief", "guard"),
    Sentence(
        "The plane that the engineer repaired last night finally landed.", "landed", "plane", "engineer"
    ),
    Sentence("The snake that the monkey noticed near camp finally moved.", "moved", "snake", "monkey"),
    Sentence("The player that the coach trained all year finally scored.", "scored", "player", "coach"),
    Sentence(
        "The lawyer that the judge criticized last month finally resigned.", "resigned", "lawyer", "judge"
    ),
    Sentence("The baby that the nurse held all night finally slept.", "slept", "baby", "nurse"),
)

_SAYING = [
    "said",
    "hoped",
    "heard",
    "noticed",
    "knew",
    "saw",
    "admitted",
    "reported",
    "noticed",
    "shouted",
    "heard",
    "whispered",
]
_PLACES = [
    "behind",
    "beside",
    "behind",
    "near",
    "before",
    "behind",
    "behind",
    "-",
    "-",
    "beside",
    "-",
    "beside",
]


def _swapped(sentence: Sentence) -> Sentence:
    """The same words with the two nouns exchanged; the first noun is the subject, as before."""
    nouns = {sentence.subject: sentence.distractor, sentence.distractor: sentence.subject}
    text = re.sub(r"\w+", lambda word: nouns.get(word[0], word[0]), sentence.text)
    return Sentence(text, sentence.verb, sentence.distractor, sentence.subject)


def _that(sentence: Sentence, saying: str) -> Sentence:
    """The farmer said that the horse finally stopped: the subject is the second noun."""
    text = f"The {sentence.distractor} {saying} that the {sentence.subject} finally {sentence.verb}."
    return Sentence(text, sentence.verb, sentence.subject, sentence.distractor)


def _beside(sentence: Sentence, place: str) -> Sentence:
    """The horse behind the farmer finally stopped: no verb between the nouns."""
    text = f"The {sentence.subject} {place} the {sentence.distractor} finally {sentence.verb}."
    return Sentence(text, sentence.verb, sentence.subject, sentence.distractor)


HELD_OUT = {
    "new": _NEW,
    "swapped": tuple(map(_swapped, _NEW)),
    "that": tuple(map(_that, _NEW, _SAYING)),
    "beside": tuple(
        _beside(sentence, place) for sentence, place in zip(_NEW, _PLACES, strict=True) if place != "-"
    ),
}


def noun_weights(model: nn.Module, tokenizer, sentences: tuple[Sentence, ...]) -> torch.Tensor:
    """Weights of every head from the verb to the subject and to the distractor (sentences, L, H, 2).

    Raises ValueError when one of the three words is not one token that occurs once.
    """
    return torch.stack([_noun_weights(model, tokenizer, sentence) for sentence in sentences])


def _noun_weights(model, tokenizer, sentence):
    ids = tokenizer.encode(sentence.text)
    tokens = [token.strip() for token in tokenizer.tokens(sentence.text)]
    places = {}
    for word in (sentence.verb, sentence.subject, sentence.distractor):
        if tokens.count(word) != 1:
            raise ValueError(f"{word!r} is not one token of {sentence.text!r} that occurs once.")
        places[word] = tokens.index(word)
    from_verb = attention_weights(model, ids)[:, :, places[sentence.verb]]  # (L, H, N)
    return torch.stack(
        [from_verb[..., places[word]] for word in (sentence.subject, sentence.distractor)], dim=-1
    )
