"""Draws from estimated distributions, spread evenly, so that chance adds as little as it can to the noise."""

from __future__ import annotations

import numpy as np

from ..core.arrays import Floats, Ints, offsets_of, stable_order
from ..privacy.random import Randomness


def spread_evenly(row: Ints, rows: int, random: Randomness) -> Floats:
    """A place in (0, 1) for each entry, so that those of a row cover it evenly, in random order.

    >>> places = spread_evenly(np.array([0, 0, 1, 0]), 2, Randomness(1))
    >>> np.sort((places[[0, 1, 3]] * 3).astype(int)).tolist()
    [0, 1, 2]
    """
    times = np.bincount(row, minlength=rows)
    shuffled = random.permutation(len(row))
    rank = np.empty(len(row), dtype=np.int64)
    rank[shuffled[stable_order(row[shuffled])]] = np.arange(len(row))
    rank -= offsets_of(times)[row]
    return (rank + random.uniform(rows)[row]) / times[row]


def pick(shape: Floats, row: Ints, place: Floats) -> tuple[Ints, Floats]:
    """The cell at each place of a row's distribution, and the place within that cell."""
    cells = shape.shape[1]
    below = np.cumsum(shape, axis=1)
    below /= np.maximum(below[:, -1:], 1e-12)
    apart = 2.0 * np.arange(len(shape))  # rows lie 2 apart, one after the other
    cell = np.searchsorted((below + apart[:, None]).ravel(), place + apart[row], side="right") - row * cells
    first, last = np.argmax(shape > 0, axis=1), cells - 1 - np.argmax(shape[:, ::-1] > 0, axis=1)
    cell = np.clip(cell, first[row], last[row])  # never beyond what is possible, whatever was rounded
    start = np.where(cell > 0, below[row, np.maximum(cell - 1, 0)], 0)
    return cell, np.clip((place - start) / np.maximum(below[row, cell] - start, 1e-12), 0, 1 - 1e-12)
