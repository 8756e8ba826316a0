"""64-bit mixing for grouping equal sequences. Speed only: whatever is grouped by a hash is verified exactly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]


def mix(words: NDArray[np.integer]) -> Words:
    """Scatter integers over all 64 bits (the finaliser of splitmix64).

    >>> len(set(mix(np.arange(1000)).tolist()))
    1000
    """
    z = words.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def mix_pair(first: NDArray[np.integer], second: NDArray[np.integer], salt: int) -> Words:
    """Scatter pairs of integers; another salt gives unrelated values."""
    return mix(mix(second.astype(np.uint64) + mix(np.array([salt]))) + first.astype(np.uint64))
