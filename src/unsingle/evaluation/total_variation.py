"""Total variation between distributions of values, for many groups at once."""

from __future__ import annotations

import numpy as np

from ..core.arrays import Floats, Ints, dense


def total_variation(group_a: Ints, a: Ints, group_b: Ints, b: Ints, n_groups: int) -> Floats:
    """Half the sum of the differences of shares of values, for each group: the share that would have to change.

    A group that b lost counts as 1: all of it would have to change; NaN where a has none.

    >>> zeros = np.zeros(4, dtype=np.int64)
    >>> total_variation(zeros, np.array([7, 7, 8, 9]), zeros[:2], np.array([7, 8]), 1).tolist()
    [0.25]
    """
    n_values = int(max(a.max(initial=0), b.max(initial=0))) + 1
    key = np.concatenate((group_a * n_values + a, group_b * n_values + b))
    cell = dense(key)
    group = np.zeros(int(cell.max(initial=-1)) + 1, dtype=np.int64)
    group[cell] = key // n_values
    gap = np.abs(_shares(cell[: len(a)], group, n_groups) - _shares(cell[len(a) :], group, n_groups))
    distance = np.bincount(group, weights=gap, minlength=n_groups) / 2
    distance[np.bincount(group_b, minlength=n_groups) == 0] = 1
    distance[np.bincount(group_a, minlength=n_groups) == 0] = np.nan
    return distance


def _shares(cell: Ints, group: Ints, n_groups: int) -> Floats:
    """The share that each cell has of its group; 0 where the group is empty."""
    count = np.bincount(cell, minlength=len(group))
    size = np.bincount(group, weights=count, minlength=n_groups)[group]
    return np.divide(count, size, out=np.zeros(len(group)), where=size > 0)


def averaged(distance: Floats, weight: Ints) -> float:
    """The mean over groups by their weight in the original; 0 if it has none.

    >>> averaged(np.array([1.0, 0.0, np.nan]), np.array([1, 3, 0]))
    0.25
    """
    known = weight > 0
    return float(np.average(distance[known], weights=weight[known])) if known.any() else 0.0


def mean_total_variation(group_a: Ints, a: Ints, group_b: Ints, b: Ints, n_groups: int) -> float:
    """The mean over all groups, by how often a has them."""
    weight = np.bincount(group_a, minlength=n_groups)
    return averaged(total_variation(group_a, a, group_b, b, n_groups), weight)
