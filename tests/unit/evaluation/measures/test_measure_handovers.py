"""Handovers."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given

from support.distances import slow_mean_total_variation
from support.helpers import cases_of, examples, log_of_paths
from support.kept import ROLE, logs_with_columns, with_cells
from unsingle import EventLog
from unsingle.evaluation.measures import Context
from unsingle.evaluation.measures.handovers import HANDOVERS, MOST_FREQUENT, HandoverChange


def of(original: EventLog, release: EventLog) -> HandoverChange:
    return HANDOVERS.of(original, release, Context(original, release))["role"]


def handovers(log: EventLog) -> list[tuple]:
    cells = iter(log.column(ROLE).cells())
    return [pair for path, _ in cases_of(log) for pair in pairwise([next(cells) for _ in path])]


def test_by_hand() -> None:
    original = with_cells(log_of_paths("AAA", "AA"), role=["x", "x", "y", "x", "y"])
    release = with_cells(log_of_paths("AAA", "AA"), role=["x", "x", "y", "y", "x"])
    # of x, 1/3 stayed and now 1/2 stays; that y hands over to x is new, and there was no row to compare
    assert of(original, release) == HandoverChange(pytest.approx(1 / 6), pytest.approx(1 / 6))
    assert of(original, with_cells(log_of_paths("A"), role=["x"])) == HandoverChange(1, 1)
    assert HANDOVERS.text({"role": HandoverChange(0.2, 0.1)}) == "role off by 20%, of the 20 most frequent values 10%"


@given(logs_with_columns(), logs_with_columns())
@examples(60)
def test_it_is_the_mean_total_variation_of_rows(original: EventLog, release: EventLog) -> None:
    expected = float(slow_mean_total_variation(handovers(original), handovers(release)))
    assert of(original, release) == HandoverChange(pytest.approx(expected), pytest.approx(expected))
    assert of(original, original) == HandoverChange(0, 0)


def test_rare_values_are_one_in_the_smaller_matrix() -> None:
    frequent = [f"often {i}" for i in range(MOST_FREQUENT)] * 2
    rare, others = [f"rare {i}" for i in range(40)], [f"other {i}" for i in range(40)]
    log = log_of_paths("A" * 80)
    found = of(with_cells(log, role=[*frequent, *rare]), with_cells(log, role=[*frequent, *others]))
    assert found.most_frequent == 0
    assert found.all_values == pytest.approx(39 / 79 + 2 / 79 * 1 / 2)  # the last frequent one went to a rare one once
