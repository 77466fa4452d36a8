"""The random vectors of the ScalingExplorer, drawn the same way in the page and in Python."""

import numpy as np

KEYS = 16
LARGEST_DIMENSION = 1024
MOST_DRAWS = 200


def draw_vectors(seed: int, draw: int, dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """One query (D_q,) and 16 keys (D_q, 16) with independent standard normal entries.

    A number depends on its place alone: a counter hashed to 32 bits, then Box and Muller's transform. So more
    dimensions extend the same vectors, and any draw can be made again without the ones before it.
    """
    start = draw * (KEYS + 1) * LARGEST_DIMENSION
    vectors = start + np.arange(KEYS + 1)[:, None] * LARGEST_DIMENSION  # (17, 1)
    pairs = np.arange(0, dimension, 2)[None, :]
    radius = np.sqrt(-2 * np.log(uniform(seed, vectors + pairs)))  # (17, pairs)
    angle = 2 * np.pi * uniform(seed, vectors + pairs + 1)
    entries = np.stack((radius * np.cos(angle), radius * np.sin(angle)), axis=2)
    entries = entries.reshape(KEYS + 1, -1)[:, :dimension]  # (17, D_q)
    return entries[0], entries[1:].T


def uniform(seed: int, index: np.ndarray) -> np.ndarray:
    """Numbers strictly between 0 and 1, in steps of 2^-32."""
    hashed = _hash32(_hash32(index.astype(np.uint64)) + np.uint64(seed * 0x9E3779B9 % 2**32))
    return (hashed + 0.5) / 2.0**32


def _hash32(x: np.ndarray) -> np.ndarray:
    """A mixing function on 32-bit integers, held in 64 bits so that products do not overflow."""
    word = np.uint64(0xFFFFFFFF)
    x = x & word
    x = ((x ^ (x >> np.uint64(16))) * np.uint64(0x21F0AAAD)) & word
    x = ((x ^ (x >> np.uint64(15))) * np.uint64(0x735A2D97)) & word
    return x ^ (x >> np.uint64(15))
