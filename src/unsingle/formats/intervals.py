"""Rows with a start and an end: two events of a log, and one row of a table again.

The order of events at the same time is not written anywhere in such a table, so it follows from the rows: what began
earlier comes first, then what stands further up, and a start comes before its end. Nor do events say which end belongs
to which start: the first start of an activity in a case goes with its first end, the second with the second, and so on.
Reading pairs them in this way too, so that what is written is read as the same events in the same order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.arrays import Flags, Ints, offsets_of, positions, row_of, running_maximum, running_sum, runs
from ..core.log import EventLog
from .labels import COMPLETE


class HalfRows(NamedTuple):
    """The two events of each row, in the order in which events at the same time stay: the row, and whether it ends."""

    row: Ints
    ends: Flags


def events_of_rows(case: Ints, activity: Ints, start: Ints, end: Ints) -> HalfRows:
    """Make two events of each row.

    >>> rows = np.array([1, 1]), np.array([0, 1]), np.array([5, 3]), np.array([9, 5])
    >>> [each.tolist() for each in events_of_rows(*rows)]
    [[1, 1, 0, 0], [False, True, False, True]]
    """
    first = np.lexsort((start, activity, case))
    last = np.lexsort((end, activity, case))  # the row that ends as the n-th of its activity
    by_start = np.lexsort((first, start[first]))
    row = np.stack([first[by_start], last[by_start]], axis=1).ravel()
    return HalfRows(row, np.tile([False, True], len(case)))


class PairedRows(NamedTuple):
    """The rows of a log with intervals, case by case: the events of their starts and ends, their times, and offsets.

    Of an event without its other half, which only a made-up path can have, the row takes no time: both are this event.
    """

    first: Ints
    last: Ints
    start: Ints
    end: Ints
    case_offsets: Ints


def rows_of_events(log: EventLog) -> PairedRows:
    """Make one row of each start and its end, in the order of the starts."""
    first, last = _pairs(log)
    case = row_of(log.case_offsets)
    time = _in_order(log, first, last)
    rows = np.bincount(case[first], minlength=log.n_cases)
    return PairedRows(first, last, time[first], time[last], offsets_of(rows))


def unpaired(log: EventLog) -> int:
    """How many events of a log with intervals are a start without an end, or an end without a start."""
    first, last = _pairs(log)
    return int(np.count_nonzero(first == last))


def _pairs(log: EventLog) -> tuple[Ints, Ints]:
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


def _in_order(log: EventLog, first: Ints, last: Ints) -> Ints:
    """The times of events, some of them later by a millisecond, so that reading the rows gives the order of the log.

    It is needed only where events at the same time are in another order than that which follows from the rows.
    """
    begun = np.empty(log.n_events, dtype=np.int64)
    begun[first] = begun[last] = first
    place = 2 * begun + (np.arange(log.n_events) != begun)
    wrong = np.zeros(log.n_events, dtype=np.int64)
    wrong[1:] = np.diff(place) < 0
    wrong[log.case_offsets[:-1]] = 0
    if not wrong[1:][np.diff(log.time) == 0].any():
        return log.time
    later = np.cumsum(wrong)
    later -= np.repeat(later[log.case_offsets[:-1]], np.diff(log.case_offsets))
    return running_maximum(log.time - later, log.case_offsets) + later
