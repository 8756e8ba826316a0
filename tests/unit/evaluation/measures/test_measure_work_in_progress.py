"""Cases under way over time."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given

from support.helpers import event_logs, examples, log_of
from unsingle.core.clock import HOUR
from unsingle.core.log import EventLog
from unsingle.evaluation.measures import Context
from unsingle.evaluation.measures.active import active_cases
from unsingle.evaluation.measures.work_in_progress import WORK_IN_PROGRESS


def error(a: EventLog, b: EventLog) -> float:
    return WORK_IN_PROGRESS.of(a, b, Context(a, b))


@given(event_logs(), event_logs())
@examples(40)
def test_it_is_the_area_between_the_curves(a: EventLog, b: EventLog) -> None:
    ends = [log.case_ends for log in (a, b)]
    moments = sorted({*a.case_starts.tolist(), *b.case_starts.tolist(), *ends[0].tolist(), *ends[1].tolist()})
    off = usual = 0.0
    for left, right in pairwise(2 * moment for moment in moments):  # in half milliseconds: there is always a middle
        middle = np.array([(left + right) // 2])
        doubled = [
            EventLog(log.labels, log.activity, 2 * log.time, log.case_offsets) for log in (a, b)
        ]  # fmt: skip
        before, after = (int(active_cases(log, middle)[0]) for log in doubled)
        off += abs(before - after) * (right - left)
        usual += before * (right - left)
    expected = off / usual if usual else (float("inf") if off else 0.0)
    assert error(a, b) == pytest.approx(expected)
    assert error(a, a) == 0


def test_one_case_of_two_that_takes_half_as_long() -> None:
    log = log_of([("AB", [0, 2 * HOUR]), ("AB", [HOUR, 3 * HOUR])])
    shorter = log_of([("AB", [0, 2 * HOUR]), ("AB", [HOUR, 2 * HOUR])])
    assert error(log, shorter) == 0.25
    assert WORK_IN_PROGRESS.text(0.25) == "25%"


def test_the_order_of_cases_does_not_matter() -> None:
    log = log_of([("AB", [0, 2 * HOUR]), ("AB", [HOUR, 3 * HOUR])])
    assert error(log, log.subset(np.array([1, 0]))) == 0
