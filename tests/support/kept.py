"""Logs with kept columns: made by hand, and arbitrary ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from support.helpers import event_logs
from unsingle import EventLog
from unsingle.core.columns import Column, Field, Kind, Level
from unsingle.core.log import ActivityParts

ROLE = Field("role", Level.EVENT, Kind.TEXT)
COST = Field("cost", Level.EVENT, Kind.NUMBER)
CHANNEL = Field("channel", Level.CASE, Kind.TEXT)
AGE = Field("age", Level.FIRST, Kind.INTEGER)
AMOUNT = Field("amount", Level.CASE, Kind.NUMBER)
ALL = (ROLE, COST, CHANNEL, AGE, AMOUNT)


def column_of(field: Field, cells: Sequence[str | float | None]) -> Column:
    """A column with these values, of which None is not there."""
    if field.kind is Kind.TEXT:
        return Column.of_texts(field, cells)  # type: ignore[arg-type]
    return Column.of_numbers(field, np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64))


def with_cells(log: EventLog, **cells: Sequence[str | float | None]) -> EventLog:
    """The log with these values of the fields above, by their names."""
    fields = {field.name: field for field in ALL}
    return log.with_columns([*log.columns, *(column_of(fields[name], each) for name, each in cells.items())])


@st.composite
def logs_with_columns(draw: st.DrawFn) -> EventLog:
    """Arbitrary logs with a column of each sort; any value may be missing."""
    log = draw(event_logs())
    numbers = st.floats(-9, 9, width=16)
    values = {Kind.TEXT: st.sampled_from("xyz"), Kind.INTEGER: st.integers(-2, 3), Kind.NUMBER: numbers}

    def cells(field: Field) -> list:
        n = log.n_cases if field.of_cases else log.n_events
        return draw(st.lists(st.none() | values[field.kind], min_size=n, max_size=n))

    return log.with_columns([column_of(field, cells(field)) for field in ALL])


def with_made_up_columns(log: EventLog, seed: int = 1, hostile: str = "") -> EventLog:
    """The log with a column of each sort, some values missing; `hostile` is part of all texts and names."""
    draw = np.random.default_rng(seed)

    def cells(field: Field) -> list:
        n = log.n_cases if field.of_cases else log.n_events
        numbers = draw.integers(0, 40, n).tolist() if field.kind is Kind.INTEGER else draw.exponential(9, n).tolist()
        texts = [f"{hostile}{field.name} {i}" for i in draw.integers(0, 30, n).tolist()]
        values = texts if field.kind is Kind.TEXT else numbers
        return [None if missing else value for missing, value in zip(draw.random(n) < 0.1, values, strict=True)]

    return log.with_columns([column_of(replace(each, name=f"{each.name}{hostile}"), cells(each)) for each in ALL])


def with_lifecycles(log: EventLog) -> EventLog:
    """The log as if every second label were the start of an activity, and the next one its complete."""
    states = ("start", "complete")
    parts = {label: (f"task {i // 2}", states[i % 2]) for i, label in enumerate(log.labels)}
    return replace(log, parts=ActivityParts(("task", "state"), parts))
