"""Sentences in which a verb is far from its subject, and what each head makes of them (section 6).

A head is chosen on six sentences and tested on 48 others, each with two nouns that no other sentence has. In
two of the four groups the subject is the first noun, in two the second and nearer one: a head that likes the
first noun, or the nearest, is right in half of them. With their nouns exchanged, the same sentences
show whether a head goes by grammar or by words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import torch
from torch import nn

from transformer_book.checks.messages import must_be


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

# A line: subject, the other noun, the verb that is asked about; the sentence.
_HELD_OUT = {
    "outer": """
        horse farmer stopped: The horse that the farmer followed all afternoon finally stopped.
        girl doctor smiled: The girl that the doctor visited every week finally smiled.
        train tourists arrived: The train that the tourists expected since noon finally arrived.
        wolf sheep died: The wolf that the sheep feared all winter finally died.
        actor crowd retired: The actor that the crowd loved for decades finally retired.
        tree children fell: The tree that the children climbed every summer finally fell.
        thief guard escaped: The thief that the guard chased across town finally escaped.
        plane engineer landed: The plane that the engineer repaired last night finally landed.
        snake monkey moved: The snake that the monkey noticed near camp finally moved.
        player coach scored: The player that the coach trained all year finally scored.
        lawyer judge resigned: The lawyer that the judge criticized last month finally resigned.
        baby nurse slept: The baby that the nurse held all night finally slept.
    """,
    "inner": """
        rabbit fox noticed: The fox that the rabbit noticed last night finally vanished.
        queen painter invited: The painter that the queen invited last spring finally answered.
        mechanic car fixed: The car that the mechanic fixed last month finally broke.
        workers bridge built: The bridge that the workers built last year finally opened.
        singer song wrote: The song that the singer wrote in prison finally ended.
        officer prisoner questioned: The prisoner that the officer questioned all night finally spoke.
        elephant tiger attacked: The tiger that the elephant attacked near camp finally escaped.
        lion bear followed: The bear that the lion followed across town finally slept.
        editor writer admired: The writer that the editor admired for years finally called.
        sailor boat sold: The boat that the sailor sold last summer finally sank.
        surgeon patient saved: The patient that the surgeon saved last week finally returned.
        duck chicken watched: The chicken that the duck watched all day finally moved.
    """,
    "that": """
        passenger pilot slept: The pilot said that the passenger finally slept.
        widow priest smiled: The priest noticed that the widow finally smiled.
        driver manager resigned: The manager heard that the driver finally resigned.
        ship captain sank: The captain saw that the ship finally sank.
        robot scientist moved: The scientist reported that the robot finally moved.
        suspect witness left: The witness knew that the suspect finally left.
        visitor neighbor arrived: The neighbor saw that the visitor finally arrived.
        uncle aunt returned: The aunt hoped that the uncle finally returned.
        minister reporter spoke: The reporter whispered that the minister finally spoke.
        composer dancer laughed: The dancer said that the composer finally laughed.
        customer seller agreed: The seller said that the customer finally agreed.
        servant emperor woke: The emperor noticed that the servant finally woke.
    """,
    "beside": """
        goat cow jumped: The goat beside the cow finally jumped.
        truck bus stopped: The truck behind the bus finally stopped.
        lamp clock fell: The lamp near the clock finally fell.
        rider wagon rested: The rider behind the wagon finally rested.
        princess knight spoke: The princess beside the knight finally spoke.
        mouse kitten escaped: The mouse near the kitten finally escaped.
        statue tower collapsed: The statue behind the tower finally collapsed.
        merchant tailor woke: The merchant near the tailor finally woke.
        pig puppy slept: The pig behind the puppy finally slept.
        clerk detective smiled: The clerk behind the detective finally smiled.
        phone camera rang: The phone beside the camera finally rang.
        baker butcher laughed: The baker near the butcher finally laughed.
    """,
}


def _read(line: str) -> Sentence:
    words, text = line.strip().split(": ")
    subject, distractor, verb = words.split()
    return Sentence(text, verb, subject, distractor)


def _swapped(sentence: Sentence) -> Sentence:
    """The same words with the two nouns exchanged: what was the distractor is now the subject."""
    nouns = {sentence.subject: sentence.distractor, sentence.distractor: sentence.subject}
    text = re.sub(r"\w+", lambda word: nouns.get(word[0], word[0]), sentence.text)
    return Sentence(text, sentence.verb, sentence.distractor, sentence.subject)


HELD_OUT = {group: tuple(map(_read, lines.strip().splitlines())) for group, lines in _HELD_OUT.items()}
SWAPPED = {group: tuple(map(_swapped, sentences)) for group, sentences in HELD_OUT.items()}
FIRST_NOUN = ("outer", "beside")  # the groups in which the subject is the first noun
HIT = 0.1


def hits(weights: torch.Tensor) -> torch.Tensor:
    """Say where a head gives the subject 0.1 more than the other noun, or beyond: (..., 2) to booleans."""
    return weights[..., 0] - weights[..., 1] >= HIT


@torch.no_grad()
def noun_weights(model: nn.Module, tokenizer, sentences: tuple[Sentence, ...]) -> torch.Tensor:
    """Weights of every head from the verb to the subject and to the distractor (sentences, L, H, 2).

    Raises ValueError when one of the three words is not one token that occurs once.
    """
    places = [_places(tokenizer, sentence) for sentence in sentences]
    ids = [torch.tensor(tokenizer.encode(sentence.text)) for sentence in sentences]
    # A decoder does not see what comes later, so what stands on the right of a shorter sentence is no matter.
    tokens = nn.utils.rnn.pad_sequence(ids, batch_first=True).to(next(model.parameters()).device)
    attention = model(tokens, logits_at="none", return_weights=True).attention
    weights = torch.stack([layer.weights for layer in attention], dim=1).cpu()  # (sentences, L, H, N, N)
    return torch.stack(
        [found[..., verb, nouns] for found, (verb, nouns) in zip(weights, places, strict=True)]
    )


def _places(tokenizer, sentence):
    """Where the verb stands, and the two nouns."""
    tokens = [token.strip() for token in tokenizer.tokens(sentence.text)]
    for word in (sentence.verb, sentence.subject, sentence.distractor):
        if tokens.count(word) != 1:
            raise ValueError(must_be(word, f"one token of {sentence.text!r} that occurs once", tokens))
    return tokens.index(sentence.verb), [tokens.index(sentence.subject), tokens.index(sentence.distractor)]
