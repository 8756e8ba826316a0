"""The share of events in office hours, before and after."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.arrays import Ints
from ...core.clock import DAY
from ...core.log import EventLog, grid_of
from ...core.wording import percent
from ..context import Context
from ..units import SHARE
from .base import MEASURES, DistanceMeasure, Number, SweepTable

_FROM, _UNTIL = 8, 18
_WORKDAYS = 5


@dataclass(frozen=True)
class OfficeHours:
    """The share of events in office hours, in the original and in the release."""

    before: float
    after: float


class InOfficeHours(DistanceMeasure[OfficeHours]):
    """The share of events from Monday to Friday, 8:00 to 18:00; of logs in whole days, from Monday to Friday."""

    name = "office_hours"
    rank = 53
    title = "events in office hours"
    says_more = True
    aspect = "the share of events in office hours"
    meaning = (
        f"Share of events from Monday to Friday, {_FROM}:00 to {_UNTIL}:00; of logs in whole days, Monday to Friday."
    )
    unit = SHARE
    numbers = (
        Number("office_hours_before", "office hours before", SHARE, lambda value: value.before, table=SweepTable.NONE),
        Number("office_hours_after", "office hours", SHARE, lambda value: value.after, table=SweepTable.FLOW),
    )

    def of(self, original: EventLog, release: EventLog, context: Context) -> OfficeHours:
        """Count them in both, by the grid of the original."""
        whole_days = grid_of(original).step == DAY
        return OfficeHours(*(_share(week, whole_days=whole_days) for week in context.week))

    def distance(self, value: OfficeHours) -> float:
        """How far the share moved."""
        return abs(value.after - value.before)

    def text(self, value: OfficeHours) -> str:
        """The shares in words."""
        return f"{percent(value.before)} before, {percent(value.after)} after"


def _share(week: Ints, *, whole_days: bool) -> float:
    hours = slice(None) if whole_days else slice(_FROM, _UNTIL)
    return float(week[:_WORKDAYS, hours].sum() / week.sum())


IN_OFFICE_HOURS = InOfficeHours()
MEASURES.add(IN_OFFICE_HOURS)
