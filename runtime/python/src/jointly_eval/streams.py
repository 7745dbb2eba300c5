"""Random numbers that seeds and draws decide."""

import numpy as np


def rng(seed: int, *indices: int) -> np.random.Generator:
    """Returns a generator that the seed and the indices decide: `rng(seed, draw)` for the function of a draw."""
    return np.random.default_rng([int(seed), *(int(index) for index in indices)])


def seed32(seed: int, *indices: int) -> int:
    """Returns a seed below 2**31, as scikit-learn and JAX take it, that the seed and the indices decide."""
    return int(rng(seed, *indices).integers(2**31))
