"""Uniqueness with kept columns known: how many people are found by someone who also knows such a value of them.

Of a column of events, the attacker knows the value of one event, picked at random, and its activity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...core.arrays import Flags, Floats, Ints, dense, row_of, runs
from ...core.clock import DAY, zone_offsets
from ...core.columns import Column, Kind
from ...core.log import EventLog
from ...formats.schema import column_name, public_columns
from .uniqueness import DATED, DAY_OF_START, FEW, WHOLE_PATH, crowd, pair_of

NOTHING = "nothing else"
BESIDES = (NOTHING, DAY_OF_START, DATED[0], WHOLE_PATH)
"""What the attacker knows of the case besides the value."""

ALL = "all kept columns"
"""Stands for the values of all kept columns together: those of events are of the same event."""


@dataclass(frozen=True)
class AttributeUniqueness:
    """How many cases a value singles out, or narrows down to fewer than `FEW`, together with something else.

    `unique_share_without` is what that singles out where the value is not known.
    """

    known: str
    besides: str
    unique_share: float
    few_share: float
    unique_share_without: float


def attribute_uniqueness(log: EventLog) -> tuple[AttributeUniqueness, ...]:
    """What each kept column adds, and all of them together; empty if there are none."""
    columns = public_columns(log)
    known = {column_name(column.field): [column] for column in columns}
    if len(columns) > 1:
        known[ALL] = columns
    rows = []
    for besides in BESIDES if columns else ():
        look = _Look(log, besides)
        without = {of_events: look.found([], of_events=of_events)[0] for of_events in (False, True)}
        for name, those in known.items():
            of_events = any(not column.field.of_cases for column in those)
            found = look.found(those, of_events=of_events)
            rows.append(AttributeUniqueness(name, besides, *found, without[of_events]))
    return tuple(rows)


class _Look:
    """The cases that are left to someone who knows something of a case, and maybe one of its events."""

    def __init__(self, log: EventLog, besides: str) -> None:
        self._log = log
        self._case = row_of(log.case_offsets)
        self._key = _of_cases(log, besides)
        self._event = log.activity.astype(np.int64)
        self._is_dated = besides == DATED[0]
        if self._is_dated:
            self._event = dense(pair_of(self._event, _days(log, log.time)))

    def found(self, known: Sequence[Column], *, of_events: bool) -> tuple[float, float]:
        """Which share of cases is singled out by these values, and narrowed down to few.

        If one event is known too, each event of a case is as likely to be that one.
        """
        key = self._key
        for column in known:
            key = key if not column.field.of_cases else dense(pair_of(key, _codes(column)))
        if not (of_events or self._is_dated):
            left = crowd(key)
            return float((left == 1).mean()), float((left < FEW).mean())
        event = dense(pair_of(self._event, key[self._case]))
        for column in known:
            event = event if column.field.of_cases else dense(pair_of(event, _codes(column)))
        left = self._holders(event)
        return self._share(left == 1), self._share(left < FEW)

    def _holders(self, key: Ints) -> Ints:
        """How many cases have an event with the key of each event."""
        holding = np.sort(key * self._log.n_cases + self._case)  # which is faster than to look for distinct ones
        once = holding[runs(holding)[:-1]]  # each case once for each key
        return np.bincount(once // self._log.n_cases)[key]

    def _share(self, is_found: Flags) -> float:
        """The chance to find a random case by a random event of it."""
        events: Floats = np.diff(self._log.case_offsets).astype(np.float64)
        return float((np.bincount(self._case, weights=is_found) / events).mean())


def _of_cases(log: EventLog, besides: str) -> Ints:
    """A number for what is known of the whole case."""
    if besides == WHOLE_PATH:
        return log.variants.of_case
    if besides == DAY_OF_START:
        return dense(_days(log, log.case_starts) - int(_days(log, log.case_starts).min()))
    return np.zeros(log.n_cases, dtype=np.int64)


def _days(log: EventLog, time: Ints) -> Ints:
    return (time + zone_offsets(log.zone, time)) // DAY


def _codes(column: Column) -> Ints:
    """A number for each value of a column; 0 for one that is not there."""
    if column.field.kind is Kind.TEXT:
        return column.values.astype(np.int64) + 1
    number = np.unique(column.values, return_inverse=True)[1].ravel().astype(np.int64)
    return np.where(column.present, number + 1, 0)
