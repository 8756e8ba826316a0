"""Numbers given the activity."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from support.distances import slow_wasserstein
from support.helpers import examples, log_of_paths
from support.kept import COST, logs_with_columns, with_cells
from unsingle import EventLog
from unsingle.evaluation.measures import Context
from unsingle.evaluation.measures.numbers_by_activity import NUMBERS_BY_ACTIVITY
from unsingle.evaluation.numbers import NumberChange


def of(original: EventLog, release: EventLog) -> NumberChange:
    return NUMBERS_BY_ACTIVITY.of(original, release, Context(original, release))["cost"]


def test_by_hand() -> None:
    original = with_cells(log_of_paths("AAAAAB"), cost=[10, 20, 30, 40, 50, None])
    release = with_cells(log_of_paths("AAAAAB"), cost=[10, 20, 33, 60, 50, 7])
    found = of(original, release)
    # quartiles 20, 30, 40 became 20, 33, 50
    assert (found.lower, found.median, found.upper) == pytest.approx((0, 0.1, 0.25))
    assert found.quartiles == pytest.approx(0.25)
    assert found.distance == pytest.approx((3 + 10 + 10) / 150)
    assert found.presence == pytest.approx(1 / 6)  # B had no value


def test_activities_count_by_their_values() -> None:
    original = with_cells(log_of_paths("AAAB"), cost=[4, 4, 4, 8])
    release = with_cells(log_of_paths("AAAB"), cost=[4, 4, 4, 4])
    found = of(original, release)
    assert found.median == pytest.approx(1 / 4 * 1 / 2)
    assert found.distance == pytest.approx(4 / 20)


def test_numbers_that_are_lost_count_as_if_they_had_become_0() -> None:
    original = with_cells(log_of_paths("AB"), cost=[3, -5])
    assert of(original, with_cells(log_of_paths("AB"), cost=[3, None])) == NumberChange(0.5, 0.5, 0.5, 5 / 8, 0.5)
    assert of(original, with_cells(log_of_paths("C"), cost=[3])) == NumberChange(1, 1, 1, 1, 1)


def test_a_quartile_of_0_is_compared_with_the_usual_size() -> None:
    original = with_cells(log_of_paths("AB"), cost=[0, 10])
    assert of(original, with_cells(log_of_paths("AB"), cost=[5, 10])).median == pytest.approx(1 / 2)
    zeros = with_cells(log_of_paths("AB"), cost=[0, 0])
    assert of(zeros, zeros) == NumberChange(0, 0, 0, 0, 0)
    assert of(zeros, original).distance == float("inf")
    nothing = with_cells(log_of_paths("AB"), cost=[None, None])
    assert of(nothing, original) == NumberChange(0, 0, 0, 0, 1)


@given(logs_with_columns(), logs_with_columns())
@examples(60)
def test_the_distance_is_that_of_the_distributions(original: EventLog, release: EventLog) -> None:
    def numbers(log: EventLog, activity: str) -> list[float]:
        cells = zip(log.activity_names(), log.column(COST).cells(), strict=True)
        return [cell for name, cell in cells if name == activity and cell is not None]

    moved, size = 0.0, 0.0
    for activity in original.labels:
        a, b = numbers(original, activity), numbers(release, activity)
        moved += (float(slow_wasserstein(a, b)) * len(a) if b else float(np.abs(a).sum())) if a else 0
        size += float(np.abs(a).sum())
    expected = 0 if moved == 0 else moved / size if size else float("inf")
    assert of(original, release).distance == pytest.approx(expected)
    assert of(original, original) == NumberChange(0, 0, 0, 0, 0)


def test_the_change_in_words() -> None:
    change = NumberChange(0.1, 0.2, 0.15, 0.05, 0.01)
    assert NUMBERS_BY_ACTIVITY.text({"CRP": change}) == (
        "CRP off by 5.0% of the mean, quartiles by at most 20%, 1.0% gained or lost one"
    )
