"""The clock of a release: its zone, and which of five grids times lie on, by noised tallies, never read off the log.

One person at 12:00:01 among whole minutes would show if the grid were the coarsest that all times lie on. So every case
names the coarsest grid that it lies on, in one cell of a tally; the release has the coarsest on which nearly all cases
lie, and what does not fit is rounded.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.arrays import Ints
from ..core.clock import DAY, GRIDS, HOUR, Grid, utc_offset_text, zone_offsets, zone_with_offsets
from ..core.columns import UTC_OFFSET
from ..core.log import EventLog
from .cases import Cases, persons_of
from .measurements import Measurements
from .tallies import Vectors

ZONE_TALLY, GRID_TALLY = "which zone the clock is in", "which grid times lie on"

_HOURS = 24
_QUARTER, _QUARTERS = 15, 72  # offsets from UTC, in minutes: from -18:00 to +18:00
_STEPS = tuple(GRIDS.values())
_FEW = 0.01  # of the cases may be rounded
_STANDS_OUT = 6.0  # deviations
_UNKNOWN = GRIDS["second"]  # the grid of a log that is too small to show its own


def measured_zone(log: EventLog, total: int, measurements: Measurements) -> str:
    """The zone of the release: that of the log where it was given, else by the offsets that cases were written with."""
    written = log.column(UTC_OFFSET)
    if written is None:
        return log.zone
    cell = np.clip(written.values.astype(np.int64) // _QUARTER + _QUARTERS, 0, 2 * _QUARTERS)
    noisy = measurements.tally(ZONE_TALLY, Vectors(cell, persons_of(log), 2 * _QUARTERS + 1))
    many = noisy.values > max(_FEW * total, _STANDS_OUT * noisy.deviation)
    return zone_with_offsets(((np.flatnonzero(many) - _QUARTERS) * _QUARTER).tolist())


def measured_grid(cases: Cases, zone: str, total: int, measurements: Measurements) -> Grid:
    """The grid of the release; `total` is the noised number of cases."""
    noisy = measurements.tally(GRID_TALLY, Vectors(own_grid(cases, zone), cases.person, len(_STEPS) + _HOURS))
    grids, midnights = noisy.values[: len(_STEPS)], noisy.values[len(_STEPS) :]
    if noisy.values.max() < _STANDS_OUT * noisy.deviation:
        return Grid(_UNKNOWN, zone)
    few = max(_FEW * total, _STANDS_OUT * noisy.deviation)
    hour = int(np.argmax(midnights))
    if midnights[hour] > few and grids[1:].sum() + midnights.sum() - midnights[hour] < few * math.sqrt(_HOURS):
        return Grid(DAY, utc_offset_text((-hour if hour <= _HOURS // 2 else _HOURS - hour) * HOUR))
    grids[_STEPS.index(HOUR)] += max(0.0, midnights.max())
    finer = np.append(np.cumsum(grids[:0:-1])[::-1], 0)  # cases that need a finer grid than this
    return Grid(_STEPS[int(np.argmax(finer < few))], zone)


def own_grid(cases: Cases, zone: str) -> Ints:
    """The coarsest grid that each case lies on: its place among the five, or 5 + h for one moment of the day, h:00 UTC.

    Some logs keep their days at one moment of UTC, through the summer's clock.
    """
    time, first = cases.time, cases.offsets[:-1]
    if not cases.count:
        return np.empty(0, dtype=np.int64)
    local = time + zone_offsets(zone, time)
    own = np.full(cases.count, len(_STEPS) - 1)
    for place in reversed(range(len(_STEPS) - 1)):
        on_grid = ~np.logical_or.reduceat(local % _STEPS[place] != 0, first)
        own[on_grid] = place
    of_day = time % DAY
    same = np.minimum.reduceat(of_day, first) == np.maximum.reduceat(of_day, first)
    kept = same & (of_day[first] % HOUR == 0) & (own > 0)
    own[kept] = len(_STEPS) + of_day[first][kept] // HOUR
    return own
