"""WeightsExplorer: the review classifier under other attention weights (section 10)."""

import functools
import math

import numpy as np
import traitlets

from ..checks.messages import must_be
from .fallback import matrix_table
from .model_explorer import ModelExplorer

LONGEST = 40


class WeightsExplorer(ModelExplorer):
    """A sentence, the weights that the review classifier gives its characters, and others in their place.

    text: 1 to 40 characters; weights: one per character, at least 0 and of sum 1, or [] for the model's own.
    Its answer is P(positive) = σ(Σ weights · votes + bias): the vectors that weights mix do not depend on
    them.
    """

    kind = "weights"
    state_names = ("text", "weights")
    model_names = ("reviews",)

    text = traitlets.Unicode("房间很干净，下次还会来。").tag(sync=True)
    weights = traitlets.List(traitlets.Float(min=0, max=1)).tag(sync=True)

    @traitlets.validate("text", "weights")
    def _check_fit(self, proposal):
        state = {**self.state(), proposal.trait.name: proposal.value}
        text, weights = state["text"], state["weights"]
        if not 1 <= len(text) <= LONGEST:
            raise traitlets.TraitError(must_be("text", f"1 to {LONGEST} characters", repr(text)))
        if weights and len(weights) != len(text):
            raise traitlets.TraitError(must_be("weights", f"{len(text)} numbers or none", f"{len(weights)}"))
        if weights and abs(sum(weights) - 1) > 1e-6:
            raise traitlets.TraitError(must_be("weights", "numbers of sum 1", f"the sum {sum(weights)}"))
        return proposal.value

    @property
    def own(self) -> np.ndarray:
        """The model's own weights (N,)."""
        return _read(self.text)[0]

    @property
    def votes(self) -> np.ndarray:
        """What each position says by itself (N,), positive for a good review."""
        return _read(self.text)[1]

    @property
    def chance(self) -> float:
        """P(positive) under the present weights."""
        _, votes, bias = _read(self.text)
        return 1 / (1 + math.exp(-(self._present @ votes + bias)))

    @property
    def divergence(self) -> float:
        """Jensen-Shannon divergence of the present weights from the model's own, 0 to ln 2."""
        import torch

        from ..experiments.reviews import jensen_shannon

        return jensen_shannon(torch.from_numpy(self.own), torch.from_numpy(self._present)).item()

    @property
    def _present(self) -> np.ndarray:
        return np.array(self.weights) if self.weights else self.own

    def find(self) -> None:
        """Take the farthest weights that give exactly the same answer.

        Divergence is convex, and weights of one answer form a polytope, so the farthest are at a corner,
        which has at most two positions with any weight.
        """
        own, votes = self.own, self.votes
        goal = own @ votes
        corners = []
        for i in np.flatnonzero(votes <= goal):
            for j in np.flatnonzero(votes > goal):
                share = (votes[j] - goal) / (votes[j] - votes[i])
                corner = np.zeros(len(own))
                corner[i], corner[j] = share, 1 - share
                corners.append(corner)
        if corners:
            middle = (np.array(corners) + own) / 2
            entropy = [sum(-x * np.log(x) for x in row[row > 0]) for row in (*middle, *corners)]
            gains = np.array(entropy[: len(corners)]) - np.array(entropy[len(corners) :]) / 2
            self.weights = corners[int(np.argmax(gains))].tolist()

    def fallback(self) -> str:
        """Own weights and votes, character by character."""
        return matrix_table("a, g", [self.own, self.votes], rows=["a", "g"], columns=list(self.text))


@functools.lru_cache(maxsize=64)
def _read(text: str) -> tuple[np.ndarray, np.ndarray, float]:
    """Weights, votes and bias of the model on a sentence."""
    import torch

    from ..experiments.reviews import review_tokens

    model = _trained()
    with torch.no_grad():
        output = model(review_tokens([text]))
        difference = model.answer.weight[1] - model.answer.weight[0]
        votes = output.vectors[0, : len(text)] @ difference
        bias = (model.answer.bias[1] - model.answer.bias[0]).item()
    return output.weights[0, : len(text)].double().numpy(), votes.double().numpy(), bias


@functools.cache
def _trained():
    from ..experiments.reviews import ReviewClassifier
    from ..recorded import trained

    return trained("reviews", ReviewClassifier())
