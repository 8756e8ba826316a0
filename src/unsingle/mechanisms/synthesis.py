"""A released log from released paths: when each case begins, and how long each step takes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.arrays import Ints, running_maximum
from ..core.calendar import Calendar
from ..core.clock import HOUR, Grid
from ..core.log import EventLog, pairs
from ..privacy.random import Randomness
from .cases import Cases
from .durations import ReleasedSteps, Steps, drawn_durations
from .flow import measured_flow
from .measurements import Measurements
from .pace import DrawnSteps, at_the_pace_of_cases
from .paths import ReleasedPaths, steps_by_variant
from .rhythm import placed
from .tallies import summed
from .weeks import measured_clock


class ReleasedClock(NamedTuple):
    """The clock of a release: its grid and zone, and a public calendar if one was given."""

    grid: Grid
    calendar: Calendar | None = None


_TABLE = 1 << 22  # possible pairs for which a table is worth it


def synthesised(
    cases: Cases, paths: ReleasedPaths, clock: ReleasedClock, measurements: Measurements, random: Randomness
) -> EventLog:
    """The released log, its cases in the order of the released paths."""
    grid, calendar = clock
    labels = len(cases.labels)
    known, row = _numbered(pairs(paths.activity, labels)[paths.later], labels**2)
    ticks = _durations(cases, paths, (known, row), grid, measurements, random)
    ticks = at_the_pace_of_cases(DrawnSteps(ticks, row), cases, paths, grid, measurements, random)
    flow = measured_flow(cases, paths.cases, grid, measurements)
    working = measured_clock(cases, paths, grid, measurements) if calendar is None else calendar
    took = ticks.astype(np.float64) * (grid.step / HOUR)
    case = np.repeat(np.arange(paths.cases), np.diff(paths.offsets) - 1)
    begun = flow.begun(summed(took, case, paths.cases), random, calendar)
    time = grid.times_of_hours(placed(begun, took, row, paths, working))
    if "/" in grid.zone:  # where clocks change, the order of local times is not that of times
        time = running_maximum(time, paths.offsets)
    return EventLog(cases.labels, paths.activity.astype(np.int32), time, paths.offsets, grid.zone)


def _durations(
    cases: Cases, paths: ReleasedPaths, steps: tuple[Ints, Ints], grid: Grid, measurements: Measurements,
    random: Randomness,
) -> Ints:  # fmt: skip
    """How long each released step takes, in ticks, by its pair of activities."""
    labels, (known, row) = len(cases.labels), steps
    variance = np.zeros(len(known))
    if measurements.budget.terms.publishes_all_paths:
        variance = paths.variance * steps_by_variant(cases, known)
    wanted = ReleasedSteps(row, known // labels, known % labels, paths.cases, variance)
    return drawn_durations(_steps(cases, known, grid), wanted, grid, measurements, random)


def _steps(cases: Cases, known: Ints, grid: Grid) -> Steps:
    """The steps of the log between activities that follow each other in the release."""
    ticks = grid.ticks(cases.time)
    took = np.maximum(np.diff(ticks, prepend=ticks[:1]), 0)[cases.later]
    row = np.searchsorted(known, cases.pairs)
    there = np.flatnonzero(row < len(known))
    there = there[known[row[there]] == cases.pairs[there]]
    return Steps(row[there], took[there], cases.person_of_event[cases.later][there])


def _numbered(pair: Ints, possible: int) -> tuple[Ints, Ints]:
    """The distinct pairs in their order, and which of them each entry is.

    >>> [each.tolist() for each in _numbered(np.array([7, 2, 7]), 9)]
    [[2, 7], [1, 0, 1]]
    """
    if possible > _TABLE:
        return np.unique(pair, return_inverse=True)
    known = np.flatnonzero(np.bincount(pair, minlength=possible))
    number = np.zeros(possible, dtype=np.int64)
    number[known] = np.arange(len(known))
    return known, number[pair]  # a look into a table is faster than to sort
