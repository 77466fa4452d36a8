"""Traits that hold the mathematics of an explorer, checked when they are set and synced as plain JSON."""

import math

import numpy as np
import traitlets

LARGEST = 1000.0  # entries of a matrix, in size
MOST_TOKENS = 64


class Matrix(traitlets.TraitType):
    """A matrix of finite numbers, at most 1,000 in size; takes sequences or arrays, keeps lists of rows.

    `optional=True` admits `[]`, meaning that there is none.
    """

    info_text = "a matrix of finite numbers, at most 1000 in size"

    def __init__(self, default_value, *, optional: bool = False, **options):
        self.optional = optional
        super().__init__(_rows(default_value), **options)

    def make_dynamic_default(self):
        """Give every widget its own copy."""
        return _rows(self.default_value)

    def validate(self, owner, value):
        """Return the rows as lists of floats; TraitError names the trait and what is wrong."""
        try:
            if isinstance(value, np.ma.MaskedArray) or np.iscomplexobj(value):
                raise TypeError  # NumPy would forget the mask, or the imaginary part
            matrix = np.asarray(value, dtype=float)
        except (TypeError, ValueError) as error:
            raise traitlets.TraitError(f"{self.name} must be {self.info_text}; got {value!r}.") from error
        if self.optional and matrix.size == 0:
            return []
        if matrix.ndim != 2 or matrix.size == 0:
            raise traitlets.TraitError(
                f"{self.name} must be a matrix, a list of rows; got shape {matrix.shape}."
            )
        if not np.isfinite(matrix).all() or np.abs(matrix).max() > LARGEST:
            worst = matrix.flat[int(np.argmax(np.where(np.isfinite(matrix), np.abs(matrix), math.inf)))]
            raise traitlets.TraitError(f"{self.name} must be {self.info_text}; got the entry {worst}.")
        return (matrix + 0.0).tolist()  # + 0.0 turns -0.0 into 0.0


class Vector(Matrix):
    """A vector of finite numbers, at most 1,000 in size; takes sequences or arrays, keeps floats."""

    info_text = "a vector of finite numbers, at most 1000 in size"

    def __init__(self, default_value, **options):
        super().__init__([default_value], **options)
        self.default_value = list(map(float, default_value))

    def make_dynamic_default(self, owner=None):
        """Give every widget its own copy."""
        return list(self.default_value)

    def validate(self, owner, value):
        """Return the entries as floats; TraitError names the trait and what is wrong."""
        return super().validate(owner, [value])[0]


class Tokens(traitlets.TraitType):
    """A list of 1 to 64 tokens, each a string of 1 to 20 characters that are not all blank."""

    info_text = "a list of 1 to 64 strings of 1 to 20 characters"

    def make_dynamic_default(self):
        """Give every widget its own copy."""
        return list(self.default_value)

    def validate(self, owner, value):
        """Return the tokens as a list; TraitError names the trait and what is wrong."""
        tokens = list(value) if isinstance(value, (list, tuple)) else None
        if tokens is None or not 1 <= len(tokens) <= MOST_TOKENS:
            raise traitlets.TraitError(f"{self.name} must be {self.info_text}; got {value!r}.")
        for token in tokens:
            if not isinstance(token, str) or not token.strip() or len(token) > 20:
                raise traitlets.TraitError(f"{self.name} must be {self.info_text}; got the token {token!r}.")
        return tokens


def _rows(value) -> list:
    return [list(map(float, row)) for row in value]
