"""Logs that differ in one person: what an attacker tries to tell apart."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from ..automaton import build_automaton
from ..log import EventLog, pairs
from ..ragged import Ints, offsets_of, positions, row_of, take_rows


def without(log: EventLog, case: int) -> EventLog:
    """The log without one case."""
    left = np.delete(np.arange(log.n_cases), case)
    return replace(log.copies_of(left), offset=None if log.offset is None else log.offset[left])


def on_other_path(log: EventLog, case: int, other: int) -> EventLog:
    """The log in which a case takes the path of another one, as fast as that, from its own start on."""
    rows = np.arange(log.n_cases)
    rows[case] = other
    flat, offsets = take_rows(log.case_offsets, rows)
    time = log.time[flat]
    time[offsets[case] : offsets[case + 1]] += log.case_starts[case] - log.case_starts[other]
    return EventLog(log.labels, log.activity[flat], time, offsets, log.zone, offset=log.offset)


def with_steps(log: EventLog, steps: dict[int, int]) -> EventLog:
    """The log in which some events come so many milliseconds after the previous one; later events move along."""
    step = log.durations
    moved = np.zeros(log.n_events, dtype=np.int64)
    for event, duration in steps.items():
        moved[event] = duration - step[event]
    shift = np.cumsum(moved)
    before = (shift - moved)[log.case_offsets[:-1]]  # what earlier cases moved is not for this one
    time = log.time + shift - before[row_of(log.case_offsets)]
    return EventLog(log.labels, log.activity, time, log.case_offsets, log.zone, offset=log.offset)


def exchanged(log: EventLog, event: int, other: int) -> EventLog:
    """The log in which two events took as long as each other; the distribution of durations stays the same."""
    step = log.durations
    return with_steps(log, {event: int(step[other]), other: int(step[event])})


class Release:
    """A release as an attacker sees it: which cases take which path of the original, which events its steps."""

    def __init__(self, original: EventLog, log: EventLog) -> None:
        self.log, self._original = log, original
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

    @cached_property
    def durations(self) -> Ints:
        """How long each released step took, in milliseconds."""
        return self.log.durations

    @cached_property
    def transition(self) -> Ints:
        """The transition of the original's automaton that each released event is on; -1 for none."""
        variants = self._original.variants
        path = np.repeat(self.path_of_case, np.diff(self.log.case_offsets))
        element = np.where(path >= 0, variants.offsets[path] + positions(self.log.case_offsets), 0)
        found = build_automaton(variants).of_path[element]
        return np.where((path >= 0) & ~self.log.is_first, found, -1)

    @cached_property
    def pair(self) -> Ints:
        """The activities before and at each released event, numbered as `pairs_of` the original does; -1 for none."""
        number = {label: i for i, label in enumerate(self._original.labels)}
        place = np.array([number.get(label, -1) for label in self.log.labels], dtype=np.int64)[self.log.activity]
        known = (place >= 0) & (np.roll(place, 1) >= 0) & ~self.log.is_first
        return np.where(known, pairs(place, len(number)), -1)


def pairs_of(log: EventLog) -> Ints:
    """The activities before and at each event, as a number; -1 for the first of a case."""
    return np.where(log.is_first, -1, pairs(log.activity, len(log.labels)))


def paths_of(log: EventLog) -> list[tuple[str, ...]]:
    """The variants as tuples of labels, in their order."""
    return list(log.variant_counts())
