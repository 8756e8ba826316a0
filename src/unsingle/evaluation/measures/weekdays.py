"""On which days of the week events happen."""

from __future__ import annotations

import numpy as np

from ...core.log import EventLog
from ..context import Context
from ..units import SHARE
from .base import MEASURES, DistanceMeasure, Number, SweepTable


class Weekdays(DistanceMeasure[float]):
    """Total variation between the shares of the seven days of the week."""

    name = "weekday_distance"
    rank = 52
    title = "days of the week"
    meaning = "The share of events that would have to move to another day of the week."
    unit = SHARE
    numbers = (Number(name, "weekdays", SHARE, table=SweepTable.NONE),)

    def of(self, original: EventLog, release: EventLog, context: Context) -> float:
        """Compare the shares of days."""
        before, after = (week.sum(axis=1) / week.sum() for week in context.week)
        return float(np.abs(before - after).sum() / 2)


WEEKDAYS = Weekdays()
MEASURES.add(WEEKDAYS)
