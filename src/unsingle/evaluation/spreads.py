"""Quartiles and means of the values of many groups at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Floats, Ints, offsets_of

QUARTILES = (25, 50, 75)


@dataclass(frozen=True, eq=False)
class Spreads:
    """How many values each group has, their quartiles (one row a group) and means; NaN where there are none."""

    count: Ints
    quartiles: Floats
    mean: Floats


def spreads(group: Ints, values: Ints | Floats, n_groups: int) -> Spreads:
    """The spread of the values of each group.

    >>> spreads(np.array([1, 1, 1]), np.array([4.0, 2.0, 6.0]), 2).quartiles.tolist()
    [[nan, nan, nan], [3.0, 4.0, 5.0]]
    """
    count = np.bincount(group, minlength=n_groups)
    order, edges = np.lexsort((values, group)), offsets_of(count)
    quartiles, mean = np.full((n_groups, len(QUARTILES)), np.nan), np.full(n_groups, np.nan)
    for number in np.flatnonzero(count).tolist():
        own = values[order[edges[number] : edges[number + 1]]]
        quartiles[number], mean[number] = np.percentile(own, QUARTILES), own.mean()
    return Spreads(count, quartiles, mean)
