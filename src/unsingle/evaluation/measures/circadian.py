"""At which hours of the day events happen, weekday by weekday: the circadian event distribution."""

from __future__ import annotations

import numpy as np

from ...core.arrays import Floats, Ints
from ...core.log import EventLog
from ..context import Context
from ..units import HOURS
from .base import MEASURES, DistanceMeasure, Number, Plot, SweepTable

_FARTHEST = 23.0  # hours, from the first of a day to its last


class HoursOfDay(DistanceMeasure[float]):
    """Wasserstein distance between the hours of the day of the events of each weekday, averaged over the seven.

    A weekday on which only one of the logs has events counts as if all of its events were 23 hours off.
    """

    name = "circadian_hours"
    rank = 51
    title = "hours of the day"
    meaning = "How far events moved within the day, on average over Mondays, Tuesdays and so on (circadian distance)."
    unit = HOURS
    numbers = (
        Number(
            name,
            "hours of day",
            HOURS,
            plot=Plot("How far events move within the day", meaning, "hours"),
            table=SweepTable.FLOW,
        ),
    )

    def of(self, original: EventLog, release: EventLog, context: Context) -> float:
        """Compare the weekdays of both."""
        return circadian_distance(*context.week)

    def scale(self, original: EventLog) -> float:
        """A day."""
        return 24.0


def circadian_distance(before: Ints, after: Ints) -> float:
    """The distance in hours between two weeks, with a row of hours for each day.

    >>> week = np.eye(7, 24, dtype=np.int64)
    >>> circadian_distance(week, np.roll(week, 3, axis=1))
    3.0
    """
    distance = np.abs(_below(before) - _below(after)).sum(axis=1)
    has_before, has_after = before.any(axis=1), after.any(axis=1)
    distance[has_before != has_after] = _FARTHEST
    return float(distance.mean())


def _below(week: Ints) -> Floats:
    """The share of each day's events up to the end of each hour; 0 on days without events."""
    total = week.sum(axis=1, keepdims=True)
    return np.cumsum(week, axis=1) / np.maximum(1, total)


HOURS_OF_DAY = HoursOfDay()
MEASURES.add(HOURS_OF_DAY)
