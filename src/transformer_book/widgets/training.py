"""TrainingExplorer: a decoder of two layers learns to copy in the page (section 6)."""

import dataclasses

import numpy as np
import traitlets

from .explorer import Explorer
from .fallback import matrix_table
from .scaling_draws import uniform

ROWS = {"whole": "A", "no_mask": "A − M", "no_scale": "A − √D_h", "no_positions": "A − R"}
FIRST_BATCH = 2**20  # where batches begin among a seed's random numbers; the weights stand before


class TrainingExplorer(Explorer):
    """The decoder of `experiments.copying`, trained in the page from the first step to the last.

    mask, scale, positions: which parts it has; seed: of its weights and texts. The page draws as `weights`
    and `batch` do, so its curve is that of `losses`.
    """

    kind = "training"
    state_names = ("mask", "scale", "positions", "seed", "given")

    mask = traitlets.Bool(True).tag(sync=True)
    scale = traitlets.Bool(True).tag(sync=True)
    positions = traitlets.Bool(True).tag(sync=True)
    seed = traitlets.Int(0, min=0, max=99).tag(sync=True)
    given = traitlets.Dict().tag(sync=True)  # the experiment's settings, for the page

    def __init__(self, **state):
        super().__init__(given=given(), **state)

    def decoder(self):
        """The untrained decoder, float64."""
        import torch

        from ..experiments.copying import CONFIG
        from ..models import Decoder

        changes = {"scale": self.scale, "positions": "rotary" if self.positions else "none"}
        model = Decoder(dataclasses.replace(CONFIG, **changes)).double()
        for layer in model.layers:
            layer.attention.causal = self.mask
        with torch.no_grad():
            for name, weight in weights(self.seed).items():
                model.get_parameter(name).copy_(torch.from_numpy(weight))
        return model

    def losses(self, steps: int) -> list[float]:
        """Train for some of the steps and return the loss before each."""
        from torch.nn.utils import clip_grad_norm_

        from ..experiments.copying import SETTINGS
        from ..training import learning_rate_at, next_token_loss
        from ..training.loop import make_optimizer

        model, seen = self.decoder(), []
        optimizer = make_optimizer(model, SETTINGS)
        for step in range(steps):
            for group in optimizer.param_groups:
                group["lr"] = learning_rate_at(step, SETTINGS)
            total, tokens = next_token_loss(model, batch(self.seed, step))
            optimizer.zero_grad()
            (total / tokens).backward()
            clip_grad_norm_(model.parameters(), SETTINGS.clip)
            optimizer.step()
            seen.append((total / tokens).item())
        return seen

    def fallback(self) -> str:
        """What became of each decoder in the recorded runs: loss, highest induction score, seeds' means."""
        from ..recorded import recorded

        run = recorded("copying")
        values = [
            (run.over_seeds(name, "loss").mean(), run.over_seeds(name, "induction").max(axis=(1, 2)).mean())
            for name in ROWS
        ]
        return matrix_table("L, ι", values, rows=list(ROWS.values()), columns=["L", "ι"])


def given() -> dict:
    """What the page needs to know of the experiment, JSON-ready."""
    from ..experiments import copying

    settings = dataclasses.asdict(copying.SETTINGS)
    names = ("steps", "learning_rate", "warmup", "final_fraction", "weight_decay", "betas", "clip")
    return {
        "config": dataclasses.asdict(copying.CONFIG),
        "shapes": {name: list(shape) for name, shape in shapes().items()},
        "deviations": copying.DEVIATIONS,
        "settings": {name: settings[name] for name in names},
        "periods": list(copying.PERIODS),
        "batch": copying.BATCH_SIZE,
        "measured": 8,
        "signs": copying.SIGNS,
    }


def shapes() -> dict[str, tuple[int, ...]]:
    """Shape of each of the decoder's tensors."""
    from ..experiments.copying import make_decoder

    return {name: tuple(parameter.shape) for name, parameter in make_decoder().named_parameters()}


def weights(seed: int) -> dict[str, np.ndarray]:
    """The weights that the page starts with: pairs of normal numbers by Box and Muller, one after another."""
    from ..experiments.copying import DEVIATIONS

    start, drawn = 0, {}
    for name, shape in shapes().items():
        if len(shape) == 1:
            drawn[name] = np.zeros(shape) if name.endswith("bias") else np.ones(shape)
            continue
        pairs = start + np.arange(0, np.prod(shape), 2)
        radius = np.sqrt(-2 * np.log(uniform(seed, pairs)))
        angle = 2 * np.pi * uniform(seed, pairs + 1)
        normal = np.stack((radius * np.cos(angle), radius * np.sin(angle)), axis=1)
        drawn[name] = DEVIATIONS[name.split(".")[0]] * normal.reshape(shape)
        start += normal.size
    return drawn


def batch(seed: int, step: int) -> dict:
    """The texts of one step, as `experiments.copying.repeated_rows` makes them, from the page's numbers."""
    import torch

    from ..experiments.copying import BATCH_SIZE, LENGTH, PERIODS, SIGNS

    each = len(SIGNS) + 1
    first = FIRST_BATCH + step * BATCH_SIZE * each
    numbers = uniform(seed, first + np.arange(BATCH_SIZE * each)).reshape(BATCH_SIZE, each)
    shortest, longest = PERIODS
    period = shortest + np.floor(numbers[:, :1] * (longest - shortest + 1)).astype(int)
    places = np.arange(LENGTH + 1)[None]
    tokens = np.take_along_axis(numbers[:, 1:].argsort(axis=1), places % period, axis=1)
    return {"tokens": torch.from_numpy(tokens), "real": torch.from_numpy(places > period)}
