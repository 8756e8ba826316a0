"""A released log from released paths: when each case begins, and how long each step takes."""

from __future__ import annotations

import numpy as np

from ..core.arrays import Ints, running_maximum, running_sum
from ..core.clock import Grid
from ..core.log import EventLog, pairs
from ..privacy.random import Randomness
from .cases import Cases
from .durations import ReleasedSteps, Steps, drawn_durations
from .measurements import Measurements
from .paths import ReleasedPaths, steps_by_variant
from .starts import drawn_starts

_TABLE = 1 << 22  # possible pairs for which a table is worth it


def synthesised(
    cases: Cases, paths: ReleasedPaths, grid: Grid, measurements: Measurements, random: Randomness
) -> EventLog:
    """The released log, its cases in the order of the released paths."""
    begin = drawn_starts(cases, paths.cases, grid, measurements, random)
    ticks = np.zeros(len(paths.activity), dtype=np.int64)
    ticks[paths.later] = _durations(cases, paths, grid, measurements, random)
    since = running_sum(np.minimum(ticks, 2**62 // int(np.diff(paths.offsets).max())), paths.offsets)
    time = grid.times(np.repeat(begin, np.diff(paths.offsets)) + since)
    if grid.may_go_back:
        time = running_maximum(time, paths.offsets)
    return EventLog(cases.labels, paths.activity.astype(np.int32), time, paths.offsets, grid.zone)


def _durations(cases: Cases, paths: ReleasedPaths, grid: Grid, measurements: Measurements, random: Randomness) -> Ints:
    """How long each released step takes, by its pair of activities."""
    labels = len(cases.labels)
    known, row = _numbered(pairs(paths.activity, labels)[paths.later], labels**2)
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
