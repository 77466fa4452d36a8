"""A GPT and a masked language model on Tang quatrains: configs, batches, losses and baselines (section 8)."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import nn

from transformer_book.data import load_quatrains, quatrain_vocabulary
from transformer_book.experiments.experiment import Training, random_rows
from transformer_book.generation import generate
from transformer_book.models import Decoder, DecoderConfig, Encoder, EncoderConfig
from transformer_book.training import TrainingSettings, mask_tokens, masked_token_loss, next_token_loss
from transformer_book.training.loop import Batch, BatchSource

VOCABULARY = quatrain_vocabulary()
PAD, START, END, MASK = (VOCABULARY.special[name] for name in ("<pad>", "<start>", "<end>", "<mask>"))
LENGTH = 34  # <start>, up to 32 characters, <end>

_SIZE = {
    "vocabulary_size": len(VOCABULARY),
    "context_length": LENGTH,
    "dim": 128,
    "num_layers": 3,
    "num_heads": 4,
}
QUATRAIN_GPT = DecoderConfig(**_SIZE, dropout=0.1)
QUATRAIN_BERT = EncoderConfig(**_SIZE, token_types=0, pooler=False, masked_lm_head=True, dropout=0.1)

GPT_SETTINGS = TrainingSettings(steps=900, learning_rate=3e-3, warmup=50)
BERT_SETTINGS = TrainingSettings(steps=1000, learning_rate=2e-3, warmup=100)
TEMPERATURES = (0.5, 0.8, 1.0, 1.2)


def poem_tokens(poems: list[str]) -> torch.Tensor:
    """Return poems as ids (B, 34): <start>, the characters, <end>, and <pad> up to the full length."""
    rows = [[START, *VOCABULARY.encode(poem), END] for poem in poems]
    return torch.tensor([row + [PAD] * (LENGTH - len(row)) for row in rows])


def poem_batches(poems: list[str], batch_size: int = 64) -> BatchSource:
    """Return a source of batches for `train` with `next_token_loss`: poems drawn at random."""
    tokens = poem_tokens(poems)
    return random_rows({"tokens": tokens, "real": tokens != PAD}, batch_size)


def masked_batches(poems: list[str], batch_size: int = 64) -> BatchSource:
    """Return a source of batches for `train` with `masked_token_loss`: 15 % of the characters are hidden."""
    tokens = poem_tokens(poems)

    def draw(generator: torch.Generator) -> Batch:
        return masked_batch(tokens[torch.randint(len(tokens), (batch_size,), generator=generator)], generator)

    return draw


def masked_batch(tokens: torch.Tensor, generator: torch.Generator) -> Batch:
    """Mask token rows (B, N) as BERT does; special tokens are neither chosen nor put in."""
    characters = torch.arange(len(VOCABULARY.special), len(VOCABULARY))
    maskable = tokens >= len(VOCABULARY.special)
    read, labels = mask_tokens(tokens, maskable, mask_id=MASK, random_ids=characters, generator=generator)
    return {"tokens": read, "labels": labels, "real": tokens != PAD}


@torch.no_grad()
def gpt_losses(model: nn.Module, poems: list[str]) -> list[torch.Tensor]:
    """Return the losses in nats of every character and <end>, on the CPU: a tensor a poem."""
    losses = []
    for rows in poem_tokens(poems).split(256):
        rows = rows.to(next(model.parameters()).device)
        logits, labels = model(rows[:, :-1]).logits, rows[:, 1:]
        found = F.cross_entropy(logits.transpose(1, 2), labels, reduction="none")  # (B, N)
        losses += [row[real].cpu() for row, real in zip(found, labels != PAD, strict=True)]
    return losses


def gpt_loss(model: nn.Module, poems: list[str]) -> float:
    """Return the mean loss in nats of every character and <end> of `poems`."""
    return torch.cat(gpt_losses(model, poems)).mean().item()


@torch.no_grad()
def bert_scores(model: nn.Module, poems: list[str], seed: int = 0) -> dict[str, float]:
    """Return loss (nats) and accuracy on the chosen 15 % of the characters, the same ones for the same seed.

    Accuracy is also given apart for Chinese characters, since punctuation is easy to guess.
    """
    device = next(model.parameters()).device
    batch = masked_batch(poem_tokens(poems), torch.Generator().manual_seed(seed))
    punctuation = torch.tensor(VOCABULARY.encode("，。"), device=device)
    total, count, right, chinese, chinese_right = 0.0, 0, 0, 0, 0
    for rows in zip(*(batch[name].split(256) for name in ("tokens", "labels", "real")), strict=True):
        part = {n: t.to(device) for n, t in zip(("tokens", "labels", "real"), rows, strict=True)}
        loss, number = masked_token_loss(model, part)
        guess = model(part["tokens"], padding=part["real"]).logits.argmax(-1)
        chosen = part["labels"] >= 0
        is_chinese = chosen & ~torch.isin(part["labels"], punctuation)
        hit = guess == part["labels"]
        total, count = total + loss.item(), count + int(number)
        right += int((hit & chosen).sum())
        chinese += int(is_chinese.sum())
        chinese_right += int((hit & is_chinese).sum())
    return {"loss": total / count, "accuracy": right / count, "accuracy_characters": chinese_right / chinese}


def uniform_loss() -> float:
    """Return the loss of guessing every token alike: ln V."""
    return math.log(len(VOCABULARY))


def bigram_losses(train: list[str] | None = None, validation: list[str] | None = None) -> list[torch.Tensor]:
    """Return the losses of the best guess from the previous character alone, in nats, by counting pairs.

    A tensor a poem, as in `gpt_losses`. Pairs that never occurred are given the unigram's chance by Witten
    and Bell's (1991) rule: a character followed by many different ones leaves more room for a new one. It has
    no parameter to tune.
    """
    quatrains = load_quatrains()
    train = quatrains.train if train is None else train
    validation = quatrains.validation if validation is None else validation
    follow: defaultdict[int, Counter[int]] = defaultdict(Counter)
    single: Counter[int] = Counter(
        range(START + 1, len(VOCABULARY))
    )  # each token once, so that none is impossible
    for poem in train:
        ids = [START, *VOCABULARY.encode(poem), END]
        single.update(ids[1:])
        for previous, token in pairwise(ids):
            follow[previous][token] += 1
    number = single.total()

    def loss(previous: int, token: int) -> float:
        seen, kinds = follow[previous].total(), len(follow[previous])
        unigram = single[token] / number
        return -math.log((follow[previous][token] + kinds * unigram) / (seen + kinds) if seen else unigram)

    texts = [[START, *VOCABULARY.encode(poem), END] for poem in validation]
    return [torch.tensor([loss(*pair) for pair in pairwise(ids)], dtype=torch.float64) for ids in texts]


_FORM = re.compile(r"([㐀-鿿]{5}，[㐀-鿿]{5}。){2}|([㐀-鿿]{7}，[㐀-鿿]{7}。){2}")


def has_form(poem: str) -> bool:
    """Say whether a text has a quatrain's form: four lines of five or of seven characters."""
    return _FORM.fullmatch(poem) is not None


def lines_of(poem: str) -> list[str]:
    """Return a poem's lines without their punctuation."""
    return [line for line in re.split("[，。]", poem) if line]


def sample_poems(model: nn.Module, number: int, *, temperature: float = 1.0, seed: int = 0) -> list[str]:
    """Let a GPT write poems from <start>, drawing from a seeded CPU generator."""
    prompt = torch.full((number, 1), START, device=next(model.parameters()).device)
    options = {"temperature": temperature, "stop_tokens": [END], "generator": seed}
    written = generate(model, prompt, LENGTH - 1, **options)
    return [VOCABULARY.decode(row) for row in written.new_tokens.tolist()]


def gpt_settings(steps: int) -> TrainingSettings:
    """Return GPT_SETTINGS for another number of steps, the same share of them for the warm-up."""
    warmup = GPT_SETTINGS.warmup * steps // GPT_SETTINGS.steps
    return replace(GPT_SETTINGS, steps=steps, warmup=warmup)


def start_gpt(seed: int, settings: TrainingSettings = GPT_SETTINGS) -> Training:
    """Return the training of the GPT on the training poems."""
    torch.manual_seed(seed)
    batches = poem_batches(load_quatrains().train)
    return Training(Decoder(QUATRAIN_GPT), batches, next_token_loss, replace(settings, seed=seed))


def start_bert(seed: int) -> Training:
    """Return the training of the masked language model on the training poems."""
    torch.manual_seed(seed)
    batches = masked_batches(load_quatrains().train)
    return Training(Encoder(QUATRAIN_BERT), batches, masked_token_loss, replace(BERT_SETTINGS, seed=seed))
