"""When cases begin: a noised tally of quarters and weeks from 1970 to 2100, estimated and drawn from.

A case counts in its week and in the quarter (13 weeks) around it; all cases of a person are one vector of length 1.
The quarters in a row that hold most beyond the noise are the span; its weeks are estimated with the quarters as the
prior.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.arrays import Floats, Ints
from ..core.clock import Grid
from ..privacy.random import Randomness
from .cases import Cases
from .draws import pick, spread_evenly
from .measurements import Measurements
from .posterior import Rows, best_prior, posterior_mean
from .tallies import Vectors

START_TALLY = "when cases begin"

_WEEKS, _QUARTER = 6_786, 13  # from 1970 to 2100
_QUARTERS = _WEEKS // _QUARTER
_WEIGHTS = 0.6, 0.8  # of a quarter and of a week: one vector of length 1


def drawn_starts(cases: Cases, wanted: int, grid: Grid, measurements: Measurements, random: Randomness) -> Ints:
    """When each released case begins, in ticks."""
    week = np.clip(grid.ticks(cases.starts) // (7 * grid.day), 0, _WEEKS - 1)
    cell = np.concatenate((week // _QUARTER, _QUARTERS + week))
    weight = np.repeat(_WEIGHTS, (_QUARTERS, _WEEKS))
    noisy = measurements.tally(START_TALLY, Vectors(cell, np.tile(cases.person, 2), len(weight), weight))
    quarters = (noisy.values / weight)[:_QUARTERS]
    first, after = _span(quarters, noisy.deviation / _WEIGHTS[0])
    if cases.by_person:
        error = noisy.deviation / _WEIGHTS[0] * math.sqrt(after - first)
        noisy = noisy.scaled_to(wanted, quarters[first:after].sum(), error)
    quarters, weeks = (noisy.values / weight)[:_QUARTERS], (noisy.values / weight)[_QUARTERS:]
    expected = np.maximum(quarters[first:after], noisy.deviation / _WEIGHTS[0])
    shape = np.repeat(expected / (_QUARTER * expected.sum()), _QUARTER)[None]
    values = weeks[first * _QUARTER : after * _QUARTER][None]
    deviation = np.full(values.shape, noisy.deviation / _WEIGHTS[1])
    rows = Rows(values, deviation, np.array([float(wanted)]), np.array([0.05 * wanted + 1]))
    chosen, place = pick(
        posterior_mean(rows, best_prior(rows, [shape])),
        np.zeros(wanted, dtype=np.int64),
        spread_evenly(np.zeros(wanted, dtype=np.int64), 1, random),
    )
    return np.floor((first * _QUARTER + chosen + place) * 7 * grid.day).astype(np.int64)


def _span(quarters: Floats, deviation: float) -> tuple[int, int]:
    """The quarters in a row that hold most, less a deviation of the noise for each: the first, and the one after.

    A single quarter that noise lifted is not worth the empty ones between it and the cases.

    >>> _span(np.array([0.0, 4.0, 0, 0, 0, 0, 0, 3, 9, 2, 0]), 1.0)
    (7, 10)
    """
    total = np.concatenate(([0.0], np.cumsum(quarters - deviation)))
    least = np.minimum.accumulate(total[:-1])
    after = int(np.argmax(total[1:] - least)) + 1
    return int(np.argmin(total[:after])), after
