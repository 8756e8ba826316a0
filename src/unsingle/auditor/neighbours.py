"""Neighbouring logs: each differs from the original in one person, and an attacker tries to tell the two apart.

A `Neighbour` chooses the person and makes the log. Attacks that name the same one share its releases.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..core.arrays import row_of, take_rows
from ..core.log import EventLog
from .targets import Targets

Neighbour = Callable[[Targets], EventLog | None]
"""Makes a neighbour of the log that these targets are of; None where the log has no such person."""


def without_frequent(targets: Targets) -> EventLog | None:
    """One person less on the most frequent path."""
    case = targets.in_largest_crowd
    return without(targets.log, case) if targets.crowd[case] > 1 else None


def without_rare(targets: Targets) -> EventLog | None:
    """One person less on the rarest path that others took too."""
    case = targets.in_smallest_crowd
    return None if case is None else without(targets.log, case)


def without_lone(targets: Targets) -> EventLog | None:
    """A person is missing who was alone on their path."""
    case = targets.alone
    return None if case is None or targets.log.n_cases == 1 else without(targets.log, case)


def with_frequent_path(targets: Targets) -> EventLog | None:
    """A person on the rarest path that others took too takes the most frequent one."""
    rare, frequent = targets.in_smallest_crowd, targets.in_largest_crowd
    path = targets.log.variants.of_case
    return None if rare is None or path[rare] == path[frequent] else on_other_path(targets.log, rare, frequent)


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
    return None if weighty is None else with_steps(targets.log, {weighty[0].event: weighty[1]})


def without(log: EventLog, case: int) -> EventLog:
    """The log without one case."""
    return log.subset(np.delete(np.arange(log.n_cases), case))


def on_other_path(log: EventLog, case: int, other: int) -> EventLog:
    """The log in which a case takes the path of another one, as fast as that, from its own start on."""
    rows = np.arange(log.n_cases)
    rows[case] = other
    flat, offsets = take_rows(log.case_offsets, rows)
    time = log.time[flat]
    time[offsets[case] : offsets[case + 1]] += log.case_starts[case] - log.case_starts[other]
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
