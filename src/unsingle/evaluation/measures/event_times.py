"""When events happen in the life of the process: the absolute event distribution."""

from __future__ import annotations

from ...core.clock import HOUR
from ...core.log import EventLog
from ..context import Context
from ..scales import span_hours
from ..units import HOURS
from ..wasserstein import between
from .base import MEASURES, DistanceMeasure


class EventTimes(DistanceMeasure[float]):
    """Distance between the distributions of the times of all events, in hours."""

    name = "event_time_distance_hours"
    rank = 47
    title = "times of events"
    meaning = "How far apart the distributions of the times of all events lie (absolute event distribution)."
    unit = HOURS
    in_sweep = False

    def of(self, original: EventLog, release: EventLog, context: Context) -> float:
        """Compare the distributions."""
        return between(original.time, release.time) / HOUR

    def scale(self, original: EventLog) -> float:
        """The span of the log."""
        return span_hours(original)


EVENT_TIMES = EventTimes()
MEASURES.add(EVENT_TIMES)
