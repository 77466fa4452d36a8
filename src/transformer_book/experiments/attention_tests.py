"""Wiegreffe and Pinter's tests of what other weights prove, on the classifier of reviews (section 10).

Jain and Wallace (2019) change the weights of one sentence and leave the rest of the model alone. Wiegreffe
and Pinter (2019, "Attention is not not Explanation") ask whether that says much: how far apart are the
weights of two models that differ in their seed alone, is attention needed at all, can a whole model be
*trained* to attend elsewhere and still agree, and do the weights help a model that sees one character at a
time?
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial

import torch
from torch import nn

from transformer_book.data import load_reviews
from transformer_book.experiments import reviews
from transformer_book.experiments.experiment import Grid, Measurement, Outcome, random_rows
from transformer_book.experiments.reviews import PAD, ReviewClassifier, ReviewOutput, jensen_shannon
from transformer_book.training import TrainingSettings, class_loss, cross_entropy_sum, train
from transformer_book.training.loop import Batch


@dataclass(frozen=True, kw_only=True)
class RivalSettings:
    """training: of every model. pull: how much divergence counts beside agreement. guide_dim: of the MLP.

    other_seed: what is added to the seed of a model for its rivals. searched: test sentences for which other
    weights are looked for.
    """

    training: TrainingSettings = field(default_factory=lambda: reviews.SETTINGS)
    pull: float = 0.1
    guide_dim: int = 64
    other_seed: int = 100
    searched: int = 200


SETTINGS = RivalSettings()


class UniformClassifier(ReviewClassifier):
    """The same classifier with its pooling frozen: each character of a sentence has the same weight."""

    def forward(self, tokens: torch.Tensor) -> ReviewOutput:
        """Classify tokens (B, N) by the plain mean of their vectors."""
        vectors = self.encoder(tokens, padding=tokens != PAD).final  # (B, N, D)
        weights = uniform_weights(tokens)
        return ReviewOutput(self.answer_from(weights, vectors), weights, vectors)


class GuidedClassifier(nn.Module):
    """An MLP on each character alone, whose answers are pooled with weights that come from elsewhere.

    It never sees a character's neighbours, so what the weights know of the sentence has to come with them.
    learnt: give each character a score of its own instead.
    """

    def __init__(self, dim: int, *, learnt: bool = False):
        super().__init__()
        self.embedding = nn.Embedding(len(reviews.VOCABULARY), dim)
        self.mlp = nn.Sequential(nn.Linear(dim, dim), nn.Tanh())
        self.score = nn.Linear(dim, 1, bias=False) if learnt else None
        self.answer = nn.Linear(dim, 2)

    def forward(self, tokens: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        """Classify tokens (B, N) with weights (B, N): logits (B, 2)."""
        features = self.mlp(self.embedding(tokens))  # (B, N, D)
        if self.score is not None:
            scores = self.score(features)[..., 0]
            weights = scores.masked_fill(tokens == PAD, float("-inf")).softmax(dim=-1)
        return self.answer((weights[..., None] * features).sum(dim=1))


def uniform_weights(tokens: torch.Tensor) -> torch.Tensor:
    """Return equal weights (B, N) on the characters of each sentence, 0 on padding."""
    real = (tokens != PAD).float()
    return real / real.sum(dim=-1, keepdim=True)


def guided_loss(model: GuidedClassifier, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """Cross-entropy of the labels, with the weights of the batch."""
    return cross_entropy_sum(model(batch["inputs"], batch["weights"]), batch["labels"])


@dataclass(frozen=True)
class ApartLoss:
    """Agree with another model's answers, batch["chances"] (B,), and attend elsewhere than batch["weights"].

    The total variation distance of the answers, less `pull` times the divergence KL(ours | theirs) of the
    weights (Wiegreffe and Pinter, 2019, section 4).
    """

    pull: float

    def __call__(self, model: ReviewClassifier, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the sum over the batch, and the number of sentences."""
        output = model(batch["inputs"])
        distance = (output.logits.softmax(-1)[:, 1] - batch["chances"]).abs()
        theirs, ours = batch["weights"].clamp(min=1e-9), output.weights.clamp(min=1e-9)
        divergence = (output.weights * (ours.log() - theirs.log())).sum(-1)
        return (distance - self.pull * divergence).sum(), torch.tensor(len(distance))


@dataclass(frozen=True)
class Answers:
    """What a classifier says of sentences: weights (B, N), chances (B,) of positive, which are right (B,)."""

    weights: torch.Tensor
    chances: torch.Tensor
    right: torch.Tensor

    @property
    def accuracy(self) -> float:
        """The share of right answers."""
        return self.right.double().mean().item()


@torch.no_grad()
def answers(model: ReviewClassifier, rows: Batch) -> Answers:
    """Classify rows with "inputs" and "labels"."""
    output = model.eval()(rows["inputs"])
    right = output.logits.argmax(-1) == rows["labels"]
    return Answers(output.weights, output.logits.softmax(-1)[:, 1], right)


def marks(right: torch.Tensor) -> str:
    """Return which sentences (B,) are right as B characters, 1 or 0: of every seed and model in few lines."""
    return "".join(str(int(one)) for one in right)


def compare(one: Answers, other: Answers) -> dict[str, float | list[float] | str]:
    """Return the weights' median divergence, the answers' distances (B,), their mean, and `other`'s marks."""
    distances = (one.chances - other.chances).abs()
    return {
        "divergence": jensen_shannon(one.weights, other.weights).median().item(),
        "distance": distances.mean().item(),
        "distances": [round(distance, 4) for distance in distances.tolist()],
        "accuracy": other.accuracy,
        "right": marks(other.right),
    }


def review_rows() -> tuple[Batch, Batch]:
    """Return the sentences for training and for testing: inputs (B, N) and labels (B,)."""
    data = load_reviews()
    parts = ((data.train, data.train_labels), (data.test, data.test_labels))
    return tuple(
        {"inputs": reviews.review_tokens(sentences), "labels": torch.tensor(labels)}
        for sentences, labels in parts
    )


def measure(seed: int, settings: RivalSettings = SETTINGS) -> Outcome:
    """Train the classifier and its rivals with this seed; each rival is compared with the classifier.

    values: NAME.divergence, NAME.distance, NAME.accuracy, NAME.right, as `compare` returns them, for NAME
    "seed", "uniform" and "apart", with NAME.distances for the first and the last, which are compared; the
    first two for "searched" (by Jain and Wallace, one sentence at a time), the last two for "own" and for
    guide_NAME, the MLP with weights that are uniform, the classifier's, the rival's, or learnt.
    """
    train_rows, test_rows = review_rows()

    def make(model_class, loss, seed, extra=None):
        torch.manual_seed(seed)
        rows = train_rows | (extra or {})
        model = model_class()
        train(model, random_rows(rows), loss, replace(settings.training, seed=seed))
        return model

    own = make(ReviewClassifier, class_loss, seed)
    on_train, on_test = answers(own, train_rows), answers(own, test_rows)
    sentences = test_rows["inputs"][: settings.searched]
    searched = reviews.find_other_weights(own, sentences, tolerance=reviews.TOLERANCE)
    values = {
        "own.accuracy": on_test.accuracy,
        "own.right": marks(on_test.right),
        "searched.divergence": searched.divergence.median().item(),
        "searched.distance": searched.change.mean().item(),
    }
    other = seed + settings.other_seed
    theirs = {"weights": on_train.weights, "chances": on_train.chances}
    rivals = {
        "seed": make(ReviewClassifier, class_loss, other),
        "uniform": make(UniformClassifier, class_loss, seed),
        "apart": make(ReviewClassifier, ApartLoss(settings.pull), other, theirs),
    }
    for name, rival in rivals.items():
        compared = compare(on_test, answers(rival, test_rows))
        if name == "uniform":
            del compared["distances"]
        values |= {f"{name}.{key}": value for key, value in compared.items()}
    guides = {"uniform": rivals["uniform"], "own": own, "apart": rivals["apart"]}
    for name, guide in {**guides, "learnt": rivals["uniform"]}.items():
        weights = answers(guide, train_rows).weights
        make_mlp = partial(GuidedClassifier, settings.guide_dim, learnt=name == "learnt")
        mlp = make(make_mlp, guided_loss, seed, {"weights": weights})
        right = guided_right(mlp, test_rows, answers(guide, test_rows).weights)
        values[f"guide_{name}.accuracy"] = right.double().mean().item()
        values[f"guide_{name}.right"] = marks(right)
    return Outcome(values)


@torch.no_grad()
def guided_right(model: GuidedClassifier, rows: Batch, weights: torch.Tensor) -> torch.Tensor:
    """Return which rows (B,) the MLP gets right with these weights (B, N)."""
    return model.eval()(rows["inputs"], weights).argmax(-1) == rows["labels"]


GRID = Grid(conditions={"reviews": Measurement(measure=measure, settings=SETTINGS)}, seeds=(0, 1, 2, 3, 4))
