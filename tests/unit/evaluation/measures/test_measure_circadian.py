"""Hours of the day, weekday by weekday."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given

from support.distances import slow_wasserstein
from support.helpers import cases_of, event_logs, examples, log_of
from unsingle.core.clock import DAY, HOUR, SECOND
from unsingle.core.log import EventLog
from unsingle.evaluation.measures import Context
from unsingle.evaluation.measures.circadian import HOURS_OF_DAY
from unsingle.evaluation.week import hours_of_week

MONDAY = 4 * DAY  # 5 January 1970


def distance(a: EventLog, b: EventLog) -> float:
    return HOURS_OF_DAY.of(a, b, Context(a, b))


def clock_of(zone: str) -> ZoneInfo:
    return ZoneInfo({"+05:30": "Asia/Kolkata"}.get(zone, zone))


@given(event_logs(), event_logs())
@examples(40)
def test_it_is_the_mean_over_the_days_of_the_week(a: EventLog, b: EventLog) -> None:
    def hours(log: EventLog) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in range(7)]
        for _, times in cases_of(log):
            for time in times:
                moment = datetime.fromtimestamp(time // SECOND, clock_of(a.zone))
                found[moment.weekday()].append(moment.hour)
        return found

    before, after = hours(a), hours(b)
    assert hours_of_week(a, a.zone).tolist() == [[day.count(hour) for hour in range(24)] for day in before]
    each = [
        slow_wasserstein(x, y) if x and y else 23 if x or y else 0 for x, y in zip(before, after, strict=True)
    ]  # fmt: skip
    assert distance(a, b) == pytest.approx(float(sum(each)) / 7)
    assert distance(a, a) == 0


def test_days_that_move_a_whole_week_have_not_moved() -> None:
    log = log_of([("AB", [MONDAY + 9 * HOUR, MONDAY + DAY + 10 * HOUR])])
    week, hours = (
        EventLog(log.labels, log.activity, log.time + by, log.case_offsets) for by in (7 * DAY, 3 * HOUR)
    )  # fmt: skip
    assert distance(log, week) == 0
    assert distance(log, hours) == pytest.approx(2 * 3 / 7)  # two of seven days, by three hours
    assert HOURS_OF_DAY.text(1.5) == "1.5 h"
    assert HOURS_OF_DAY.distance(1.5) == 1.5


def test_hours_are_those_of_the_clock_in_winter_and_in_summer() -> None:
    january, july = (int(datetime(2024, m, 1, 9, tzinfo=ZoneInfo("Europe/Berlin")).timestamp()) for m in (1, 7))
    log = log_of([("AB", [january * SECOND, july * SECOND])], "Europe/Berlin")
    assert np.argwhere(hours_of_week(log, log.zone)).tolist() == [[0, 9]]  # both are Mondays
