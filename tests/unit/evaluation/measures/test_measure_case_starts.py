"""Distances of case starts."""

from __future__ import annotations

import pytest

from support.helpers import paper_log
from unsingle.core.clock import HOUR
from unsingle.core.log import EventLog
from unsingle.evaluation.measures.case_starts import START_DISTANCE, start_distance


def test_a_log_that_begins_later_is_as_far_away_as_it_is_later():
    log = paper_log()
    later = EventLog(log.labels, log.activity, log.time + 3 * HOUR, log.case_offsets)
    assert start_distance(log, later) == pytest.approx(3)
    assert start_distance(log, log) == 0
    assert START_DISTANCE.text(3.0) == "3.0 h"
