"""A release as an attacker sees it, who knows the paths and steps of the original."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..core.arrays import Ints, offsets_of, positions
from ..core.automaton import build_automaton
from ..core.log import EventLog, pairs


class Observed:
    """A released log, with the path of the original that each case takes, and the step that each event is.

    `ancestors` names the original case that each released case descends from. Attackers do not know it: it decides
    whether their guesses about copies are right. None where no case descends from one, or nobody knows.
    """

    def __init__(self, original: EventLog, log: EventLog, ancestors: Ints | None = None) -> None:
        self.log, self.ancestors, self._original = log, ancestors, original
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
