"""An encoder-decoder that translates Chinese numerals into digits and digits into numerals (section 8)."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import nn

from transformer_book.data import load_numerals
from transformer_book.data.numerals import DIGIT_CHARACTERS, NUMERAL_CHARACTERS
from transformer_book.experiments.experiment import (
    Experiment,
    Grid,
    Measurement,
    Outcome,
    Training,
    random_rows,
)
from transformer_book.generation import generate
from transformer_book.models import EncoderDecoder, EncoderDecoderConfig
from transformer_book.tokenizers import CharacterVocabulary
from transformer_book.training import TrainingSettings, train, translation_loss
from transformer_book.training.loop import BatchSource

VOCABULARY = CharacterVocabulary(NUMERAL_CHARACTERS + DIGIT_CHARACTERS, special=["<pad>", "<start>", "<end>"])
PAD, START, END = (VOCABULARY.special[name] for name in ("<pad>", "<start>", "<end>"))
LENGTH = 16  # the longest numeral below 10⁶ has 11 characters

# The form of 2017 (post-norm, ReLU, sinusoidal codes, one shared embedding), made small.
NUMERAL_TRANSLATOR = EncoderDecoderConfig(
    vocabulary_size=len(VOCABULARY), context_length=LENGTH, dim=64, num_layers=2, num_heads=4
)
SETTINGS = TrainingSettings(steps=2000, learning_rate=3e-3, warmup=200)

Pairs = list[tuple[str, str]]


def both_ways(pairs: Pairs) -> Pairs:
    """Return each pair and its reverse; the script of the source says which way to translate."""
    return pairs + [(target, source) for source, target in pairs]


def padded(texts: list[str], *, start: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    """Return ids (B, N), <end> behind each text and on request <start> before it, and where they are real."""
    rows = [([START] if start else []) + VOCABULARY.encode(text) + [END] for text in texts]
    longest = max(map(len, rows))
    ids = torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])
    return ids, ids != PAD


def pair_batches(pairs: Pairs, batch_size: int = 64) -> BatchSource:
    """Return a source of batches for `train` with `translation_loss`."""
    source, source_real = padded([source for source, _ in pairs])
    target, target_real = padded([target for _, target in pairs], start=True)
    rows = {"source": source, "source_real": source_real, "target": target, "target_real": target_real}
    return random_rows(rows, batch_size)


@torch.no_grad()
def translate(model: nn.Module, texts: list[str]) -> list[str]:
    """Translate texts, taking the most probable character at each step."""
    device = next(model.parameters()).device
    source, real = (part.to(device) for part in padded(texts))
    start = torch.full((len(texts), 1), START, device=device)
    written = generate(
        model.condition(source, source_padding=real), start, LENGTH - 1, temperature=0, stop_tokens=[END]
    )
    return [VOCABULARY.decode(row) for row in written.new_tokens.tolist()]


def exact_matches(model: nn.Module, pairs: Pairs) -> int:
    """Count the pairs whose translation is right in every character."""
    found = translate(model, [source for source, _ in pairs])
    return sum(text == target for text, (_, target) in zip(found, pairs, strict=True))


@torch.no_grad()
def alignment(model: nn.Module, source: str, target: str, layer: int = -1) -> torch.Tensor:
    """Return the cross-attention (target + 1, source + 1) of one layer, averaged over its heads, on the CPU.

    Row n is the position from which character n of the target (at last <end>) is predicted; the last column
    is the source's <end>.
    """
    device = next(model.parameters()).device
    ids, _ = padded([source])
    read = torch.tensor([[START, *VOCABULARY.encode(target)]], device=device)
    seen = model(ids.to(device), read, return_weights=True).cross_attention[layer]
    return seen.weights[0].mean(dim=0).cpu()


def aligned_characters(source: str, target: str) -> list[tuple[int, int]]:
    """Return for each digit from 1 to 9 of `target` its place and that of its character in `source`.

    The 1 of a numeral that begins with 十 has no character.
    """
    digits = [n for n, digit in enumerate(target) if digit != "0"]
    characters = [m for m, character in enumerate(source) if character in "一二三四五六七八九"]
    return list(zip(reversed(digits), reversed(characters), strict=False))


def alignment_hits(model: nn.Module, pairs: Pairs, layer: int = -1) -> dict[str, int]:
    """Count digits from 1 to 9 whose largest cross-attention weight in a layer is on their own character.

    tested: digits in all. found: hits. diagonal: hits of the guess that a digit stands as far along the
    target as its character does along the numeral.
    """
    counts = {"tested": 0, "found": 0, "diagonal": 0}
    for source, target in pairs:
        best = alignment(model, source, target, layer).argmax(dim=-1).tolist()
        for n, m in aligned_characters(source, target):
            straight = round(n * (len(source) - 1) / max(1, len(target) - 1))
            counts["tested"] += 1
            counts["found"] += best[n] == m
            counts["diagonal"] += straight == m
    return counts


def start(seed: int) -> Training:
    """Return the training of one model in both directions."""
    torch.manual_seed(seed)
    batches = pair_batches(both_ways(load_numerals().train))
    return Training(
        EncoderDecoder(NUMERAL_TRANSLATOR), batches, translation_loss, replace(SETTINGS, seed=seed)
    )


def measure(model: EncoderDecoder) -> Outcome:
    """Count exact matches on 500 numbers that the model never saw, and digits aligned in each layer."""
    pairs = load_numerals().validation
    hits = [alignment_hits(model, pairs, layer) for layer in range(NUMERAL_TRANSLATOR.num_layers)]
    values = {
        "parameters": sum(p.numel() for p in model.parameters()),
        "train_numbers": len(load_numerals().train),
        "tested": len(pairs),
        "exact_to_digits": exact_matches(model, pairs),
        "exact_to_numerals": exact_matches(model, [(digits, chinese) for chinese, digits in pairs]),
        "aligned_by_layer": [layer["found"] / layer["tested"] for layer in hits],
    }
    return Outcome(values)


def trained_anew(seed: int) -> Outcome:
    """Train a translator and measure it, its weights rounded to float16 as stored ones are."""
    training = start(seed)
    train(training.model, training.batches, training.loss, training.settings)
    with torch.no_grad():
        for parameter in training.model.parameters():
            parameter.copy_(parameter.half())
    return measure(training.model)


TRANSLATOR = Experiment(start=start, measure=measure)
ANEW = Grid(conditions={"anew": Measurement(measure=trained_anew, settings=SETTINGS)}, seeds=(0, 1, 2, 3, 4))
