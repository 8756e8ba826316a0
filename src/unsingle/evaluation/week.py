"""Events by the hours of the week, on the clock of a log's own zone."""

from __future__ import annotations

import numpy as np

from ..core.arrays import Ints
from ..core.clock import HOUR, zone_offsets
from ..core.log import EventLog

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_FIRST_DAY = 3  # 1970 began on a Thursday
_HOURS = 24 * len(DAYS)


def hours_of_week(log: EventLog, zone: str) -> Ints:
    """How many events there are in each hour of the week: a row for each day from Monday, a column for each hour.

    >>> log = EventLog.from_events(np.array([1]), np.array([0]), np.array([10 * HOUR]), ["A"])
    >>> [place.tolist() for place in np.nonzero(hours_of_week(log, "+02:00"))]  # Thursday, from 12 to 13
    [[3], [12]]
    """
    hour = ((log.time + zone_offsets(zone, log.time)) // HOUR + 24 * _FIRST_DAY) % _HOURS
    return np.bincount(hour, minlength=_HOURS).reshape(len(DAYS), 24)
