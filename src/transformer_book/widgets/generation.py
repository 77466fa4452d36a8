"""GenerationExplorer: the quatrain GPT's next character under temperature, top-k and top-p (section 8)."""

import base64
import functools

import numpy as np
import traitlets

from .explorer import Explorer
from .fallback import matrix_table
from .logits_pack import TEMPERATURE, contexts_of, unpack_logits
from .page_data import load_pack

CANDIDATES = 12


class GenerationExplorer(Explorer):
    """Next-character probabilities of the quatrain GPT, one step after the other.

    ids: the poem so far, as ids of the vocabulary, without the start token; temperature: 0 (greedy) to 2;
    top_k: characters kept, 0 for all; top_p: probability kept, 1 for all; seed: of the draws, one of `seeds`.
    model: a trained `Decoder` answers live, for any poem; without it the logits are those recorded along
    seeded continuations, and elsewhere `logits` raises LookupError.
    """

    kind = "generation"
    state_names = ("seeds", "ids", "temperature", "top_k", "top_p", "seed")
    sources = ("quatrains",)

    seeds = traitlets.List(traitlets.Int()).tag(sync=True)
    ids = traitlets.List(traitlets.Int(min=0)).tag(sync=True)
    temperature = traitlets.Float(TEMPERATURE, min=0, max=2).tag(sync=True)
    top_k = traitlets.Int(0, min=0).tag(sync=True)
    top_p = traitlets.Float(1.0, min=0.01, max=1).tag(sync=True)
    seed = traitlets.Int().tag(sync=True)
    packs = traitlets.Dict().tag(sync=True)
    question = traitlets.Dict().tag(sync=True)
    refusal = traitlets.Unicode("").tag(sync=True)
    can_answer = traitlets.Bool(False).tag(sync=True)

    def __init__(self, model=None, **state):
        pack = load_pack("quatrains")
        self._model = model
        self._vocabulary = pack["tokens"]
        self._end, self._longest = pack["end"], pack["longest"]
        # A live model answers for every poem, so the stored logits stay at home.
        packs = {"quatrains": pack if model is None else {**pack, "contexts": []}}
        state.setdefault("seed", pack["seeds"][0])
        super().__init__(seeds=pack["seeds"], packs=packs, can_answer=model is not None, **state)
        self.observe(self._answer, "question")

    @traitlets.validate("ids")
    def _check_ids(self, proposal):
        ids, size = proposal.value, len(self._vocabulary)
        if len(ids) > self._longest or any(i >= size for i in ids) or self._end in ids[:-1]:
            raise traitlets.TraitError(
                f"ids must be at most {self._longest} ids below {size}, the end token only last; got {ids}."
            )
        return ids

    @traitlets.validate("seed")
    def _check_seed(self, proposal):
        if self.seeds and proposal.value not in self.seeds:
            raise traitlets.TraitError(f"seed must be one of {self.seeds}; got {proposal.value}.")
        return proposal.value

    @property
    def text(self) -> str:
        """The poem so far."""
        return "".join(self._vocabulary[i] for i in self.ids if i != self._end)

    @text.setter
    def text(self, text: str) -> None:
        known = {token: i for i, token in enumerate(self._vocabulary)}
        missing = [character for character in text if character not in known]
        if missing:
            raise ValueError(f"text must hold characters of the vocabulary; got {missing[0]!r}.")
        self.ids = [known[character] for character in text]

    @property
    def logits(self) -> np.ndarray:
        """Logits (V,) of the next character, up to a constant; LookupError where none are known."""
        if self.ids and (self.ids[-1] == self._end or len(self.ids) == self._longest):
            raise LookupError(f"ids is a complete poem, {self.text!r}: no character follows.")
        if self._model is not None:
            return _model_logits(self._model, self.ids)
        place, logits = _stored()
        if tuple(self.ids) not in place:
            raise LookupError(
                f"no logits are stored after {self.text!r}; give a model, GenerationExplorer(model)."
            )
        return logits[place[tuple(self.ids)]]

    @property
    def probabilities(self) -> np.ndarray:
        """Probabilities (V,) that the next character is drawn from."""
        import torch

        from ..generation import next_token_probabilities

        logits = torch.from_numpy(np.array(self.logits, dtype=float))[None]
        return next_token_probabilities(
            logits, temperature=self.temperature, top_k=self.top_k or None, top_p=self.top_p
        )[0].numpy()

    def _answer(self, change) -> None:
        """The page asked for the logits of a poem."""
        if self._model is None or "ids" not in change.new:
            return
        logits = _model_logits(self._model, change.new["ids"]).astype("<f8")
        answer = {"ids": change.new["ids"], "logits": base64.b64encode(logits.tobytes()).decode("ascii")}
        self.packs = {**self.packs, "answer": answer}

    def fallback(self) -> str:
        """The likeliest next characters and their probabilities."""
        chances = self.probabilities
        order = np.argsort(-chances, kind="stable")[:CANDIDATES]
        caption = f"T = {self.temperature:g}, k = {self.top_k or '|V|'}, p = {self.top_p:g}"
        names = [self._vocabulary[i] for i in order]
        return matrix_table(caption, [chances[order]], rows=[self.text or "p"], columns=names)


@functools.cache
def _stored() -> tuple[dict[tuple[int, ...], int], np.ndarray]:
    pack = load_pack("quatrains")
    return {ids: place for place, ids in enumerate(contexts_of(pack["contexts"]))}, unpack_logits(pack)


def _model_logits(model, ids) -> np.ndarray:
    import torch

    from ..experiments.quatrains import START

    with torch.no_grad():
        tokens = torch.tensor([[START, *ids]], device=model.output_weight.device)
        return model(tokens, logits_at="last").logits[0, -1].double().cpu().numpy()
