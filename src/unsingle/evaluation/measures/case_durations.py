"""How far the durations of whole cases moved."""

from __future__ import annotations

from ...core.log import EventLog
from ..context import Context
from ..scales import mean_case_hours
from ..units import HOURS
from ..wasserstein import Distance, between, distance_of
from .base import MEASURES, DistanceMeasure, Number, SweepTable


class CaseDurationDistance(DistanceMeasure[Distance]):
    """Distance between the distributions of whole case durations."""

    name = "case_duration_distance"
    rank = 40
    title = "case durations"
    aspect = "durations of cases"
    meaning = "How far apart the distributions of case durations (cycle times) lie."
    unit = HOURS
    numbers = (Number("case_duration_distance_hours", title, HOURS, lambda value: value.hours, table=SweepTable.FLOW),)

    def of(self, original: EventLog, release: EventLog, context: Context) -> Distance:
        """Compare the distributions."""
        return case_duration_distance(original, release)

    def scale(self, original: EventLog) -> float:
        """The mean duration of a case."""
        return mean_case_hours(original)

    def text(self, value: Distance) -> str:
        """The distance in words."""
        return str(value)


def case_duration_distance(original: EventLog, release: EventLog) -> Distance:
    """Distance between the distributions of whole case durations."""
    a, b = original.case_ends - original.case_starts, release.case_ends - release.case_starts
    return distance_of(between(a, b), float(a.mean()))


CASE_DURATION_DISTANCE = CaseDurationDistance()
MEASURES.add(CASE_DURATION_DISTANCE)
