"""The hours of the week: a noised tally of when events fall, estimated as far as it stands out of the noise.

A case counts once in an hour of the week for each of its events but the first (when it begins is tallied in `flow`).
Hours are those of the zone and of the grid of the release, both of which are given or noised; on a grid of days there
are seven cells.

The week is taken apart into what is orthogonal, and the same for all logs: how days differ, how the hours of working
days differ, how those of weekends do, and what is left. Each part is kept only where it clearly stands out of the
noise, and then shrunk by the share of it that the noise is expected to make up (James and Stein): so where the noise
is strong there are fewer different hours, and where no rhythm shows, none.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.arrays import Flags, Floats, Ints
from ..core.clock import DAY, Grid
from ..core.week import HOURS_OF_WEEK, WEEKEND, BusyClock
from .cases import Cases
from .measurements import Measurements
from .paths import ReleasedPaths
from .tallies import Vectors

WEEK_TALLY = "which hours of the week events fall in"

_STANDS_OUT = 4.0  # deviations of the length that noise alone has
_CLIPPED = 0.1  # of the cases
_LEAST = 0.02  # of the mean: no hour has less work


def measured_clock(cases: Cases, paths: ReleasedPaths, grid: Grid, measurements: Measurements) -> BusyClock | None:
    """The clock that runs as events fall within the week; None where the noise hides whether they have a rhythm.

    How long vectors are is known well enough from the lengths of released paths: longer ones are clipped.
    """
    cell = hour_cells(grid.hours(cases.time[cases.later]), grid)
    vectors = Vectors(cell, cases.person_of_event[cases.later], cells_of_week(grid))
    clip = math.sqrt(float(np.quantile(np.diff(paths.offsets), 1 - _CLIPPED)))
    noisy = measurements.tally(WEEK_TALLY, vectors, clip)
    return estimated_clock(noisy.values, noisy.deviation)


def cells_of_week(grid: Grid) -> int:
    """How many cells the week has: hours, or days."""
    return 7 if grid.step >= DAY else HOURS_OF_WEEK


def hour_cells(hours: Floats, grid: Grid) -> Ints:
    """The cell of the week of each moment, in local hours."""
    within = np.floor(hours % HOURS_OF_WEEK).astype(np.int64)
    return within * cells_of_week(grid) // HOURS_OF_WEEK


def estimated_clock(noised: Floats, deviation: float) -> BusyClock | None:
    """The clock of a noised week, by hours or by days; None where nothing stands out of the noise."""
    total = float(noised.sum())
    if total <= _STANDS_OUT * deviation * math.sqrt(len(noised)):
        return None
    even = total / len(noised)
    kept = [_kept(part, freedom, deviation) for part, freedom in _parts(noised - even)]
    if not any(part.any() for part in kept):
        return None
    week = np.maximum(even + sum(kept), _LEAST * even).ravel()
    return BusyClock.of(np.repeat(week, HOURS_OF_WEEK // len(week)))


def _parts(week: Floats) -> list[tuple[Floats, int]]:
    """The orthogonal parts of a week without its mean (day by hour), each with its dimensions."""
    days = week.reshape(7, -1)
    hours = days.shape[1]
    of_day = np.repeat(days.mean(axis=1, keepdims=True), hours, axis=1)
    weekend: Flags = np.isin(np.arange(7), WEEKEND)
    usual = [
        np.where(some[:, None], (days - of_day)[some].mean(axis=0), 0) for some in (~weekend, weekend)
    ]  # hours of working days, and of weekends
    rest = days - of_day - usual[0] - usual[1]
    return [(of_day, 6), *((each, hours - 1) for each in usual), (rest, 5 * (hours - 1))]


def _kept(part: Floats, freedom: int, deviation: float) -> Floats:
    """A part as far as it stands out of noise of this deviation in each cell."""
    square, noise = float((part**2).sum()), freedom * deviation**2
    if square <= noise + _STANDS_OUT * math.sqrt(2 * freedom) * deviation**2:
        return np.zeros_like(part)
    return part * (1 - noise / square)
