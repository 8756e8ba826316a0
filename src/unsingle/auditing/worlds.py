"""Logs that differ in one person: what an attacker tries to tell apart."""

from __future__ import annotations

import numpy as np

from ..log import EventLog
from ..ragged import Ints, offsets_of, row_of, take_rows


def without(log: EventLog, case: int) -> EventLog:
    """The log without one case."""
    return log.copies_of(np.delete(np.arange(log.n_cases), case))


def on_other_path(log: EventLog, case: int, other: int) -> EventLog:
    """The log in which a case takes the path of another one, as fast as that, from its own start on."""
    rows = np.arange(log.n_cases)
    rows[case] = other
    flat, offsets = take_rows(log.case_offsets, rows)
    time = log.time[flat]
    time[offsets[case] : offsets[case + 1]] += log.case_starts[case] - log.case_starts[other]
    return EventLog(log.labels, log.activity[flat], time, offsets, log.zone)


def with_steps(log: EventLog, steps: dict[int, int]) -> EventLog:
    """The log in which some events come so many milliseconds after the previous one; later events move along."""
    step = log.durations
    moved = np.zeros(log.n_events, dtype=np.int64)
    for event, duration in steps.items():
        moved[event] = duration - step[event]
    shift = np.cumsum(moved)
    before = (shift - moved)[log.case_offsets[:-1]]  # what earlier cases moved is not for this one
    time = log.time + shift - before[row_of(log.case_offsets)]
    return EventLog(log.labels, log.activity, time, log.case_offsets, log.zone)


def exchanged(log: EventLog, event: int, other: int) -> EventLog:
    """The log in which two events took as long as each other; the distribution of durations stays the same."""
    step = log.durations
    return with_steps(log, {event: int(step[other]), other: int(step[event])})


class Release:
    """A release as an attacker sees it: which cases take which path of the original."""

    def __init__(self, original: EventLog, log: EventLog) -> None:
        self.log = log
        known = {path: number for number, path in enumerate(paths_of(original))}
        self._number = np.array([known.get(path, -1) for path in paths_of(log)], dtype=np.int64)
        self.path_of_case = self._number[log.variants.of_case]
        self._by_path = np.argsort(self.path_of_case, kind="stable")
        self._first = offsets_of(np.bincount(self.path_of_case + 1, minlength=len(known) + 1))
        self.counts = np.diff(self._first)[1:]

    def cases_on(self, path: int) -> Ints:
        """The released cases on a path of the original, in no order that means anything."""
        return self._by_path[self._first[path + 1] : self._first[path + 2]]

    def steps_at(self, path: int, place: int) -> Ints:
        """How long the released cases on a path took for the step to this place, in milliseconds."""
        event = self.log.case_offsets[self.cases_on(path)] + place
        return self.log.time[event] - self.log.time[event - 1]


def paths_of(log: EventLog) -> list[tuple[str, ...]]:
    """The variants as tuples of labels, in their order."""
    return list(log.variant_counts())
