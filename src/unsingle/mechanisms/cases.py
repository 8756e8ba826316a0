"""A log as the mechanisms see it: labels and variants numbered by name, whatever the order of the input.

Which case comes first, in which order labels appear and how files are cut can change what numbers they have, and noise
is drawn in the order of numbers. Here the numbers follow from the set of names alone. Numbers of persons only tell
persons apart: nothing is ordered by them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..core.arrays import Ints, dense, distinct, row_of, take_rows
from ..core.automaton import lexicographic_order
from ..core.columns import PERSON
from ..core.log import EventLog, Paths, Variants, pairs


@dataclass(frozen=True)
class Cases:
    """The cases of a log, with activities numbered by name; `paths` are its variants in the order of their names.

    `person` says for each case whose it is: what one person adds to a tally is one vector, of all their cases.
    `event_rows` and `case_rows` say where in the columns of the log the values of each event and case stand.
    `by_person` is whether the log has such a column at all, which is no secret; whether anybody has several cases is.
    """

    labels: tuple[str, ...]
    activity: Ints
    time: Ints
    offsets: Ints
    paths: Variants
    person: Ints
    event_rows: Ints
    case_rows: Ints
    by_person: bool = False

    @classmethod
    def of(cls, log: EventLog) -> Cases:
        """Number labels and variants by name."""
        labels, number = np.unique(np.array(log.labels, dtype=object), return_inverse=True)
        variants, by_name = log.variants, number.astype(np.int32)
        renamed = Paths(by_name[variants.path].astype(np.int32), variants.offsets, variants.cases)
        order = lexicographic_order(renamed)
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        flat, offsets = take_rows(variants.offsets, order)
        paths = Variants(renamed.path[flat], offsets, variants.cases[order], place[variants.of_case])
        activity = by_name[log.activity].astype(np.int64)
        return cls(
            tuple(labels.tolist()), activity, log.time, log.case_offsets, paths, persons_of(log),
            np.arange(log.n_events), np.arange(log.n_cases), log.column(PERSON) is not None,
        )  # fmt: skip

    def only(self, labels: tuple[str, ...]) -> Cases:
        """The cases without events of other labels; a case with no event left is dropped.

        Labels are numbered in the given order, including those that nobody has.
        """
        number = {label: i for i, label in enumerate(labels)}
        place = np.array([number.get(label, -1) for label in self.labels], dtype=np.int64)[self.activity]
        known = np.flatnonzero(place >= 0)
        if len(known) == len(place) and self.labels == labels:
            return self
        if not len(known):
            none = np.empty(0, dtype=np.int64)
            nobody = Variants(none.astype(np.int32), np.zeros(1, dtype=np.int64), none, none)
            return Cases(labels, none, none, np.zeros(1, dtype=np.int64), nobody, none, none, none, self.by_person)
        case = self.case_of_event[known]
        log = EventLog.from_events(dense(case), place[known], self.time[known], labels)
        left = distinct(case)
        return replace(
            Cases.of(log), person=self.person[left], event_rows=self.event_rows[known], case_rows=self.case_rows[left],
            by_person=self.by_person,
        )  # fmt: skip

    def with_any_of(self, labels: tuple[str, ...]) -> Ints:
        """Which cases have an event of these labels."""
        wanted = np.isin(np.array(self.labels, dtype=object), np.array(labels, dtype=object))
        return distinct(self.case_of_event[wanted[self.activity]])

    @property
    def count(self) -> int:
        """How many cases there are."""
        return len(self.offsets) - 1

    @property
    def starts(self) -> Ints:
        """When each case begins."""
        return self.time[self.offsets[:-1]]

    @property
    def ends(self) -> Ints:
        """When each case ends."""
        return self.time[self.offsets[1:] - 1]

    @cached_property
    def case_of_event(self) -> Ints:
        """The case of each event."""
        return row_of(self.offsets)

    @cached_property
    def person_of_event(self) -> Ints:
        """The person of each event."""
        return self.person[self.case_of_event]

    @cached_property
    def later(self) -> Ints:
        """All events but the first of each case."""
        return np.delete(np.arange(len(self.activity)), self.offsets[:-1])

    @cached_property
    def pairs(self) -> Ints:
        """The pair of activities that each of those events is the end of."""
        return pairs(self.activity, len(self.labels))[self.later]


def persons_of(log: EventLog) -> Ints:
    """The person of each case, as a number; a case without the name of a person is the only one of its person.

    >>> log = EventLog.from_events(np.array([7, 8]), np.array([0, 0]), np.array([0, 0]), ["A"])
    >>> persons_of(log).tolist()
    [0, 1]
    """
    column = log.column(PERSON)
    if column is None:
        return np.arange(log.n_cases)
    own = len(column.texts) + np.arange(log.n_cases)
    return dense(np.where(column.present, column.values.astype(np.int64), own))


def people_on_paths(log: EventLog) -> Ints:
    """How many people take each variant of a log.

    >>> log = EventLog.from_events(np.array([7, 8]), np.array([0, 0]), np.array([0, 0]), ["A"])
    >>> people_on_paths(log).tolist()
    [2]
    """
    both = distinct(log.variants.of_case * log.n_cases + persons_of(log))
    return np.bincount(both // log.n_cases, minlength=log.variants.count)
