"""Whom to attack: people who stand out most, not only anybody.

Everything here looks at the original: it decides what the auditor tries, nothing of it is released.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..core.arrays import Ints, dense, distinct, offsets_of, row_of
from ..core.automaton import build_automaton
from ..core.log import EventLog
from ..mechanisms.groups import Coded, Population
from .observed import pairs_of
from .people import People

_LARGE_GROUP = 20  # steps: in a smaller group nothing is usual
_UNUSUAL = 4  # times as long as usual
_ROOT = 0.25  # between two steps that are most of their cases, the longer one, but not at any price


@dataclass(frozen=True)
class Step:
    """The duration of one event, and those of all events of its group."""

    event: int
    path: int
    place: int
    group: Ints  # events
    transition: int
    pair: int


class Targets:
    """The cases and events of a log that are worth attacking.

    Where the log says whose each case is, people with several cases are attacked before others: all of their cases are
    exchanged, or missing. `most` is how many somebody may have.
    """

    def __init__(self, log: EventLog, most: int | None = None) -> None:
        self.log = log
        variants = log.variants
        self.people = People(log, most)
        self.crowd = self.people.crowd
        """How many people take the path of each case."""
        self._case = row_of(log.case_offsets)
        self._automaton = build_automaton(variants)
        self._transition = self._automaton.of_events(log)
        self._pair = pairs_of(log)
        self.durations = log.durations

    @cached_property
    def alone(self) -> int | None:
        """A case on a path that nobody else takes, the shortest of them: such a path is easiest to know.

        It is of someone who has as many such cases as anybody.
        """
        alone = self.crowd == 1
        lone_cases = self.people.sum_of(alone)[self.people.of_case]
        return self.people.best_case(np.flatnonzero(alone), -lone_cases, np.diff(self.log.case_offsets))

    @cached_property
    def in_smallest_crowd(self) -> int | None:
        """A case on the path that the fewest, but more than one, took.

        It is of someone with as many cases as possible, all on such paths.
        """
        return self._in_crowds(self.people.sum_of(self.crowd)[self.people.of_case])

    @cached_property
    def in_largest_crowd(self) -> int | None:
        """A case on the most frequent path that somebody else took too, of such a person."""
        return self._in_crowds(-self.people.sum_of(self.crowd)[self.people.of_case])

    def _in_crowds(self, key: Ints) -> int | None:
        """The case with the least key, of people who share all of their paths with others, and have many cases."""
        people, n_cases = self.people, self.people.cases[self.people.of_case]
        shared = people.sum_of(self.crowd > 1)[people.of_case] == n_cases
        return people.best_case(np.flatnonzero(shared), -n_cases, key)

    @cached_property
    def on_most_frequent_path(self) -> int:
        """A case on the path that most people took."""
        return int(np.argmax(self.crowd))

    def path_of(self, case: int) -> int:
        """The number of the path that a case takes."""
        return int(self.log.variants.of_case[case])

    def paths_with(self, case: int) -> list[int]:
        """The paths of all cases of the person whose case this is, that of the case itself first."""
        others = self.log.variants.of_case[self.people.with_case(case)].tolist()
        return list(dict.fromkeys((self.path_of(case), *others)))

    def variants_with_step_of(self, case: int) -> Ints:
        """The variants that share the step of this case which the fewest others have."""
        first, after = self.log.case_offsets[case : case + 2].tolist()
        steps = self._transition[first:after]
        frequency = np.bincount(self._transition, minlength=self._automaton.n_transitions)
        rarest = steps[np.argmin(frequency[steps])]
        passing = distinct(self._case[self._transition == rarest])
        return distinct(self.log.variants.of_case[passing])

    @cached_property
    def outlier(self) -> tuple[Step, Step] | None:
        """The step that stands out most from its group, and one of the same group that is quite usual.

        Both belong to people alone on their path if there are any: their copies can be told from those of others.
        """
        steps = self._grouped()
        if steps is None:
            return None
        entries, population = steps
        best: tuple[float, int, int] | None = None
        by_group = entries[np.argsort(population.group, kind="stable")]
        for group in np.flatnonzero((population.size >= _LARGE_GROUP) & (population.range > 0)).tolist():
            members = by_group[population.offsets[group] : population.offsets[group + 1]]
            values = self.durations[members]
            rare = members[self.crowd[self._case[members]] == self.crowd[self._case[members]].min()]
            far = int(rare[np.argmax(self.durations[rare])])
            usual = self._most_usual(rare[self._case[rare] != self._case[far]], float(np.median(values)))
            if usual is None:
                continue
            standing = (self.durations[far] - self.durations[usual]) / population.range[group]
            crowd = float(self.crowd[self._case[far]])
            key = (standing / crowd, far, usual)
            if best is None or key[0] > best[0]:
                best = key
        return None if best is None or best[0] <= 0 else (self.step(best[1]), self.step(best[2]))

    def _most_usual(self, events: Ints, median: float) -> int | None:
        return None if not len(events) else int(events[np.argmin(np.abs(self.durations[events] - median))])

    def in_group(self, *, large: bool) -> Step | None:
        """A step of someone as alone as possible, in the largest group or in the smallest that has two people."""
        steps = self._grouped()
        if steps is None:
            return None
        entries, population = steps
        size = np.where(population.range > 0, population.size, 0)
        crowd = np.full(len(size), np.iinfo(np.int64).max)
        np.minimum.at(crowd, population.group, self.crowd[self._case[entries]])
        possible = np.flatnonzero(size >= 2)
        if not len(possible):
            return None
        key = crowd[possible] * (2 * size.max()) + (-size[possible] if large else size[possible])
        members = entries[population.group == possible[np.argmin(key)]]
        return self.step(int(members[np.argmin(self.crowd[self._case[members]])]))

    def step(self, event: int) -> Step:
        """What there is to know of an event's step."""
        case, transition = int(self._case[event]), int(self._transition[event])
        group = np.flatnonzero((self._transition == transition) & ~self.log.is_first)
        place, path = event - int(self.log.case_offsets[case]), int(self.log.variants.of_case[case])
        return Step(event, path, place, group, transition, int(self._pair[event]))

    def steps_of(self, case: int) -> list[Step]:
        """All steps of a case that have a duration."""
        first, after = self.log.case_offsets[case : case + 2].tolist()
        return [self.step(event) for event in range(first + 1, after)]

    def weightiest(self) -> dict[int, int] | None:
        """An event that came unusually late and is most of its case, and a usual duration between the same activities.

        The more of a case a step is, the more of the case's weight it carries in what a method measures. Of a person
        with several cases, all unusual steps.
        """
        entries = np.flatnonzero(~self.log.is_first)
        _, pair = np.unique(self._pair[entries], return_inverse=True)
        usual = _medians(self.durations[entries], pair)[pair]
        took = self.durations[entries].astype(np.float64)
        whole = np.add.reduceat(self.durations, self.log.case_offsets[:-1])[self._case[entries]]
        share = np.divide(took, whole, out=np.zeros_like(took), where=whole > 0)
        weight = np.where(took >= _UNUSUAL * np.maximum(usual, 1), share * took**_ROOT, 0)
        person = self.people.of_case[self._case[entries]]
        weight[~self.people.attacked[person]] = 0
        if not weight.any():
            return None
        chosen = np.array([np.argmax(weight)])
        if self.people.several:
            chosen = np.flatnonzero((person == np.argmax(np.bincount(person, weights=weight))) & (weight > 0))
        return dict(zip(entries[chosen].tolist(), usual[chosen].tolist(), strict=True))

    def _grouped(self) -> tuple[Ints, Population] | None:
        """All events with a duration, by transition."""
        entries = np.flatnonzero(~self.log.is_first)
        if not len(entries):
            return None
        return entries, Population(Coded(self.durations[entries]), dense(self._transition[entries]))

    def some_cases(self, most: int, random_order: Ints) -> Ints:
        """So many cases: first those alone on their path, in a random order."""
        order = random_order[np.argsort(self.crowd[random_order] > 1, kind="stable")]
        return order[:most]


def _medians(values: Ints, group: Ints) -> Ints:
    """The lower median of each group."""
    order = np.lexsort((values, group))
    edges = offsets_of(np.bincount(group))
    return values[order][(edges[:-1] + edges[1:] - 1) // 2]
