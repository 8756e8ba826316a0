"""Cases under way."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from support.helpers import cases_of, event_logs, examples, log_of, paper_log
from unsingle.core.clock import HOUR, MINUTE, SECOND
from unsingle.evaluation.measures import Context
from unsingle.evaluation.measures.active import ACTIVE_CASES, Peak, active_cases


def test_active_cases_of_the_papers_log():
    def at(hour, minute):
        return int(datetime(2020, 8, 8, hour, minute, tzinfo=UTC).timestamp()) * SECOND

    moments = [at(10, 19), at(10, 20), at(13, 35), at(16, 15), at(16, 16), at(23, 55), at(23, 56)]
    assert active_cases(paper_log(), np.array(moments)).tolist() == [0, 1, 3, 4, 3, 1, 0]


@given(event_logs(), st.lists(st.integers(0, 4 * MINUTE), max_size=10))
@examples(100)
def test_a_case_is_active_from_its_start_to_its_end(log, moments):
    moments = np.array([*moments, *log.case_starts, *log.case_ends])
    expected = [sum(t[0] <= moment <= t[-1] for _, t in cases_of(log)) for moment in moments]
    assert active_cases(log, moments).tolist() == expected


def test_the_most_cases_at_once():
    original = log_of([("AB", [0, 2 * HOUR]), ("AB", [HOUR, 3 * HOUR]), ("AB", [2 * HOUR, 9 * HOUR])])
    release = log_of([("AB", [0, HOUR]), ("AB", [2 * HOUR, 3 * HOUR])])
    peak = ACTIVE_CASES.of(original, release, Context(original, release))
    assert peak == Peak(3, 1)
    assert ACTIVE_CASES.text(peak) == "at most 3 at once before, 1 after"
