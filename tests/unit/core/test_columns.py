"""Columns of events and of cases, and what labels are made of: kept by `subset`, and in a release only if handed in."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from unsingle.core.columns import CASE_ID, Column, Field, Kind, Level
from unsingle.core.log import ActivityParts, EventLog
from unsingle.errors import LogError
from unsingle.formats.tables.frames import to_pandas, to_polars

ROLE = Field("role", Level.EVENT, Kind.TEXT)
AGE = Field("age", Level.FIRST, Kind.INTEGER)
WARD = Field("ward", Level.CASE, Kind.TEXT)
PARTS = ActivityParts(("task", "state"), {"A+x": ("A", "x"), "B+y": ("B", "y")})


def log_with_columns() -> EventLog:
    """Two cases of two events and of one."""
    columns = [
        Column.of_texts(ROLE, ["nurse", None, "clerk"]),
        Column.of_numbers(AGE, np.array([np.nan, 40, 50])),
        Column.of_texts(WARD, ["north", "south", "west"]),
    ]
    case, activity, time = np.array([[1, 1, 2], [0, 1, 1], [5, 6, 7]])
    return EventLog.from_events(case, activity, time, ["A+x", "B+y"], columns=columns, parts=PARTS)


def cells(log: EventLog) -> dict[str, list[object]]:
    return {column.field.name: column.cells() for column in log.columns}


def test_a_value_of_a_case_is_the_first_that_is_there_wherever_it_is_written() -> None:
    assert cells(log_with_columns()) == {
        "role": ["nurse", None, "clerk"],
        "age": [40, 50],
        "ward": ["north", "west"],
    }


def test_fields_of_cases_are_those_with_one_value_a_case() -> None:
    assert [field.of_cases for field in (ROLE, AGE, WARD, CASE_ID)] == [False, True, True, True]


def test_a_subset_has_the_columns_and_parts_of_its_cases() -> None:
    rest = log_with_columns().subset(np.array([1, 1]))
    assert cells(rest) == {"role": ["clerk", "clerk"], "age": [50, 50], "ward": ["west", "west"]}
    assert rest.parts == replace(PARTS, of_label={"B+y": ("B", "y")})


def test_a_release_has_what_it_is_handed() -> None:
    log = log_with_columns()
    assert log.released(np.array([1]), np.array([9])).columns == ()
    assert log.released(np.array([1]), np.array([9])).parts is None
    handed = log.released(np.array([1]), np.array([9]), parts=log.parts)
    assert handed.parts == replace(PARTS, of_label={"B+y": ("B", "y")})


def test_columns_are_exchanged_for_others() -> None:
    log = log_with_columns()
    assert cells(log.with_columns(log.columns[1:])) == {"age": [40, 50], "ward": ["north", "west"]}
    with pytest.raises(LogError, match="does not fit the events or cases"):
        log.with_columns([replace(log.columns[0], field=AGE)])


def test_parts_fit_the_labels() -> None:
    with pytest.raises(LogError, match="not said what a label is made of"):
        replace(log_with_columns(), parts=PARTS.only(["A+x"]))
    with pytest.raises(LogError, match="do not fit their names"):
        ActivityParts(("task",), PARTS.of_label)


def test_a_value_on_the_first_event_stands_there_alone() -> None:
    frame = to_polars(log_with_columns())
    assert frame["age"].to_list() == [40, None, 50]
    assert frame["case:ward"].to_list() == ["north", "north", "west"]
    assert to_pandas(log_with_columns())["age"].astype(object).tolist()[::2] == [40, 50]
