"""GenerationExplorer: the quatrain GPT's next character under temperature, top-k and top-p (section 8)."""

import functools

import numpy as np
import traitlets

from ..checks.messages import must_be
from .fallback import matrix_table
from .model_explorer import ModelExplorer
from .model_files import checkpoint_file, model_file, signs_of
from .poem_form import PoemForm, poem_form

CANDIDATES = 12
NAME = "quatrain_gpt"


class GenerationExplorer(ModelExplorer):
    """Next-character probabilities of the quatrain GPT, one step after the other, for any poem.

    text: the poem so far, ∎ at the end of a complete one; beside: another one to compare it with;
    temperature: 0 (greedy) to 2; top_k: characters kept, 0 for all; top_p: probability kept, 1 for all;
    seed: of the draws; layer, head: counted from 0, whose attention is shown.
    model: a `Decoder` of the quatrains' vocabulary, the book's checkpoint unless given.
    """

    kind = "generation"
    state_names = ("text", "beside", "temperature", "top_k", "top_p", "seed", "layer", "head")
    model_names = (NAME,)

    text = traitlets.Unicode("").tag(sync=True)
    beside = traitlets.Unicode("").tag(sync=True)
    temperature = traitlets.Float(0.8, min=0, max=2).tag(sync=True)
    top_k = traitlets.Int(0, min=0).tag(sync=True)
    top_p = traitlets.Float(1.0, min=0.01, max=1).tag(sync=True)
    seed = traitlets.Int(1, min=0, max=999_999).tag(sync=True)
    layer = traitlets.Int(0, min=0).tag(sync=True)
    head = traitlets.Int(0, min=0).tag(sync=True)

    def __init__(self, model=None, **state):
        from ..experiments import quatrains

        self._given = model
        self._signs = signs_of(quatrains.VOCABULARY)
        self._start, self._end = quatrains.START, self._signs[quatrains.END]
        self._longest = quatrains.LENGTH - 1
        super().__init__(**state)

    @traitlets.validate("text", "beside")
    def _check_text(self, proposal):
        text, name = proposal.value, proposal.trait.name
        missing = [character for character in text if character not in self._signs]
        if missing:
            raise traitlets.TraitError(must_be(name, "characters of the vocabulary", repr(missing[0])))
        if len(text) > self._longest or self._end in text[:-1]:
            wanted = f"at most {self._longest} characters, {self._end} only at the end"
            raise traitlets.TraitError(must_be(name, wanted, repr(text)))
        return text

    @property
    def model(self):
        """The model that is asked."""
        return _trained() if self._given is None else self._given

    def model_file(self, name: str) -> bytes:
        """Bytes of the model's file as the page reads it."""
        if self._given is None:
            return checkpoint_file(name)
        from ..storage.weights import model_tensors
        from .model_files import CHECKPOINTS, describe

        notes = CHECKPOINTS[NAME](NAME)
        described = describe(self._given.config, **{k: notes[k] for k in notes if k != "config"})
        return model_file(model_tensors(self._given), described)

    @property
    def logits(self) -> np.ndarray:
        """Logits (V,) of the next character; LookupError after a complete poem."""
        return self._step().logits[0, -1].double().cpu().numpy()

    @property
    def weights(self) -> np.ndarray:
        """What the last position attends to in the layer and head in view: (1 + characters,), ▷ first."""
        return self._step().attention[self.layer].weights[0, self.head, -1].double().cpu().numpy()

    @property
    def probabilities(self) -> np.ndarray:
        """Probabilities (V,) that the next character is drawn from."""
        import torch

        from ..generation import next_token_probabilities

        logits = torch.from_numpy(self.logits)[None]
        return next_token_probabilities(
            logits, temperature=self.temperature, top_k=self.top_k or None, top_p=self.top_p
        )[0].numpy()

    @property
    def form(self) -> PoemForm:
        """Lengths of the lines so far, and the rhyme."""
        return poem_form(self.text.removesuffix(self._end))

    def _step(self):
        import torch

        if self.text.endswith(self._end) or len(self.text) == self._longest:
            raise LookupError(f"text is a complete poem, {self.text!r}: no character follows.")
        ids = [self._start, *map(self._signs.index, self.text)]
        with torch.no_grad():
            tokens = torch.tensor([ids], device=self.model.output_weight.device)
            return self.model(tokens, logits_at="last", return_weights=True)

    def fallback(self) -> str:
        """The likeliest next characters and their probabilities."""
        chances = self.probabilities
        order = np.argsort(-chances, kind="stable")[:CANDIDATES]
        caption = f"T = {self.temperature:g}, k = {self.top_k or '|V|'}, p = {self.top_p:g}"
        names = [self._signs[i] for i in order]
        return matrix_table(caption, [chances[order]], rows=[self.text or "p"], columns=names)


@functools.cache
def _trained():
    from ..experiments.quatrains import QUATRAIN_GPT
    from ..models import Decoder
    from ..recorded import trained

    return trained(NAME, Decoder(QUATRAIN_GPT))
