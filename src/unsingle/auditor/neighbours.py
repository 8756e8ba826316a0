"""Neighbouring logs: each differs from the original in one person, and an attacker tries to tell the two apart.

Of a person with several cases, all are exchanged or missing. A `Neighbour` chooses the person and makes the log.
Attacks that name the same one share its releases.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..core.arrays import Ints, row_of, take_rows
from ..core.log import EventLog
from .targets import Targets

Neighbour = Callable[[Targets], EventLog | None]
"""Makes a neighbour of the log that these targets are of; None where the log has no such person."""


def without_frequent(targets: Targets) -> EventLog | None:
    """One person less on the most frequent path."""
    return _without_person(targets, targets.in_largest_crowd)


def without_rare(targets: Targets) -> EventLog | None:
    """One person less on the rarest path that others took too."""
    return _without_person(targets, targets.in_smallest_crowd)


def without_lone(targets: Targets) -> EventLog | None:
    """A person is missing who was alone on their path."""
    return _without_person(targets, targets.alone)


def _without_person(targets: Targets, case: int | None) -> EventLog | None:
    """The log without the person whose case this is; None if there is none, or nobody else."""
    cases = np.empty(0, dtype=np.int64) if case is None else targets.people.with_case(case)
    return without(targets.log, cases) if 0 < len(cases) < targets.log.n_cases else None


def with_frequent_path(targets: Targets) -> EventLog | None:
    """A person on the rarest path that others took too takes the most frequent one."""
    rare, frequent = targets.in_smallest_crowd, targets.on_most_frequent_path
    if rare is None or targets.path_of(rare) == targets.path_of(frequent):
        return None
    return on_other_path(targets.log, targets.people.with_case(rare), frequent)


def with_times_exchanged(targets: Targets) -> EventLog | None:
    """The person with the most unusual duration has exchanged it with someone whose duration was usual."""
    if (pair := targets.outlier) is None:
        return None
    return exchanged(targets.log, pair[0].event, pair[1].event)


def with_usual_time(targets: Targets) -> EventLog | None:
    """The person with the most unusual duration took as long as usual."""
    if (pair := targets.outlier) is None:
        return None
    return with_steps(targets.log, {pair[0].event: int(targets.durations[pair[1].event])})


def with_usual_weighty_time(targets: Targets) -> EventLog | None:
    """The same for the unusual duration that is most of its case, and so moves tallies of durations most."""
    weighty = targets.weightiest()
    return None if weighty is None else with_steps(targets.log, weighty)


def without(log: EventLog, cases: Ints) -> EventLog:
    """The log without these cases."""
    return log.subset(np.delete(np.arange(log.n_cases), cases))


def on_other_path(log: EventLog, cases: Ints, other: int) -> EventLog:
    """The log in which some cases take the path of another one, as fast as that, from their own starts on."""
    rows = np.arange(log.n_cases)
    rows[cases] = other
    flat, offsets = take_rows(log.case_offsets, rows)
    moved = np.zeros(log.n_cases, dtype=np.int64)
    moved[cases] = log.case_starts[cases] - log.case_starts[other]
    time = log.time[flat] + np.repeat(moved, np.diff(offsets))
    columns = [each if each.field.of_cases else each.take(flat) for each in log.columns]
    return replace(log, activity=log.activity[flat], time=time, case_offsets=offsets, columns=tuple(columns))


def with_steps(log: EventLog, steps: dict[int, int]) -> EventLog:
    """The log in which some events come so many milliseconds after the previous one; later events move along."""
    step = log.durations
    moved = np.zeros(log.n_events, dtype=np.int64)
    for event, duration in steps.items():
        moved[event] = duration - step[event]
    shift = np.cumsum(moved)
    before = (shift - moved)[log.case_offsets[:-1]]  # the shifts of earlier cases do not count for this one
    time = log.time + shift - before[row_of(log.case_offsets)]
    return replace(log, time=time)


def exchanged(log: EventLog, event: int, other: int) -> EventLog:
    """The log in which two events took as long as each other; the distribution of durations stays the same."""
    step = log.durations
    return with_steps(log, {event: int(step[other]), other: int(step[event])})
