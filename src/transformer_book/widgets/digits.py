"""DigitsExplorer: draw a digit, and Vision Transformers with and without positions read it (section 9)."""

import functools

import numpy as np
import traitlets

from ..checks.messages import must_be
from .fallback import matrix_table
from .model_explorer import ModelExplorer

INK = 16
SIDE = 8


class DigitsExplorer(ModelExplorer):
    """A drawing of 8 x 8 pixels, 0 (paper) to 16 (ink), and what the book's two models make of it.

    sample: the test image it starts with, the first one of the digit 0 … 9; pixels: 64 numbers, row by row;
    shuffled: put the patches into another order, `order`, as section 9 does; layer, head: of the model with
    positions, from 0, head -1 for the mean of all; query: 0 for the class token, or a patch, 1 … 16.
    """

    kind = "digits"
    state_names = ("pixels", "sample", "shuffled", "layer", "head", "query", "samples", "order")
    model_names = ("digits_vit", "digits_vit_no_positions")

    sample = traitlets.Int(3, min=0, max=9).tag(sync=True)
    pixels = traitlets.List(traitlets.Int(min=0, max=INK), minlen=SIDE**2, maxlen=SIDE**2).tag(sync=True)
    shuffled = traitlets.Bool(False).tag(sync=True)
    layer = traitlets.Int(1, min=0, max=1).tag(sync=True)
    head = traitlets.Int(-1, min=-1, max=3).tag(sync=True)
    query = traitlets.Int(0, min=0, max=16).tag(sync=True)
    samples = traitlets.List(traitlets.Unicode()).tag(sync=True)
    order = traitlets.List(traitlets.Int()).tag(sync=True)

    def __init__(self, **state):
        sample = state.get("sample", 3)
        if sample not in range(10):
            raise traitlets.TraitError(must_be("sample", "0 … 9", repr(sample)))
        state.setdefault("pixels", _first_images()[sample])
        order = np.random.default_rng(0).permutation(16).tolist()
        super().__init__(samples=[*map(_signs, _first_images())], order=order, **state)

    @property
    def seen(self) -> np.ndarray:
        """The image (8, 8) that the models get, from 0 to 1."""
        from ..experiments.digits import shuffle_patches

        image = np.array(self.pixels, dtype=np.float32).reshape(1, SIDE, SIDE) / INK
        return (shuffle_patches(image, seed=0) if self.shuffled else image)[0]

    @property
    def probabilities(self) -> np.ndarray:
        """Class probabilities (2, 10), of the model with positions and of the one without."""
        rows = [self._read(name).logits[0].softmax(-1).numpy() for name in self.model_names]
        return np.stack(rows).astype(float)

    @property
    def weights(self) -> np.ndarray:
        """What the query attends to in the layer and head in view: class token, then patches, (17,)."""
        weights = self._read("digits_vit").attention[self.layer].weights[0, :, self.query]  # (H, 17)
        return (weights.mean(dim=0) if self.head < 0 else weights[self.head]).numpy().astype(float)

    def _read(self, name: str):
        import torch

        with torch.no_grad():
            return _trained(name)(torch.from_numpy(self.seen)[None, None], return_weights=True)

    def fallback(self) -> str:
        """The probabilities of the ten digits."""
        names = [str(digit) for digit in range(10)]
        return matrix_table("P", self.probabilities, rows=["PE", "–"], columns=names)


@functools.cache
def _first_images() -> list[list[int]]:
    """The first test image of each digit, as 64 whole numbers."""
    from ..data import load_digit_images

    data = load_digit_images()
    first = [int(np.argmax(data.test_labels == digit)) for digit in range(10)]
    return [np.rint(data.test[i].ravel() * INK).astype(int).tolist() for i in first]


def _signs(pixels: list[int]) -> str:
    """One sign a pixel: digits to the base 17."""
    return "".join("0123456789abcdefg"[ink] for ink in pixels)


@functools.cache
def _trained(name: str):
    from ..experiments.digits import make_vit
    from ..recorded import trained

    return trained(name, make_vit(0, positions=name == "digits_vit"))
