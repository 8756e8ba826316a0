"""How far the starts of cases moved."""

from __future__ import annotations

from ...core.clock import HOUR
from ...core.log import EventLog
from ..context import Context
from ..scales import span_hours
from ..units import HOURS
from ..wasserstein import between
from .base import MEASURES, DistanceMeasure


class StartDistance(DistanceMeasure[float]):
    """Distance between the distributions of case starts, in hours."""

    name = "start_distance_hours"
    rank = 50
    title = "case starts"
    aspect = "starts of cases"
    meaning = "How far apart the distributions of case starts (case arrivals) lie."
    unit = HOURS
    in_sweep = False

    def of(self, original: EventLog, release: EventLog, context: Context) -> float:
        """Compare the distributions."""
        return start_distance(original, release)

    def scale(self, original: EventLog) -> float:
        """The span of the log."""
        return span_hours(original)


def start_distance(original: EventLog, release: EventLog) -> float:
    """Distance between the distributions of case starts, in hours."""
    return between(original.case_starts, release.case_starts) / HOUR


START_DISTANCE = StartDistance()
MEASURES.add(START_DISTANCE)
