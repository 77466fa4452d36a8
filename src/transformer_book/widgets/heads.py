"""HeadExplorer: what every head of a real model attends to in a sentence (sections 6 and 10)."""

import numpy as np
import traitlets

from .explorer import Explorer
from .fallback import matrix_table
from .head_weights import pack_weights, unpack_weights
from .model_files import PUBLISHED
from .page_data import load_pack
from .reading import models_installed, read_sentence


class HeadExplorer(Explorer):
    """All layers and heads of SmolLM2 and MiniLM on a sentence, one of them enlarged.

    model: "smollm2" or "minilm"; sentence, layer, head: counted from 0, as the field writes L13H8;
    query: the token that is followed, 1 … N; models: those to choose from, in this order.
    With the models installed, `read` and the page's own field take any other sentence. On a site that was
    built with its weights MiniLM in 8 bits reads one in the page, which is then the page's `own`.
    """

    kind = "heads"
    state_names = ("catalogue", "model", "sentence", "own", "layer", "head", "query")

    catalogue = traitlets.Dict().tag(sync=True)
    packs = traitlets.Dict().tag(sync=True)
    model = traitlets.Unicode("smollm2").tag(sync=True)
    sentence = traitlets.Int(0, min=0).tag(sync=True)
    own = traitlets.Unicode("", read_only=True).tag(sync=True)  # Python reads any sentence into the catalogue
    layer = traitlets.Int(0, min=0).tag(sync=True)
    head = traitlets.Int(0, min=0).tag(sync=True)
    query = traitlets.Int(1, min=1).tag(sync=True)
    question = traitlets.Dict().tag(sync=True)
    refusal = traitlets.Unicode("").tag(sync=True)
    can_answer = traitlets.Bool(False).tag(sync=True)

    def __init__(self, *, models=("smollm2", "minilm"), **state):
        recorded = {name: load_pack(f"heads-{name}") for name in models}
        state.setdefault("model", next(iter(recorded)))
        super().__init__(
            catalogue={name: _entry(pack) for name, pack in recorded.items()},
            packs={
                f"heads-{name}": [sentence["weights"] for sentence in pack["sentences"]]
                for name, pack in recorded.items()
            },
            can_answer=models_installed(),
            **state,
        )
        self.observe(self._answer, "question")

    @traitlets.validate("model", "sentence", "layer", "head", "query")
    def _check_place(self, proposal):
        state = {**self.state(), proposal.trait.name: proposal.value}
        del state["own"]
        problem = misplaced(**state) if self.catalogue else ""
        if problem:
            raise traitlets.TraitError(problem)
        return proposal.value

    @property
    def sources(self) -> tuple[str, ...]:
        """Names of the packs that the static page loads."""
        return tuple(f"heads-{name}" for name in self.catalogue)

    @property
    def model_names(self) -> tuple[str, ...]:
        """Models that the static page offers to run."""
        return tuple(name for name in self.catalogue if name in PUBLISHED)

    @property
    def tokens(self) -> list[str]:
        """Tokens of the sentence in view."""
        return list(self.catalogue[self.model]["sentences"][self.sentence]["tokens"])

    @property
    def all_weights(self) -> np.ndarray:
        """Weights of every head on the sentence: (layers, heads, N, N), rows keys, columns queries."""
        entry = self.catalogue[self.model]
        text = self.packs[f"heads-{self.model}"][self.sentence]
        return unpack_weights(text, entry["layers"], entry["heads"], len(self.tokens), entry["causal"])

    @property
    def weights(self) -> np.ndarray:
        """Weights of the head in view: (N, N), rows keys, columns queries."""
        return self.all_weights[self.layer, self.head]

    def read(self, text: str, model: str | None = None) -> None:
        """Let the model read another sentence, of 2 to 48 tokens, and show it.

        Raises MissingPackageError without the model, ValueError for a sentence too short or too long.
        """
        model = model or self.model
        reading = read_sentence(model, text)
        entry, pack = self.catalogue[model], f"heads-{model}"
        sentence = {"text": text, "tokens": list(reading.tokens), "unknown": list(reading.unknown)}
        sentences = [*entry["sentences"], sentence]
        with self.hold_trait_notifications():
            self.packs = {
                **self.packs,
                pack: [*self.packs[pack], pack_weights(reading.weights, entry["causal"])],
            }
            self.catalogue = {**self.catalogue, model: {**entry, "sentences": sentences}}
            self.model = model
            self.sentence = len(sentences) - 1
            self.query = len(reading.tokens)

    def _answer(self, change) -> None:
        """A reader of the page asked for a sentence."""
        if not change.new:
            return
        self.refusal = ""
        try:
            self.read(change.new["text"], change.new["model"])
        except ValueError:
            self.refusal = "text"
        except ModuleNotFoundError:
            self.refusal = "model"

    def fallback(self) -> str:
        """The weights of the head in view."""
        caption = f"{self.catalogue[self.model]['title']} L{self.layer}H{self.head}"
        return matrix_table(caption, self.weights, rows=self.tokens, columns=self.tokens)


def _entry(pack: dict) -> dict:
    entry = {name: pack[name] for name in ("title", "layers", "heads", "causal")}
    return {**entry, "sentences": [{k: s[k] for k in ("text", "tokens")} for s in pack["sentences"]]}


def misplaced(*, catalogue, model, sentence, layer, head, query) -> str:
    """One sentence on what the catalogue does not hold, or an empty string."""
    if model not in catalogue:
        return f"model must be one of {list(catalogue)}; got {model!r}."
    entry = catalogue[model]
    for name, value, count in (
        ("sentence", sentence, len(entry["sentences"])),
        ("layer", layer, entry["layers"]),
        ("head", head, entry["heads"]),
    ):
        if value >= count:
            return f"{name} must be 0 … {count - 1}; got {value}."
    count = len(entry["sentences"][sentence]["tokens"])
    return f"query must be 1 … {count}; got {query}." if query > count else ""
