"""Distances of case durations."""

from __future__ import annotations

import numpy as np
import pytest

from support.distances import slow_wasserstein, stretched
from support.helpers import cases_of, paper_log
from unsingle.core.clock import HOUR
from unsingle.core.log import EventLog
from unsingle.evaluation.measures.case_durations import CASE_DURATION_DISTANCE, case_duration_distance
from unsingle.evaluation.wasserstein import Distance


def test_the_distance_is_that_of_the_distributions():
    log = paper_log()
    durations = [times[-1] - times[0] for _, times in cases_of(log)]
    added = [len(times) - 1 for _, times in cases_of(log)]
    distance = case_duration_distance(log, stretched(log, HOUR))
    exact = slow_wasserstein(durations, [d + n * HOUR for d, n in zip(durations, added, strict=True)])
    assert distance.hours == pytest.approx(float(exact) / HOUR)
    assert distance.share_of_mean == pytest.approx(float(exact) / np.mean(durations))


def test_cases_that_only_begin_later_take_as_long():
    log = paper_log()
    later = EventLog(log.labels, log.activity, log.time + 3 * HOUR, log.case_offsets)
    assert case_duration_distance(log, later) == Distance(0.0, 0.0)
    assert CASE_DURATION_DISTANCE.figures(Distance(1.5, 0.5)) == {"case_duration_distance_hours": 1.5}
    assert CASE_DURATION_DISTANCE.text(Distance(1.5, 0.5)) == "1.5 h, 50% of the mean"
