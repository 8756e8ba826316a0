"""When cases begin and end: noised tallies of quarters and weeks from 1970 to 2100, and starts that fit both.

A case counts in the week and in the quarter (13 weeks) in which it begins, in those in which it ends, and in the hour
of the week at which it begins; all cases of a person are one vector of length 1. The quarters in a row that hold most
beyond the noise are the span; its weeks are estimated with the quarters as the prior.

How long each released case takes is known by then. A case that takes k weeks and begins in week s has a weight of
a(s) b(s + k), with a and b such that as many cases begin and end in each week as were estimated (iterative
proportional fitting): the most even way to do so. So about as many cases are under way at any time as in the log.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Ints
from ..core.calendar import Calendar
from ..core.clock import Grid
from ..core.week import HOURS_OF_WEEK, BusyClock
from ..privacy.random import Randomness
from .cases import Cases
from .draws import pick, spread_evenly
from .measurements import Measurements, Noisy
from .posterior import Rows, best_prior, posterior_mean
from .tallies import Vectors
from .weeks import cells_of_week, estimated_clock, hour_cells

FLOW_TALLY = "when cases begin and end"

_WEEKS, _QUARTER = 6_786, 13  # from 1970 to 2100
_QUARTERS = _WEEKS // _QUARTER
_OF_QUARTER, _OF_WEEK, _OF_HOUR = 0.35, 0.5, 0.5  # weights: of all five cells, one vector of length 1
_ROUNDS = 15  # of fitting
_UNSURE = 0.05  # of the number of cases
_TINY = 1e-9


class Flow(NamedTuple):
    """How many cases begin and end in each week of the span, and when in the week they begin."""

    first: int  # week of the span, since 1970
    starts: Floats
    ends: Floats
    clock: BusyClock | None  # of beginnings

    def begun(self, took: Floats, random: Randomness, calendar: Calendar | None = None) -> Floats:
        """When each case begins, in local hours since 1970; `took` says how many hours each takes.

        A calendar that is given takes the place of the hours that were tallied.
        """
        even = HOURS_OF_WEEK * spread_evenly(np.zeros(len(took), dtype=np.int64), 1, random)
        clock = self.clock if calendar is None else calendar.week
        within = even if clock is None else clock.local(even)
        weeks = np.minimum((within + took) // HOURS_OF_WEEK, _WEEKS).astype(np.int64)
        earlier = max(0, int(weeks.max()) + 1 - len(self.starts))  # longer cases began before the span
        before = np.full(earlier, _TINY)
        chosen = _weeks(np.append(before, self.starts), np.append(before, self.ends), weeks, random)
        began = self.first - earlier + chosen
        return began * HOURS_OF_WEEK + within if calendar is None else calendar.within(began, even / HOURS_OF_WEEK)


def measured_flow(cases: Cases, wanted: int, grid: Grid, measurements: Measurements) -> Flow:
    """The flow of so many cases."""
    hours = [grid.hours(each) for each in (cases.starts, cases.ends)]
    weeks = [np.clip(each // HOURS_OF_WEEK, 0, _WEEKS - 1).astype(np.int64) for each in hours]
    cells = [*(part for week in weeks for part in (week // _QUARTER, week)), hour_cells(hours[0], grid)]
    sizes = (_QUARTERS, _WEEKS, _QUARTERS, _WEEKS, cells_of_week(grid))
    weight = np.repeat((_OF_QUARTER, _OF_WEEK, _OF_QUARTER, _OF_WEEK, _OF_HOUR), sizes)
    first = np.cumsum((0, *sizes))
    cell = np.concatenate([first[i] + each for i, each in enumerate(cells)])
    noisy = measurements.tally(FLOW_TALLY, Vectors(cell, np.tile(cases.person, len(cells)), len(weight), weight))
    *numbers, hour = (
        Noisy(part / weight[at], noisy.deviation / weight[at])
        for part, at in zip(np.split(noisy.values, first[1:-1]), first, strict=False)
    )
    return _estimated(numbers, estimated_clock(*hour), wanted, by_person=cases.by_person)


def _estimated(numbers: list[Noisy], clock: BusyClock | None, wanted: int, *, by_person: bool) -> Flow:
    """The flow from noised numbers of starts by quarter and by week, and of ends."""
    quarters, weeks = numbers[::2], numbers[1::2]
    both = math.sqrt(2)
    first, after = _span(quarters[0].values + quarters[1].values, both * quarters[0].deviation)
    if by_person:
        error = quarters[0].deviation * math.sqrt(after - first)
        known = [float(each.values[first:after].sum()) for each in quarters]
        quarters = [each.scaled_to(wanted, all_, error) for each, all_ in zip(quarters, known, strict=True)]
        weeks = [each.scaled_to(wanted, all_, error) for each, all_ in zip(weeks, known, strict=True)]
    inner = slice(first * _QUARTER, after * _QUARTER)
    low, high = _span(weeks[0].values[inner] + weeks[1].values[inner], both * weeks[0].deviation)
    length = inner.stop - inner.start
    low, high = min(low, _QUARTER - 1), max(high, length - _QUARTER + 1)  # within the first and the last quarter
    starts, ends = (
        _by_week(quarter, week, slice(first, after), slice(low, high), wanted)
        for quarter, week in zip(quarters, weeks, strict=True)
    )
    return Flow(inner.start + low, starts, ends, clock)


def _by_week(quarters: Noisy, weeks: Noisy, span: slice, inner: slice, wanted: int) -> Floats:
    """How many cases there are in each week of the span, by its quarters and its weeks."""
    expected = np.maximum(quarters.values[span], quarters.deviation)
    shape = np.repeat(expected / (_QUARTER * expected.sum()), _QUARTER)[None, inner]
    values = weeks.values[span.start * _QUARTER : span.stop * _QUARTER][None, inner]
    total = np.array([float(wanted)])
    rows = Rows(values, np.full(values.shape, weeks.deviation), total, _UNSURE * total + 1)
    estimate: Floats = wanted * posterior_mean(rows, best_prior(rows, [shape]))[0]
    return estimate


def _weeks(starts: Floats, ends: Floats, took: Ints, random: Randomness) -> Ints:
    """The week in which each case begins, if it ends so many weeks later."""
    known, row = np.unique(took, return_inverse=True)
    cases = np.bincount(row).astype(np.float64)[:, None]
    last = np.arange(len(starts)) + known[:, None]
    possible, last = last < len(ends), np.minimum(last, len(ends) - 1)
    begin, end = starts + _TINY, ends + _TINY
    for _ in range(_ROUNDS):
        chance = np.where(possible, begin * end[last], 0)
        found = cases * chance / chance.sum(axis=1, keepdims=True)
        end = end * (ends + _TINY) / (np.bincount(last.ravel(), found.ravel(), len(ends)) + _TINY)
        chance = np.where(possible, begin * end[last], 0)
        found = cases * chance / chance.sum(axis=1, keepdims=True)
        begin = begin * (starts + _TINY) / (found.sum(axis=0) + _TINY)
    return pick(found, row, spread_evenly(row, len(known), random))[0]


def _span(numbers: Floats, deviation: float) -> tuple[int, int]:
    """The cells in a row that hold most, less a deviation of the noise for each: the first, and the one after.

    A single quarter that noise lifted is not worth the empty ones between it and the cases.

    >>> _span(np.array([0.0, 4.0, 0, 0, 0, 0, 0, 3, 9, 2, 0]), 1.0)
    (7, 10)
    """
    total = np.concatenate(([0.0], np.cumsum(numbers - deviation)))
    least = np.minimum.accumulate(total[:-1])
    after = int(np.argmax(total[1:] - least)) + 1
    return int(np.argmin(total[:after])), after
