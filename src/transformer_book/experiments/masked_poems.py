"""Masked characters of unseen poems, guessed by counting neighbours, by a decoder and by two-way models.

The two-way model is the decoder of `quatrains` without its causal mask. As in LLM2Vec (BehnamGhader et al.,
2024) it goes on with the decoder's way of reading: the vector at position n - 1 guesses the token at n, now
with a view of what follows (section 8).
"""

from __future__ import annotations

from dataclasses import replace

import torch
import torch.nn.functional as F

from transformer_book.data import load_quatrains
from transformer_book.experiments import quatrains
from transformer_book.experiments.experiment import Experiment, Grid, Outcome, Training
from transformer_book.experiments.text_stream import pair_chances
from transformer_book.models import Decoder, Encoder
from transformer_book.recorded import trained
from transformer_book.training import TrainingSettings, cross_entropy_sum, mask_tokens
from transformer_book.training.loop import Batch

SEEDS = (0, 1, 2, 3, 4)
SETTINGS = TrainingSettings(steps=3_000, learning_rate=2e-3, warmup=100)
BATCH_SIZE = 32
MASKED = 0.15
MASKED_IN_TRAINING = 0.3  # more to learn from in each poem
_VOCABULARY = quatrains.VOCABULARY
_NUMBER = len(_VOCABULARY)
_OTHERS = torch.tensor([*range(len(_VOCABULARY.special)), *_VOCABULARY.encode("，。")])


def masked_batch(tokens: torch.Tensor, generator: torch.Generator, fraction: float = MASKED) -> Batch:
    """Mask a fraction of the Chinese characters of tokens (B, N) as BERT does; punctuation stays.

    labels are those of characters that became <mask>: what stayed, or became another character, is not
    guessed, since a model may read it off.
    """
    maskable = ~torch.isin(tokens, _OTHERS)
    characters = torch.arange(len(_VOCABULARY.special), _NUMBER)
    options = {"mask_id": quatrains.MASK, "random_ids": characters, "generator": generator}
    read, labels = mask_tokens(tokens, maskable, fraction=fraction, **options)
    labels = labels.where(read == quatrains.MASK, -100)
    return {"tokens": read, "labels": labels, "real": tokens != quatrains.PAD}


def unseen_batch() -> Batch:
    """Return the validation poems, masked with seed 0: what every guess is measured on."""
    tokens = quatrains.poem_tokens(load_quatrains().validation)
    return masked_batch(tokens, torch.Generator().manual_seed(0))


def two_way(model: Decoder) -> Decoder:
    """Take the causal mask out of every layer of `model`, and return it."""
    for layer in model.layers:
        layer.attention.causal = False
    return model


def masked_logits(model: Decoder, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """Return logits (K, V) and labels (K,) of the K masked characters; each is guessed one place before."""
    final = model(batch["tokens"], padding=batch["real"], logits_at="none").final  # (B, N, D)
    labels = batch["labels"][:, 1:]
    chosen = labels >= 0
    return F.linear(final[:, :-1][chosen], model.output_weight), labels[chosen]


def masked_loss(model: Decoder, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """Sum and count the losses of the masked characters, for `train`."""
    return cross_entropy_sum(*masked_logits(model, batch))


def guess_scores(log_chances: torch.Tensor, labels: torch.Tensor) -> dict[str, float]:
    """Return mean loss (nats) and accuracy of guesses (K, V), and their standard errors over characters.

    Other tokens have no chance: nobody has to learn where punctuation stands.
    """
    return _means(**_each_guess(log_chances, labels))


def guess_gain(one: torch.Tensor, other: torch.Tensor, labels: torch.Tensor) -> dict[str, float]:
    """Return by how much guesses (K, V) exceed others of the same characters, in loss and accuracy.

    The standard errors are those of the differences, character by character.
    """
    first, second = _each_guess(one, labels), _each_guess(other, labels)
    return _means(**{name: first[name] - second[name] for name in first})


def _each_guess(log_chances: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
    """Return the loss and the hit (0 or 1) of each guess (K,)."""
    chances = log_chances.double().index_fill(1, _OTHERS, -torch.inf).log_softmax(dim=-1)
    losses = -chances.gather(1, labels[:, None])[:, 0]
    return {"loss": losses, "accuracy": (chances.argmax(dim=-1) == labels).double()}


def _means(**values: torch.Tensor) -> dict[str, float]:
    """Return the mean of each of values (K,), and its standard error as NAME_error."""
    found = {}
    for name, value in values.items():
        found[name] = value.mean().item()
        found[f"{name}_error"] = value.std().item() / len(value) ** 0.5
    return found


def neighbour_guesses() -> tuple[dict[str, torch.Tensor], torch.Tensor]:
    """Return log chances (K, V) of the masked characters by counting, and the characters (K,).

    none: of the character alone. left, right: given that neighbour. both: P(c | left) P(c | right) / P(c),
    the guess of someone who takes the neighbours for independent given the character. A neighbour that is
    masked itself tells nothing.
    """
    tokens, batch = quatrains.poem_tokens(load_quatrains().train), unseen_batch()
    pairs = tokens[:, :-1], tokens[:, 1:]
    real = pairs[1] != quatrains.PAD
    one, other = (part[real] for part in pairs)
    from_left, single = pair_chances(one, other, _NUMBER)
    from_right, _ = pair_chances(other, one, _NUMBER)
    row, place = (batch["labels"] >= 0).nonzero(as_tuple=True)
    none = single.log().float().expand(len(row), -1)
    guesses = {"none": none}
    for name, chances, step in (("left", from_left, -1), ("right", from_right, 1)):
        neighbour = batch["tokens"][row, place + step]
        hidden = (neighbour == quatrains.MASK)[:, None]
        guesses[name] = torch.where(hidden, none, chances.log().float()[neighbour])
    guesses["both"] = guesses["left"] + guesses["right"] - none
    return guesses, batch["labels"][row, place]


@torch.no_grad()
def decoder_guesses(model: Decoder) -> torch.Tensor:
    """Return log chances (K, V) by a decoder that reads the true text before each, masks undone."""
    batch = unseen_batch()
    tokens = batch["tokens"].where(batch["labels"] < 0, batch["labels"])
    tokens = tokens.to(model.output_weight.device)
    return model(tokens[:, :-1]).logits.cpu()[batch["labels"][:, 1:] >= 0].log_softmax(dim=-1)


@torch.no_grad()
def encoder_guesses(model: Encoder) -> torch.Tensor:
    """Return log chances (K, V) by an encoder that guesses each masked character at its own place."""
    batch = unseen_batch()
    tokens, real = (batch[name].to(model.output_weight.device) for name in ("tokens", "real"))
    return model(tokens, padding=real).logits.cpu()[batch["labels"] >= 0].log_softmax(dim=-1)


@torch.no_grad()
def two_way_scores(model: Decoder) -> dict[str, float]:
    """Return the scores of a two-way model."""
    return guess_scores(*masked_logits(model, unseen_batch()))


def measure(model: Decoder) -> Outcome:
    """Return loss and accuracy on the masked characters of unseen poems."""
    scores = two_way_scores(model)
    return Outcome({name: scores[name] for name in ("loss", "accuracy")})


def start(seed: int) -> Training:
    """Return the training of a two-way model from the decoder's weights."""
    torch.manual_seed(seed)
    model = trained("quatrain_gpt", Decoder(quatrains.QUATRAIN_GPT))
    with torch.no_grad():  # <mask> never occurred: let it start as the mean character
        model.embedding.tokens.weight[quatrains.MASK] = model.embedding.tokens.weight.mean(dim=0)
    tokens = quatrains.poem_tokens(load_quatrains().train)

    def draw(generator: torch.Generator) -> Batch:
        rows = torch.randint(len(tokens), (BATCH_SIZE,), generator=generator)
        return masked_batch(tokens[rows], generator, MASKED_IN_TRAINING)

    return Training(two_way(model), draw, masked_loss, replace(SETTINGS, seed=seed))


def measure_bert(model: Encoder) -> Outcome:
    """Its loss and accuracy on the validation poems, masked with seed 0, beside the uniform guess.

    hidden: on the characters that became <mask>, the same as for every guess of this file.
    """
    labels = unseen_batch()["labels"]
    hidden = guess_scores(encoder_guesses(model), labels[labels >= 0])
    values = {
        "parameters": sum(p.numel() for p in model.parameters()),
        "loss_uniform": quatrains.uniform_loss(),
        **quatrains.bert_scores(model, load_quatrains().validation),
        "loss_hidden": hidden["loss"],
        "accuracy_hidden": hidden["accuracy"],
    }
    return Outcome(values)


BERT = Experiment(start=quatrains.start_bert, measure=measure_bert, seeds=SEEDS)
GRID = Grid(conditions={"continued": Experiment(start=start, measure=measure, points=30)}, seeds=SEEDS)
