"""Times of events, in the life of the process and since the start of their case."""

from __future__ import annotations

import pytest
from hypothesis import given

from support.distances import slow_wasserstein
from support.helpers import cases_of, event_logs, examples, log_of, paper_log
from unsingle.core.clock import DAY, HOUR
from unsingle.core.log import EventLog
from unsingle.evaluation.measures import Context
from unsingle.evaluation.measures.event_ages import EVENT_AGES
from unsingle.evaluation.measures.event_times import EVENT_TIMES
from unsingle.evaluation.measures.outside_span import OUTSIDE_SPAN


def measured(measure, a: EventLog, b: EventLog) -> float:
    return measure.of(a, b, Context(a, b))


@given(event_logs(), event_logs())
@examples(40)
def test_they_are_the_distances_of_the_distributions(a: EventLog, b: EventLog) -> None:
    times, ages, spans = [], [], []
    for log in (a, b):
        cases = [case for _, case in cases_of(log)]
        times.append([time for case in cases for time in case])
        ages.append([time - case[0] for case in cases for time in case])
        spans.append((min(times[-1]), max(times[-1])))
    assert measured(EVENT_TIMES, a, b) == pytest.approx(float(slow_wasserstein(*times)) / HOUR)
    assert measured(EVENT_AGES, a, b) == pytest.approx(float(slow_wasserstein(*ages)) / HOUR)
    outside = sum(not spans[0][0] <= time <= spans[0][1] for time in times[1])
    assert measured(OUTSIDE_SPAN, a, b) == pytest.approx(outside / len(times[1]))


def test_a_log_that_lies_later() -> None:
    log = paper_log()
    later = EventLog(log.labels, log.activity, log.time + 5 * HOUR, log.case_offsets)
    assert measured(EVENT_TIMES, log, later) == pytest.approx(5)
    assert measured(EVENT_AGES, log, later) == 0
    assert EVENT_TIMES.text(5.0) == EVENT_AGES.text(5.0) == "5.0 h"


def test_events_outside_the_span() -> None:
    log = log_of([("AB", [DAY, 3 * DAY])])
    assert measured(OUTSIDE_SPAN, log, log) == 0
    assert measured(OUTSIDE_SPAN, log, log_of([("ABAB", [0, DAY, 3 * DAY, 3 * DAY + 1])])) == 0.5
    assert OUTSIDE_SPAN.text(0.5) == "50%"
