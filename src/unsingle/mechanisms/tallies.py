"""What each person contributes to a tally: a vector of length at most 1, bit for bit from that person alone.

A person's vector counts how often their cases, all together, have which cell (a step, a duration, a week), each cell
with a weight that is known beforehand. It is divided by its own Euclidean length, so that it has length 1, or by
`clip`, if that is longer: then short vectors count less, and what they hold can be read off the sums in its own unit.
It is rounded down to whole parts of `UNIT`.
"""

from __future__ import annotations

import numpy as np

from ..core.arrays import Floats, Ints
from ..privacy.budget import UNIT

_SHORT = 1 - 1e-9  # a little short of the unit, so that no rounding of floating-point numbers makes a vector too long


class Vectors:
    """One sparse vector for each person who has any cell: entry i is `amount[i]` in cell `cell[i]` of `owner[i]`.

    >>> vectors = Vectors(np.array([0, 1, 1]), np.array([0, 0, 7]), 2)
    >>> (vectors.total() / UNIT).round(2).tolist()
    [0.71, 1.71]
    >>> (vectors.total(clip=2.0) / UNIT).round(2).tolist()
    [0.5, 1.0]
    """

    def __init__(self, cell: Ints, person: Ints, n_cells: int, weight: Floats | None = None) -> None:
        assert cell.min(initial=0) >= 0, "a cell is a place from 0 on"
        assert cell.max(initial=-1) < n_cells, "no cell beyond those that are noised"
        self.n_cells = n_cells
        key, times = np.unique(person * n_cells + cell, return_counts=True)
        self.cell = key % max(1, n_cells)  # there may be no cell at all: of values that nobody has
        self.amount: Floats = times * (1.0 if weight is None else weight[self.cell])
        self.owner = _numbered(key // max(1, n_cells))
        self.length: Floats = np.sqrt(np.bincount(self.owner, weights=self.amount**2))

    def total(self, clip: float = 0.0) -> Ints:
        """The sum of all vectors, each divided by its length or by `clip`, whichever is longer, in parts of `UNIT`."""
        scale = UNIT * _SHORT / np.maximum(self.length, clip)
        parts = np.floor(self.amount * scale[self.owner]).astype(np.int64)
        total = np.zeros(self.n_cells, dtype=np.int64)
        np.add.at(total, self.cell, parts)
        return total


def summed(values: Floats | Ints, group: Ints, groups: int) -> Floats:
    """The sum of the values of each group.

    >>> summed(np.array([1.0, 2.0, 4.0]), np.array([1, 0, 1]), 3).tolist()
    [2.0, 5.0, 0.0]
    """
    return np.bincount(group, weights=values, minlength=groups).astype(np.float64)


def _numbered(ordered: Ints) -> Ints:
    """Number the distinct values of an ordered array from 0."""
    return np.cumsum(np.diff(ordered, prepend=ordered[:1]) != 0) if len(ordered) else ordered
