"""How far the durations of whole cases moved."""

from __future__ import annotations

from ...core.log import EventLog
from ..context import Context
from ..units import HOURS
from ..wasserstein import Distance, between, distance_of
from .base import MEASURES, DistanceMeasure, Number


class CaseDurationDistance(DistanceMeasure[Distance]):
    """Distance between the distributions of whole case durations."""

    name = "case_duration_distance"
    rank = 40
    title = "case durations"
    meaning = "How far apart the distributions of case durations (cycle times) lie."
    numbers = (Number("case_duration_distance_hours", title, HOURS, lambda value: value.hours, brief=False),)

    def of(self, original: EventLog, release: EventLog, context: Context) -> Distance:
        """Compare the distributions."""
        return case_duration_distance(original, release)

    def text(self, value: Distance) -> str:
        """The distance in words."""
        return str(value)


def case_duration_distance(original: EventLog, release: EventLog) -> Distance:
    """Distance between the distributions of whole case durations."""
    a, b = original.case_ends - original.case_starts, release.case_ends - release.case_starts
    return distance_of(between(a, b), float(a.mean()))


CASE_DURATION_DISTANCE = CaseDurationDistance()
MEASURES.add(CASE_DURATION_DISTANCE)
