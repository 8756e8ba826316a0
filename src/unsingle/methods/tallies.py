"""Noised counts of what cases contain: a unit of weight for each case, Gaussian noise, and shapes out of it (strict).

*Mechanism.* Each case has a vector of counts (how often it has which step, or which duration). It is scaled to
length 1 in the Euclidean sense and rounded down to whole parts of a unit; the vectors of all cases are added up, and to
every sum, whether some case has it or not, discrete Gaussian noise of deviation s units is added.

*Sensitivity.* One case more adds one vector of length at most 1. *Cost.* rho = 1 / (2 s^2) (Canonne, Kamath and Steinke
2020, for whole numbers in several dimensions). What is made of the noised sums does not look at the log again.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..ragged import Ints
from ..randomness import Randomness

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

UNIT = 1 << 14
"""A case's weight of 1 in whole parts."""


class Noisy(NamedTuple):
    """Noised sums, in cases, and the deviation of their noise."""

    values: Floats
    deviation: float


def tally(cell: Ints, case: Ints, n_cells: int, weight: Floats | None = None) -> Ints:
    """The sum of the cases' vectors, in parts of `UNIT`; an entry is a case and a cell, and counts by its weight.

    >>> (tally(np.array([0, 1, 1]), np.array([0, 0, 7]), 2) / UNIT).round(2).tolist()
    [0.71, 1.71]
    """
    assert cell.min(initial=0) >= 0, "a cell is a place from 0 on"
    assert cell.max(initial=0) < n_cells, "no cell beyond those that are noised"
    key, which = np.unique(case * n_cells + cell, return_inverse=True)
    amount = np.bincount(which, weights=weight, minlength=len(key)).astype(np.float64)
    owner = np.unique(key // n_cells, return_inverse=True)[1] if len(key) else key
    length = np.sqrt(np.bincount(owner, weights=amount**2))
    # a little short of the unit, so that no rounding of floating-point numbers makes a vector too long
    parts = np.floor(amount / length[owner] * UNIT * (1 - 1e-12)).astype(np.int64)
    total = np.zeros(n_cells, dtype=np.int64)
    np.add.at(total, key % n_cells, parts)
    return total


def deviation(rho: float) -> int:
    """The deviation of the noise for this rho, in parts of `UNIT`, rounded up."""
    return math.ceil(UNIT / math.sqrt(2 * rho))


def noised(total: Ints, rho: float, random: Randomness) -> Noisy:
    """Add the noise."""
    s = deviation(rho)
    return Noisy((total + random.discrete_gaussian(s, len(total))) / UNIT, s / UNIT)


def shapes(noisy: Floats, deviation: Floats, prior: Floats, sure: float) -> Floats:
    """A distribution for each row of noised counts: as fine as the noise allows, like the prior where it does not.

    The cells of a row are halved again and again. A half whose sum is above `sure` deviations of its noise is believed,
    and the mass is shared between believed halves; where neither is, it is shared as by the prior. Single cells that
    stand out of the noise by chance get no mass that way, and tails that are thin but long are seen.

    >>> shapes(np.array([[0., 1., 90., 1.]]), np.full((1, 4), 5.), np.full((1, 4), .25), 3).tolist()
    [[0.0, 0.0, 1.0, 0.0]]
    >>> shapes(np.array([[2., 0., 1., 1.]]), np.full((1, 4), 5.), np.array([[.1, .2, .3, .4]]), 3).round(2).tolist()
    [[0.1, 0.2, 0.3, 0.4]]
    """
    rows, cells = noisy.shape
    assert cells & (cells - 1) == 0, "cells can be halved"
    possible = prior > 0
    levels = [(np.where(possible, noisy, 0), np.where(possible, deviation**2, 0), prior)]
    while levels[-1][0].shape[1] > 1:
        levels.append(tuple(each.reshape(rows, -1, 2).sum(axis=2) for each in levels[-1]))
    total, variance, _ = levels.pop()
    mass, believed = np.ones((rows, 1)), total > sure * np.sqrt(variance)
    for values, variance, expected in reversed(levels):
        halves, noise, like = (each.reshape(rows, -1, 2) for each in (values, np.sqrt(variance), expected))
        seen = np.where((halves > sure * noise) & (noise > 0) & believed[:, :, None], halves, 0)
        any_seen = seen.sum(axis=2, keepdims=True) > 0
        mass = (mass[:, :, None] * _shares(np.where(any_seen, seen, like))).reshape(rows, -1)
        believed = (seen > 0).reshape(rows, -1)
    return mass / mass.sum(axis=1, keepdims=True)


def _shares(pairs: Floats) -> Floats:
    whole = pairs.sum(axis=2, keepdims=True)
    return np.divide(pairs, whole, out=np.zeros_like(pairs), where=whole > 0)


def believable(noisy: Noisy, false_share: float) -> Floats:
    """The noised counts with 0 for those that may be noise: among the others at most this share is, on average.

    >>> believable(Noisy(np.array([0.5, 9.0, -1.0]), 1.0), 0.1).tolist()
    [0.0, 9.0, 0.0]
    """
    standing = np.sort(noisy.values / noisy.deviation)
    n = len(standing)
    for sigmas in np.arange(1.5, 9, 0.02).tolist():
        above = n - np.searchsorted(standing, sigmas)
        if n * math.erfc(sigmas / math.sqrt(2)) / 2 <= false_share * above:
            return np.where(noisy.values >= sigmas * noisy.deviation, noisy.values, 0)
    return np.zeros(n)


def draw(shape: Floats, row: Ints, random: Randomness) -> Ints:
    """A cell for each entry, by the shape of its row."""
    cells = shape.shape[1]
    below = np.cumsum(shape, axis=1) + np.arange(len(shape))[:, None] * 2  # rows lie 2 apart, one after the other
    found = np.searchsorted(
        below.ravel(), row * 2 + random.uniform(len(row)) * (below[row, -1] - row * 2), side="right"
    )
    last = cells - 1 - np.argmax(shape[:, ::-1] > 0, axis=1)  # never beyond what is possible, whatever was rounded
    return np.minimum(found - row * cells, last[row])
