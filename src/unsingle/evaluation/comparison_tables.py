"""The tables of a comparison: edges, variants, durations and active cases of a log and of its release."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..core.arrays import Ints
from ..core.clock import DAY, HOUR, from_local, zone_offsets
from ..core.log import EventLog
from ..formats.tables.times import iso_times
from .context import Context, Counts
from .directly_follows import PairDistance
from .measures.active import active_cases
from .spreads import spreads

STEP, START, END = "step", "start", "end"
"""The kinds of edges: from activity to activity, from the start of a case, to its end."""

PERCENTILES = (0, 1, 2, *range(5, 100, 5), 98, 99, 100)
_MOMENTS = 200  # at which active cases are counted


@dataclass(frozen=True)
class EdgeChange:
    """An edge of the directly-follows graph before and after; hours are mean durations.

    An edge of kind `START` has no source, one of kind `END` no target.
    """

    kind: str
    source: str
    target: str
    before: int
    after: int
    hours_before: float
    hours_after: float
    distance_hours: float


@dataclass(frozen=True)
class VariantChange:
    """A variant before and after; shares are of all cases."""

    path: tuple[str, ...]
    before: int
    after: int
    share_before: float
    share_after: float


@dataclass(frozen=True)
class DurationChange:
    """How long a step to this activity takes before and after, in hours: quartiles and mean."""

    activity: str
    events_before: int
    events_after: int
    lower_before: float
    median_before: float
    upper_before: float
    mean_before: float
    lower_after: float
    median_after: float
    upper_after: float
    mean_after: float


@dataclass(frozen=True)
class Percentile:
    """So many percent of the cases take at most so many hours."""

    percent: int
    hours_before: float
    hours_after: float


@dataclass(frozen=True)
class CaseCount:
    """How many cases begin in a period, or are under way at a moment."""

    time: str
    before: int
    after: int


class ComparisonTables(NamedTuple):
    """All tables that compare two logs event by event, whatever columns they have besides."""

    edges: tuple[EdgeChange, ...]
    variants: tuple[VariantChange, ...]
    durations: tuple[DurationChange, ...]
    case_durations: tuple[Percentile, ...]
    arrivals: tuple[CaseCount, ...]
    active: tuple[CaseCount, ...]


def comparison_tables(context: Context) -> ComparisonTables:
    """All of them."""
    original, release = context.original, context.release
    return ComparisonTables(
        edges=_edges(context.directly_follows.table, original, release),
        variants=_variants(context.variants_before, context.variants_after),
        durations=_durations(original, release),
        case_durations=_case_durations(original, release),
        arrivals=_arrivals(original, release),
        active=_active(original, release),
    )


def _edges(pairs: Sequence[PairDistance], original: EventLog, release: EventLog) -> tuple[EdgeChange, ...]:
    """All edges, those between activities first by frequency; then those from the start and to the end."""
    inner = [EdgeChange(STEP, *pair) for pair in pairs]
    outer = []
    for kind in (START, END):
        before, after = (_at_end_of_cases(log, kind) for log in (original, release))
        for label in sorted(before.keys() | after.keys()):
            names = ("", label) if kind == START else (label, "")
            outer.append(EdgeChange(kind, *names, before.get(label, 0), after.get(label, 0), *[float("nan")] * 3))
    by_frequency = sorted(inner, key=lambda edge: (-edge.before, -edge.after, edge.source, edge.target))
    return tuple(by_frequency + outer)


def _at_end_of_cases(log: EventLog, kind: str) -> dict[str, int]:
    """How often each activity is the first or the last of a case."""
    event = log.case_offsets[:-1] if kind == START else log.case_offsets[1:] - 1
    counts = np.bincount(log.activity[event], minlength=len(log.labels)).tolist()
    return {label: count for label, count in zip(log.labels, counts, strict=True) if count}


def _variants(before: Counts, after: Counts, most: int = 200) -> tuple[VariantChange, ...]:
    """The most frequent variants of both."""
    cases_before, cases_after = sum(before.values()), sum(after.values())
    paths = heapq.nsmallest(
        most, before.keys() | after.keys(), key=lambda path: (-before.get(path, 0), -after.get(path, 0), path)
    )
    counts = [(path, before.get(path, 0), after.get(path, 0)) for path in paths]
    return tuple(VariantChange(path, a, b, a / cases_before, b / cases_after) for path, a, b in counts)


def _durations(original: EventLog, release: EventLog) -> tuple[DurationChange, ...]:
    """How long the step to each activity takes, for the activities of both logs."""
    before, after = _quartiles(original), _quartiles(release)
    nothing = (0, *[float("nan")] * 4)
    rows = []
    for label in dict.fromkeys(original.labels + release.labels):
        (n_before, *hours_before), (n_after, *hours_after) = before.get(label, nothing), after.get(label, nothing)
        if n_before or n_after:
            rows.append(DurationChange(label, int(n_before), int(n_after), *hours_before, *hours_after))
    return tuple(sorted(rows, key=lambda row: -row.events_before))


def _quartiles(log: EventLog) -> dict[str, tuple[float, ...]]:
    """Number, quartiles and mean of the hours before each activity."""
    later = ~log.is_first[1:]
    found = spreads(log.activity[1:][later].astype(np.int64), np.diff(log.time)[later] / HOUR, len(log.labels))
    table = np.column_stack((found.count, found.quartiles, found.mean)).tolist()
    return {label: tuple(row) for label, row in zip(log.labels, table, strict=True) if row[0]}


def _case_durations(original: EventLog, release: EventLog) -> tuple[Percentile, ...]:
    before, after = (
        np.percentile((log.case_ends - log.case_starts) / HOUR, PERCENTILES).tolist() for log in (original, release)
    )
    return tuple(Percentile(*row) for row in zip(PERCENTILES, before, after, strict=True))


def _arrivals(original: EventLog, release: EventLog) -> tuple[CaseCount, ...]:
    """Cases by the period in which they begin: days, weeks or more, so that there are not too many."""
    edges = _moments(original.case_starts, original.case_starts, original.zone, beyond=0)
    ends = np.append(edges, 2 * edges[-1] - edges[-2] if len(edges) > 1 else edges[-1] + DAY)
    before, after = (np.histogram(log.case_starts, ends)[0] for log in (original, release))
    return _counts(edges, before, after, original.zone)


def _active(original: EventLog, release: EventLog) -> tuple[CaseCount, ...]:
    """Cases under way over time (the paper's Fig. 3)."""
    edges = _moments(original.case_starts, original.case_ends, original.zone, beyond=0.25)
    return _counts(edges, active_cases(original, edges), active_cases(release, edges), original.zone)


def _moments(starts: Ints, ends: Ints, zone: str, *, beyond: float) -> Ints:
    """Midnights in equal steps over the span of the original, and so much of it more at the end."""
    first, last = int(starts.min()), int(ends.max())
    last += int(beyond * (last - first))
    step = max(1, -(-(last - first) // (_MOMENTS * DAY))) * DAY
    midnight = (first + int(zone_offsets(zone, np.array([first]))[0])) // DAY * DAY
    return from_local(zone, np.arange(midnight, last + step, step))


def _counts(edges: Ints, before: Ints, after: Ints, zone: str) -> tuple[CaseCount, ...]:
    times = iso_times(edges, zone).to_list()
    return tuple(CaseCount(*row) for row in zip(times, before.tolist(), after.tolist(), strict=True))
