"""TranslationExplorer: the numerals translator, with cross-attention as alignment (section 8)."""

import functools

import numpy as np
import traitlets

from ..checks.messages import must_be
from .fallback import matrix_table
from .model_explorer import ModelExplorer

END = "∎"
LONGEST = 15


class TranslationExplorer(ModelExplorer):
    """A whole number translated from Chinese numerals into digits, or back, by the book's encoder-decoder.

    text: 1 to 15 characters, numerals or digits; layer: of the cross-attention, from 0; head: from 0, or -1
    for the mean of all.
    """

    kind = "translation"
    state_names = ("text", "layer", "head")
    model_names = ("numerals",)

    text = traitlets.Unicode("三万零二百零五").tag(sync=True)
    layer = traitlets.Int(1, min=0, max=1).tag(sync=True)
    head = traitlets.Int(-1, min=-1, max=3).tag(sync=True)

    @traitlets.validate("text")
    def _check_text(self, proposal):
        from ..experiments.numerals import VOCABULARY

        text = proposal.value
        if not 1 <= len(text) <= LONGEST or not set(text) <= set(VOCABULARY.characters):
            wanted = f"1 to {LONGEST} characters of {''.join(VOCABULARY.characters)}"
            raise traitlets.TraitError(must_be("text", wanted, repr(text)))
        return text

    @property
    def translation(self) -> str:
        """The translation, the most probable character at each step."""
        from ..experiments.numerals import translate

        return translate(_trained(), [self.text])[0]

    @property
    def alignment(self) -> np.ndarray:
        """Cross-attention (source + 1, target + 1), rows keys, columns queries, the end of each text last."""
        import torch

        from ..experiments import numerals

        ids, _ = numerals.padded([self.text])
        target = torch.tensor([[numerals.START, *numerals.VOCABULARY.encode(self.translation)]])
        with torch.no_grad():
            seen = _trained()(ids, target, return_weights=True).cross_attention[self.layer].weights[0]
        weights = seen.mean(dim=0) if self.head < 0 else seen[self.head]  # (N, M)
        return weights.T.double().numpy()

    def fallback(self) -> str:
        """The alignment."""
        rows, columns = [*self.text, END], [*self.translation, END]
        return matrix_table("A", self.alignment[:, : len(columns)], rows=rows, columns=columns)


@functools.cache
def _trained():
    from ..experiments.numerals import NUMERAL_TRANSLATOR
    from ..models import EncoderDecoder
    from ..recorded import trained

    return trained("numerals", EncoderDecoder(NUMERAL_TRANSLATOR))
