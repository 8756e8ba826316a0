"""Days of the week."""

from __future__ import annotations

import pytest
from hypothesis import given

from support.distances import slow_total_variation
from support.helpers import cases_of, event_logs, examples, log_of
from unsingle.core.clock import DAY, zone_offsets
from unsingle.core.log import EventLog
from unsingle.evaluation.measures import Context
from unsingle.evaluation.measures.weekdays import WEEKDAYS


@given(event_logs(), event_logs())
@examples(40)
def test_it_is_the_share_that_would_have_to_move(a: EventLog, b: EventLog) -> None:
    def days(log: EventLog) -> list[int]:
        local = log.time + zone_offsets(a.zone, log.time)
        return (local // DAY % 7).tolist()

    expected = slow_total_variation(days(a), days(b))
    assert WEEKDAYS.of(a, b, Context(a, b)) == pytest.approx(float(expected))


def test_one_of_four_events_on_another_day() -> None:
    a = log_of([("AB", [0, DAY]), ("AB", [0, DAY])])
    b = log_of([("AB", [0, DAY]), ("AB", [0, 2 * DAY])])
    assert len(cases_of(a)) == 2
    assert WEEKDAYS.of(a, b, Context(a, b)) == 0.25
    assert WEEKDAYS.text(0.25) == "25%"
