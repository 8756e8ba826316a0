"""Rows with a start and an end: two events of a log, and one row of a table again.

The order of events at the same time is not written anywhere in such a table, so it follows from the rows: what began
earlier comes first, then what stands further up, and a start comes before its end. Which end belongs to which start is
found in the same way when rows are read, so that what is written is read as the same events in the same order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.arrays import Flags, Ints, offsets_of, row_of, running_maximum
from ..core.intervals import starts_and_ends
from ..core.log import EventLog


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
    first, last = starts_and_ends(log)
    case = row_of(log.case_offsets)
    time = _in_order(log, first, last)
    rows = np.bincount(case[first], minlength=log.n_cases)
    return PairedRows(first, last, time[first], time[last], offsets_of(rows))


def unpaired(log: EventLog) -> int:
    """How many events of a log with intervals are a start without an end, or an end without a start."""
    first, last = starts_and_ends(log)
    return int(np.count_nonzero(first == last))


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
