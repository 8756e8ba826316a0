"""Values given the activity."""

from __future__ import annotations

import pytest
from hypothesis import given

from support.distances import slow_mean_total_variation
from support.helpers import examples, log_of_paths
from support.kept import ROLE, logs_with_columns, with_cells
from unsingle import EventLog
from unsingle.evaluation.measures import Context
from unsingle.evaluation.measures.values_by_activity import VALUES_BY_ACTIVITY


def of(original: EventLog, release: EventLog) -> dict[str, float]:
    return VALUES_BY_ACTIVITY.of(original, release, Context(original, release))


def test_by_hand() -> None:
    original = with_cells(log_of_paths("AAAB"), role=["x", "x", "y", None])
    release = with_cells(log_of_paths("AABB"), role=["x", "y", None, "x"])
    # of A, 1/6 would have to change from y to x; of B, which is a fourth of the events, a half
    assert of(original, release) == {"role": pytest.approx(3 / 4 * 1 / 6 + 1 / 4 * 1 / 2)}
    assert VALUES_BY_ACTIVITY.text({"role": 0.25, "org:group": 0}) == "role off by 25%; org:group off by 0%"


def test_an_activity_that_is_lost_counts_as_wholly_changed() -> None:
    original = with_cells(log_of_paths("AB"), role=["x", "x"])
    assert of(original, with_cells(log_of_paths("AC"), role=["x", "y"])) == {"role": 0.5}


@given(logs_with_columns(), logs_with_columns())
@examples(60)
def test_it_is_the_mean_total_variation(original: EventLog, release: EventLog) -> None:
    rows = [list(zip(log.activity_names(), log.column(ROLE).cells(), strict=True)) for log in (original, release)]
    assert of(original, release) == {"role": pytest.approx(float(slow_mean_total_variation(*rows)))}
    assert of(original, original) == {"role": 0}


def test_it_is_not_there_where_nothing_is_kept() -> None:
    log = with_cells(log_of_paths("AB"), cost=[1, 2])
    assert not VALUES_BY_ACTIVITY.applies(Context(log, log))
