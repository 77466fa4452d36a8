"""A classifier of reviews that ends in attention, and other weights that give the same answer (section 10).

In the spirit of Jain and Wallace (2019), "Attention is not Explanation": an attention layer pools a
sentence's vectors, and an optimiser looks for weights as different as possible that leave the prediction
where it was.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch
from torch import nn

from transformer_book.data import load_reviews
from transformer_book.experiments.experiment import Experiment, Outcome, Training, random_rows
from transformer_book.models import Encoder, EncoderConfig
from transformer_book.tokenizers import CharacterVocabulary
from transformer_book.training import TrainingSettings, class_loss, cross_entropy_sum
from transformer_book.training.loop import BatchSource

LENGTH = 40
SETTINGS = TrainingSettings(steps=250, learning_rate=2e-3, warmup=50)
TOLERANCE = 0.01  # of P(positive)
FAR = 0.5  # nats
_TINY = 1e-30
_RAREST = 3  # characters rarer than this in the training sentences are <unknown>


def review_vocabulary() -> CharacterVocabulary:
    """Return the characters that occur three times in the training sentences, after two special ones."""
    text = "".join(load_reviews().train)
    kept = sorted(c for c in set(text) if text.count(c) >= _RAREST)
    return CharacterVocabulary(kept, special=["<pad>", "<unknown>"])


VOCABULARY = review_vocabulary()
PAD, UNKNOWN = VOCABULARY.special["<pad>"], VOCABULARY.special["<unknown>"]
REVIEW_ENCODER = EncoderConfig(
    vocabulary_size=len(VOCABULARY),
    context_length=LENGTH,
    dim=64,
    num_layers=1,
    num_heads=4,
    token_types=0,
    pooler=False,
    dropout=0.3,
)


@dataclass(frozen=True)
class ReviewOutput:
    """logits (B, 2), negative and positive; weights (B, N) of the pooling, vectors (B, N, D) it mixes."""

    logits: torch.Tensor
    weights: torch.Tensor
    vectors: torch.Tensor


class ReviewClassifier(nn.Module):
    """An encoder, additive attention (Bahdanau et al., 2015) that mixes its vectors into one, and a map."""

    def __init__(self, config: EncoderConfig = REVIEW_ENCODER):
        super().__init__()
        self.encoder = Encoder(config)
        self.hidden = nn.Linear(config.dim, config.dim)
        self.score = nn.Linear(config.dim, 1, bias=False)
        self.answer = nn.Linear(config.dim, 2)

    def forward(self, tokens: torch.Tensor) -> ReviewOutput:
        """Classify tokens (B, N); padding has no weight."""
        real = tokens != PAD
        vectors = self.encoder(tokens, padding=real).final  # (B, N, D)
        scores = self.score(torch.tanh(self.hidden(vectors)))[..., 0]  # (B, N)
        weights = scores.masked_fill(~real, -math.inf).softmax(dim=-1)
        return ReviewOutput(self.answer_from(weights, vectors), weights, vectors)

    def answer_from(self, weights: torch.Tensor, vectors: torch.Tensor) -> torch.Tensor:
        """Return the logits (B, 2) that any weights (B, N) on the vectors (B, N, D) would give."""
        return self.answer((weights[..., None] * vectors).sum(dim=1))


def review_tokens(sentences: list[str]) -> torch.Tensor:
    """Return sentences as ids (B, 40), padded; unknown characters are <unknown>."""
    known = {c: VOCABULARY.encode(c)[0] for c in set("".join(sentences)) & set(VOCABULARY.characters)}
    rows = [[known.get(c, UNKNOWN) for c in sentence[:LENGTH]] for sentence in sentences]
    return torch.tensor([row + [PAD] * (LENGTH - len(row)) for row in rows])


def review_batches(sentences: list[str], labels: list[int], batch_size: int = 64) -> BatchSource:
    """Return a source of batches for `train` with `class_loss`."""
    return random_rows({"inputs": review_tokens(sentences), "labels": torch.tensor(labels)}, batch_size)


@torch.no_grad()
def review_scores(model: ReviewClassifier, sentences: list[str], labels: list[int]) -> dict[str, float]:
    """Return loss in nats and accuracy."""
    targets = torch.tensor(labels)
    logits = model(review_tokens(sentences).to(next(model.parameters()).device)).logits.cpu()
    total, count = cross_entropy_sum(logits, targets)
    right = (logits.argmax(dim=-1) == targets).double().mean().item()
    return {"loss": total.item() / int(count), "accuracy": right}


def jensen_shannon(p: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
    """Return the Jensen-Shannon divergence of distributions (..., N): 0 if equal, ln 2 if disjoint."""
    # At 0 the slope of x log x is infinite; times the zero slope of a masked softmax it would be NaN.
    p, q = p.clamp(min=_TINY), q.clamp(min=_TINY)
    middle = (p + q) / 2
    return (p * p.log() + q * q.log()).sum(-1) / 2 - (middle * middle.log()).sum(-1)


@dataclass(frozen=True)
class OtherWeights:
    """Weights (B, N) found, their divergence (B,) from the model's, and the change (B,) of P(positive)."""

    weights: torch.Tensor
    divergence: torch.Tensor
    change: torch.Tensor


def find_other_weights(
    model: ReviewClassifier, tokens: torch.Tensor, *, tolerance: float = 0.01, steps: int = 300, seed: int = 0
) -> OtherWeights:
    """For each sentence look for far-off weights that change P(positive) by at most `tolerance`.

    From random scores, Adam with a falling learning rate makes the divergence from the model's own weights
    large, with a penalty for a change beyond half the tolerance. The farthest weights within the tolerance
    that it meets are kept, the model's own if it meets none. Neither the model nor its vectors change.
    tokens: (B, N).
    """
    tokens = tokens.to(next(model.parameters()).device)
    with torch.no_grad():
        output = model(tokens)
    own, vectors, chance = output.weights, output.vectors, output.logits.softmax(-1)[:, 1]
    hidden = tokens == PAD
    best = OtherWeights(own, own.new_zeros(len(own)), own.new_zeros(len(own)))
    scores = torch.randn(own.shape, generator=torch.Generator().manual_seed(seed)).to(own).requires_grad_()
    optimizer = torch.optim.Adam([scores])
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = 0.3 * (1 - step / steps)
        weights = scores.masked_fill(hidden, -math.inf).softmax(dim=-1)
        change = (model.answer_from(weights, vectors).softmax(-1)[:, 1] - chance).abs()
        divergence = jensen_shannon(own, weights)
        best = _farther(best, OtherWeights(weights.detach(), divergence.detach(), change.detach()), tolerance)
        loss = (20 * (change - tolerance / 2).clamp(min=0) - divergence).sum()
        (scores.grad,) = torch.autograd.grad(loss, scores)
        optimizer.step()
    return best


def _farther(best: OtherWeights, new: OtherWeights, tolerance: float) -> OtherWeights:
    """Take the new weights for those sentences where they are farther off and within the tolerance."""
    better = (new.change <= tolerance) & (new.divergence > best.divergence)
    return OtherWeights(
        torch.where(better[:, None], new.weights, best.weights),
        torch.where(better, new.divergence, best.divergence),
        torch.where(better, new.change, best.change),
    )


@torch.no_grad()
def shuffled_change(
    model: ReviewClassifier, tokens: torch.Tensor, *, times: int = 100, seed: int = 0
) -> torch.Tensor:
    """Shuffle each sentence's weights `times` times; return the median change (B,) of P(positive)."""
    tokens = tokens.to(next(model.parameters()).device)
    output = model(tokens)
    chance = output.logits.softmax(-1)[:, 1]
    real = tokens != PAD
    generator = torch.Generator().manual_seed(seed)
    changes = []
    for _ in range(times):
        # Real positions in random order, then padding, whose weights are zero.
        order = torch.rand(tokens.shape, generator=generator).to(tokens.device)
        order = order.masked_fill(~real, 2).argsort(dim=-1)
        ranked = torch.zeros_like(output.weights).scatter(1, order, output.weights)
        changes.append((model.answer_from(ranked, output.vectors).softmax(-1)[:, 1] - chance).abs())
    return torch.stack(changes).median(dim=0).values


def start(seed: int) -> Training:
    """Return the training of the classifier on the training sentences."""
    data = load_reviews()
    torch.manual_seed(seed)
    batches = review_batches(data.train, data.train_labels)
    return Training(ReviewClassifier(), batches, class_loss, replace(SETTINGS, seed=seed))


def measure(model: ReviewClassifier) -> Outcome:
    """Look for other weights on every test sentence, and shuffle the weights; curves: a point a sentence."""
    data = load_reviews()
    tokens = review_tokens(data.test)
    other = find_other_weights(model, tokens, tolerance=TOLERANCE)
    shuffled = shuffled_change(model, tokens)
    test = review_scores(model, data.test, data.test_labels)
    values = {
        "parameters": sum(p.numel() for p in model.parameters()),
        "tested": len(data.test),
        "loss": test["loss"],
        "accuracy": test["accuracy"],
        "accuracy_train": review_scores(model, data.train, data.train_labels)["accuracy"],
        "tolerance": TOLERANCE,
        "largest_divergence": math.log(2),
        "median_divergence": other.divergence.median().item(),
        "far": FAR,
        "sentences_far": int((other.divergence > FAR).sum()),
        "largest_change": other.change.max().item(),
        "median_shuffled_change": shuffled.median().item(),
    }
    return Outcome(values, {"divergence": other.divergence.tolist(), "shuffled_change": shuffled.tolist()})


CLASSIFIER = Experiment(start=start, measure=measure, points=50, seeds=(0, 1, 2, 3, 4))
