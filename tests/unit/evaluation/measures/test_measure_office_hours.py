"""Events in office hours."""

from __future__ import annotations

import pytest
from hypothesis import given

from support.helpers import event_logs, examples, log_of
from unsingle.core.clock import DAY, HOUR, MINUTE
from unsingle.core.log import EventLog
from unsingle.evaluation.measures import Context
from unsingle.evaluation.measures.office_hours import IN_OFFICE_HOURS, OfficeHours

MONDAY = 4 * DAY  # 5 January 1970
FRIDAY = MONDAY + 4 * DAY
SATURDAY = MONDAY + 5 * DAY


def shares(a: EventLog, b: EventLog) -> OfficeHours:
    return IN_OFFICE_HOURS.of(a, b, Context(a, b))


def test_from_eight_to_six_on_five_days() -> None:
    inside = [MONDAY + 8 * HOUR, FRIDAY + 17 * HOUR + 59 * MINUTE]
    outside = [MONDAY + 8 * HOUR - MINUTE, FRIDAY + 18 * HOUR, SATURDAY + 12 * HOUR]
    found = shares(log_of([("AB", inside)]), log_of([("AAA", outside)]))
    assert found == OfficeHours(1.0, 0.0)
    assert IN_OFFICE_HOURS.distance(found) == 1
    assert IN_OFFICE_HOURS.text(OfficeHours(0.9, 0.451)) == "90% before, 45% after"
    assert IN_OFFICE_HOURS.figures(found) == {"office_hours_before": 1.0, "office_hours_after": 0.0}


def test_hours_are_those_of_the_originals_zone() -> None:
    log = log_of([("A", [MONDAY + 7 * HOUR])], "+02:00")  # nine o'clock there
    assert shares(log, EventLog(log.labels, log.activity, log.time, log.case_offsets, "UTC")) == OfficeHours(1, 1)


def test_in_logs_of_whole_days_days_count() -> None:
    days = log_of([("AB", [FRIDAY, SATURDAY])])
    assert shares(days, days) == OfficeHours(0.5, 0.5)


@given(event_logs())
@examples(60)
def test_a_log_and_its_copy_have_the_same_share(log: EventLog) -> None:
    found = shares(log, log)
    assert found.before == found.after == pytest.approx(found.before)
    assert 0 <= found.before <= 1
    assert IN_OFFICE_HOURS.distance(found) == 0
