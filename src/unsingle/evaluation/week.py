"""Events by the hours of the week, on the clock of a log's own zone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Ints
from ..core.clock import HOUR, zone_offsets
from ..core.log import EventLog

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_FIRST_DAY = 3  # 1970 began on a Thursday
_HOURS = 24 * len(DAYS)


@dataclass(frozen=True)
class WeekHour:
    """An hour of the week, and the share of all events in it, before and after."""

    day: str
    hour: int
    before: float
    after: float


def week_hours(before: Ints, after: Ints) -> tuple[WeekHour, ...]:
    """The hours of two weeks side by side, from Monday at midnight on."""
    shares = [(week / week.sum()).ravel().tolist() for week in (before, after)]
    hours = ((day, hour) for day in DAYS for hour in range(24))
    return tuple(WeekHour(*each, *both) for each, *both in zip(hours, *shares, strict=True))


def hours_of_week(log: EventLog, zone: str) -> Ints:
    """How many events there are in each hour of the week: a row for each day from Monday, a column for each hour.

    >>> log = EventLog.from_events(np.array([1]), np.array([0]), np.array([10 * HOUR]), ["A"])
    >>> [place.tolist() for place in np.nonzero(hours_of_week(log, "+02:00"))]  # Thursday, from 12 to 13
    [[3], [12]]
    """
    hour = ((log.time + zone_offsets(zone, log.time)) // HOUR + 24 * _FIRST_DAY) % _HOURS
    return np.bincount(hour, minlength=_HOURS).reshape(len(DAYS), 24)
