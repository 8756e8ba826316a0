"""Values of cases, of all and by their last activity."""

from __future__ import annotations

import pytest
from hypothesis import given

from support.distances import slow_mean_total_variation, slow_total_variation
from support.helpers import cases_of, examples, log_of_paths
from support.kept import AGE, CHANNEL, logs_with_columns, with_cells
from unsingle import EventLog
from unsingle.evaluation.measures import Context
from unsingle.evaluation.measures.case_values import CASE_VALUES, CaseValueChange
from unsingle.evaluation.measures.case_values_by_end import CASE_VALUES_BY_END


def of(original: EventLog, release: EventLog) -> dict[str, CaseValueChange]:
    return CASE_VALUES.of(original, release, Context(original, release))


def test_by_hand() -> None:
    original = with_cells(log_of_paths("A", "AB", "B", "A"), channel=["web", "web", None, "shop"], age=[20, 30, 40, 50])
    release = with_cells(log_of_paths("A", "B"), channel=["web", None], age=[20, 40])
    found = of(original, release)
    assert found["case:channel"] == CaseValueChange(0.25)
    assert found["age"].total_variation == 0.5
    assert found["age"].numbers is not None
    assert found["age"].numbers.median == pytest.approx(5 / 35)
    by_end = CASE_VALUES_BY_END.of(original, release, Context(original, release))
    # of those that end with A half would have to change, and of those that end with B too
    assert by_end == {"case:channel": 0.5, "age": 0.5}


@given(logs_with_columns(), logs_with_columns())
@examples(60)
def test_they_are_total_variations(original: EventLog, release: EventLog) -> None:
    found = of(original, release)
    by_end = CASE_VALUES_BY_END.of(original, release, Context(original, release))
    for name, field in (("case:channel", CHANNEL), ("age", AGE)):
        cells = [log.column(field).cells() for log in (original, release)]
        assert found[name].total_variation == pytest.approx(float(slow_total_variation(*cells)))
        ends = [[path[-1] for path, _ in cases_of(log)] for log in (original, release)]
        rows = [list(zip(end, cell, strict=True)) for end, cell in zip(ends, cells, strict=True)]
        assert by_end[name] == pytest.approx(float(slow_mean_total_variation(*rows)))
    assert {each.total_variation for each in of(original, original).values()} == {0}
    assert set(CASE_VALUES_BY_END.of(original, original, Context(original, original)).values()) == {0}


def test_any_numbers_are_compared_by_tenths() -> None:
    log = log_of_paths(*"A" * 20)
    original, release = (with_cells(log, amount=[i + shift for i in range(20)]) for shift in (0.0, 4.0))
    assert of(original, release)["case:amount"].total_variation == pytest.approx(0.2)  # two tenths are empty


def test_the_change_in_words() -> None:
    assert CASE_VALUES.text({"case:channel": CaseValueChange(0.25)}) == "case:channel 25% of cases would have to change"
    assert CASE_VALUES_BY_END.text({"age": 0.1}) == "age off by 10%"
