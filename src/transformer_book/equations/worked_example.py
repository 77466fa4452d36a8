"""The numbers of section 2: three tokens of two entries, small enough to follow by hand."""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True, eq=False)
class WorkedExample:
    """X (2, 3), one token per column, and the three maps (2, 2), all integers and free to change."""

    X: np.ndarray
    Omega_q: np.ndarray
    Omega_k: np.ndarray
    Omega_v: np.ndarray

    def __iter__(self):
        """X, Omega_q, Omega_k, Omega_v, in the order in which `self_attention` takes them."""
        return iter((self.X, self.Omega_q, self.Omega_k, self.Omega_v))


def worked_example() -> WorkedExample:
    """The tokens and maps of the book's worked example (section 2); there are no biases."""
    return WorkedExample(
        X=np.array([[1, 0, 1], [0, 1, 1]]),
        Omega_q=np.array([[1, 0], [1, 2]]),
        Omega_k=np.array([[1, 1], [0, 1]]),
        Omega_v=np.array([[1, 0], [0, 1]]),
    )
