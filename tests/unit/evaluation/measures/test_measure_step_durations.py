"""The time distance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from support.distances import stretched
from support.helpers import cases_of, event_logs, examples, log_of, paper_log
from unsingle.core.clock import HOUR
from unsingle.core.log import EventLog
from unsingle.evaluation.measures import time_distance
from unsingle.evaluation.measures.step_durations import TIME_DISTANCE
from unsingle.evaluation.wasserstein import Distance


@given(event_logs())
@examples(100)
def test_a_log_is_at_no_distance_from_itself(log):
    assert time_distance(log, log) == Distance(0.0, 0.0)


def test_a_log_of_slower_steps_is_as_far_away_as_they_are_slower():
    log = paper_log()
    distance = time_distance(log, stretched(log, 2 * HOUR))
    steps = [step for _, times in cases_of(log) for step in np.diff(times)]
    assert distance.hours == pytest.approx(2)
    assert distance.share_of_mean == pytest.approx(2 * HOUR / np.mean(steps))


def test_the_distance_of_steps_is_weighted_by_the_original():
    original = log_of([("AB", [0, HOUR])] * 3 + [("AC", [0, HOUR])])
    release = log_of([("AB", [0, HOUR])] + [("AC", [0, 5 * HOUR])] * 7)
    assert time_distance(original, release).hours == pytest.approx(1)
    assert time_distance(release, original).hours == pytest.approx(4 * 7 / 8)


def test_the_distance_of_steps_goes_by_names_not_by_numbers():
    log = paper_log()
    reverse = EventLog(log.labels[::-1], (len(log.labels) - 1 - log.activity), log.time, log.case_offsets)
    assert log == reverse
    assert time_distance(log, reverse).hours == 0


def test_steps_that_are_lost_count_as_if_they_took_no_time():
    original = log_of([("AB", [0, HOUR]), ("AC", [0, 2 * HOUR])])
    assert time_distance(original, log_of([("AB", [0, 4 * HOUR])])).hours == pytest.approx((3 + 2) / 2)
    assert time_distance(original, log_of([("BA", [0, HOUR])])).hours == pytest.approx(1.5)
    assert time_distance(original, log_of([("A", [0])])).share_of_mean == pytest.approx(1)
    assert time_distance(log_of([("A", [0])]), original).hours == 0


def test_a_share_of_no_time_at_all_is_infinite():
    distance = time_distance(log_of([("AB", [0, 0])]), log_of([("AB", [0, HOUR])]))
    assert (distance.hours, distance.share_of_mean) == (1, np.inf)


def test_its_numbers_are_hours_and_share():
    assert TIME_DISTANCE.figures(Distance(2.0, 0.5)) == {"time_distance_hours": 2.0, "time_distance_share": 0.5}
