"""Starts and ends: which end belongs to which start, in a log with an event for each.

Events do not say so: the first start of an activity in a case goes with its first end, the second with the second, and
so on.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .arrays import Flags, Ints, positions, row_of, running_maximum, running_sum, runs
from .columns import Column
from .log import EventLog

START, COMPLETE = "start", "complete"
"""The lifecycles of the two events that a row with two times becomes: the last part of their labels."""


def with_one_value_each(log: EventLog) -> EventLog:
    """The log in which an end has the values of its start, as both come from one row."""
    if log.parts is None or not log.parts.intervals:
        return log
    first, last = starts_and_ends(log)
    return replace(log, columns=tuple(_taken_over(column, first, last) for column in log.columns))


def _taken_over(column: Column, first: Ints, last: Ints) -> Column:
    if column.field.of_cases:
        return column
    values = column.values.copy()
    values[last] = values[first]
    return replace(column, values=values)


def starts_and_ends(log: EventLog) -> tuple[Ints, Ints]:
    """The events that start and end each row; both are the same where one has no other half."""
    of_label, ends_of_label = _halves(log)
    key = row_of(log.case_offsets) * len(log.labels) + of_label[log.activity]
    ends = ends_of_label[log.activity]
    alone = _ends_without_start(key, ends)
    half = np.where(alone, 2, ends)
    by_key = np.lexsort((half, key))
    number = np.empty(log.n_events, dtype=np.int64)  # among the starts, or ends, of its activity in its case
    number[by_key] = positions(runs(key[by_key] * 3 + half[by_key]))
    number[alone] += log.n_events
    order = np.lexsort((ends, number, key))
    begins = np.ones(log.n_events, dtype=np.bool_)
    begins[1:] = (np.diff(key[order]) != 0) | (np.diff(number[order]) != 0)
    edges = np.append(np.flatnonzero(begins), log.n_events)
    first, last = order[edges[:-1]], order[edges[1:] - 1]
    by_first = np.argsort(first)
    return first[by_first], last[by_first]


def _ends_without_start(key: Ints, ends: Flags) -> Flags:
    """Which ends come when all that began has ended; `key` tells activities and cases apart."""
    order = np.argsort(key, kind="stable")
    offsets = runs(key[order])
    more_ends = running_sum(np.where(ends[order], 1, -1), offsets)
    most = np.maximum(running_maximum(more_ends, offsets), 0)
    before = np.roll(most, 1)
    before[offsets[:-1]] = 0
    alone = np.zeros(len(key), dtype=np.bool_)
    alone[order] = most > before
    return alone


def _halves(log: EventLog) -> tuple[Ints, Flags]:
    """For each label the number of its activity, without start or end, and whether it is an end."""
    assert log.parts is not None
    parts = [log.parts.of_label[label] for label in log.labels]
    number: dict[tuple[str, ...], int] = {}
    of_label = [number.setdefault(each[:-1], len(number)) for each in parts]
    return np.array(of_label), np.array([each[-1] == COMPLETE for each in parts])
