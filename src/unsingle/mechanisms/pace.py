"""How long whole cases take: fast cases are fast throughout.

Steps that are drawn by pair of activities, each by itself, make all cases alike: those with many quick steps also get
their share of slow ones. So a noised tally says how long cases take from begin to end, one cell for each case. Released
cases get durations of that distribution, in the order of what their steps came to; and then the steps of each pair
are exchanged between cases until the sums are about those durations. What each pair has, all together, stays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Ints, order_within
from ..core.clock import Grid
from ..privacy.random import Randomness
from .bins import Scale, cut_octaves
from .cases import Cases
from .draws import pick
from .measurements import Measurements
from .paths import ReleasedPaths
from .posterior import Rows, best_prior, posterior_median
from .tallies import Vectors, summed

CASE_TALLY = "how long cases take"

_PARTS = 8  # of an octave
_STRENGTHS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
_LIKE_ITS_NEIGHBOURS = 0.05  # of the expected shape is spread over nearby bins
_UNSURE = 0.02  # of the number of cases
_ROUNDS = 4  # of exchanges
_TINY = 1e-6


class DrawnSteps(NamedTuple):
    """How long each released step takes, in ticks, and which pair of activities it is of."""

    took: Ints
    row: Ints


def at_the_pace_of_cases(
    steps: DrawnSteps, cases: Cases, paths: ReleasedPaths, grid: Grid, measurements: Measurements, random: Randomness
) -> Ints:
    """How long each released step takes once the steps of each pair are exchanged between cases."""
    took, row = steps
    case = np.repeat(np.arange(paths.cases), np.diff(paths.offsets) - 1)
    whole = summed(took, case, paths.cases)
    wanted = _durations(whole, cases, grid, measurements, random)
    ordered = took[order_within(row, took.astype(np.float64))]
    score = took.astype(np.float64) + 1
    for _ in range(_ROUNDS):
        score *= ((wanted + 1) / (summed(took, case, paths.cases) + 1))[case]
        exchanged = np.empty_like(took)
        exchanged[order_within(row, score)] = ordered
        took = exchanged
    return took


def _durations(whole: Floats, cases: Cases, grid: Grid, measurements: Measurements, random: Randomness) -> Floats:
    """How long each released case should take, by the tally; `whole` is what its steps came to."""
    scale = cut_octaves(grid, _PARTS)
    took = np.maximum(grid.ticks(cases.ends) - grid.ticks(cases.starts), 0)  # below, where clocks went back meanwhile
    vectors = Vectors(scale.bin_of(took), cases.person, scale.bins)
    noisy = measurements.tally(CASE_TALLY, vectors)
    wanted = len(whole)
    if cases.by_person:
        noisy = noisy.scaled_to(wanted, noisy.values.sum(), noisy.deviation * np.sqrt(scale.bins))
    total = np.array([float(wanted)])
    rows = Rows(noisy.values[None], np.full((1, scale.bins), noisy.deviation), total, _UNSURE * total + 1)
    prior = best_prior(rows, [_expected(whole, scale)], _STRENGTHS)
    place = np.empty(wanted)
    place[np.argsort(whole, kind="stable")] = (np.arange(wanted) + 0.5) / wanted
    cell, within = pick(posterior_median(rows, prior, random), np.zeros(wanted, dtype=np.int64), place)
    low, high = (scale.edges[cell + end].astype(np.float64) for end in (0, 1))
    return np.where(low > 0, low * (high / np.maximum(low, 1)) ** within, 0)


def _expected(whole: Floats, scale: Scale) -> Floats:
    """What steps drawn each by itself come to: the prior."""
    shape = np.bincount(scale.bin_of(whole.astype(np.int64)), minlength=scale.bins) / len(whole)
    near = np.convolve(shape, np.ones(2 * _PARTS + 1) / (2 * _PARTS + 1), "same")
    mixed = (1 - _LIKE_ITS_NEIGHBOURS) * shape + _LIKE_ITS_NEIGHBOURS * near + _TINY
    return (mixed / mixed.sum())[None]
