"""The section about the week: at which hours events happen, before and after."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..core.wording import percent
from ..evaluation.comparison import Comparison
from ..evaluation.measures.circadian import HOURS_OF_DAY
from ..evaluation.measures.weekdays import WEEKDAYS
from ..evaluation.week import DAYS, WeekHour
from .figures import bars
from .render import Cell, Figure, Matrix, Section

_LEVELS = 10
_LABELLED = 6  # hours from one that is named to the next


def week_section(comparison: Comparison) -> Section:
    """A map of 7 days by 24 hours; of logs that know days alone, the days."""
    hours = comparison.week
    day_only = len({each.hour for each in hours if each.before}) == 1
    office = comparison.office_hours
    return Section(
        name="week",
        heading="The week",
        sentence=f"Share of events in each {'day' if day_only else 'hour'} of the week. In office hours: "
        f"{percent(office.before)} before, {percent(office.after)} after. Hours of the day: "
        f"{comparison.yardstick(HOURS_OF_DAY).beside}. Days of the week: {comparison.yardstick(WEEKDAYS).beside}.",
        figure=_days(hours) if day_only else None,
        matrices=() if day_only else tuple(_map(hours, side) for side in ("before", "after")),
        columns=("hour", "before", "after"),
        rows=tuple((f"{each.day} {each.hour}:00", f"{each.before:.2%}", f"{each.after:.2%}") for each in hours),
    )


def _days(hours: Sequence[WeekHour]) -> Figure:
    """Bars of the days, Monday above."""
    days = DAYS[::-1]
    shares = {side: [sum(getattr(e, side) for e in hours if e.day == day) for day in days] for side in _SIDES}
    return bars(shares, [*days])


_SIDES = ("before", "after")


def _map(hours: Sequence[WeekHour], side: str) -> Matrix:
    """One of the weeks; both have the same colours for the same shares."""
    most = max(max(each.before, each.after) for each in hours)

    def cell(each: WeekHour) -> Cell:
        share = getattr(each, side)
        return Cell(f"{each.day} {each.hour}:00, {share:.2%}", min(_LEVELS, math.ceil(_LEVELS * share / most)))

    return Matrix(
        caption=side,
        columns=tuple("" if hour % _LABELLED else str(hour) for hour in range(24)),
        rows=tuple(day[:3] for day in DAYS),
        cells=tuple(tuple(cell(each) for each in hours if each.day == day) for day in DAYS),
        dense=True,
    )
