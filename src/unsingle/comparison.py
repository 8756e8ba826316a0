"""A log and its release side by side: can it still be used? Private, because it shows the original."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .clock import DAY, HOUR, iso_times
from .log import EventLog
from .measures import (
    Distance,
    SetChange,
    active_cases,
    case_duration_distance,
    edge_changes,
    pair_distances,
    start_distance,
    time_distance,
    variant_changes,
)
from .ragged import Ints, offsets_of
from .tabular import Tabular
from .wording import percent

Floats = NDArray[np.float64]
_Span = Callable[[EventLog], tuple[Ints, Ints]]

START, END = "start of case", "end of case"
"""The nodes of a directly-follows graph that are no activities."""

PERCENTILES = (0, 1, 5, 10, 25, 50, 75, 90, 95, 99, 100)
_MOMENTS = 200  # at which active cases are counted


@dataclass(frozen=True)
class EdgeChange:
    """An edge of the directly-follows graph before and after; hours are mean durations."""

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


@dataclass(frozen=True)
class Comparison(Tabular):
    """Everything that changed from a log to its release. Private: it shows the original."""

    cases_before: int
    cases_after: int
    events_before: int
    events_after: int
    ratio: float
    mean_step_hours: float
    time_distance: Distance
    case_duration_distance: Distance
    start_distance_hours: float
    variant_change: SetChange
    edge_change: SetChange
    replay_share: float
    edges: tuple[EdgeChange, ...]
    variants: tuple[VariantChange, ...]
    durations: tuple[DurationChange, ...]
    case_durations: tuple[Percentile, ...]
    arrivals: tuple[CaseCount, ...]
    active: tuple[CaseCount, ...]

    @property
    def verdict(self) -> str:
        """The answer in three sentences."""
        variants = self.variant_change
        if variants.lost or variants.added:
            paths = f"{variants.lost:,} of {variants.before:,} variants are lost and {variants.added:,} are new."
        else:
            paths = f"All {variants.before:,} variants are there and none is new."
        share = self.time_distance.share_of_mean
        if share != share:
            times = "No step is in both, so durations cannot be compared."
        else:
            word = "close to the truth" if share <= 0.1 else "roughly right" if share <= 0.5 else "not to be relied on"
            times = (
                f"Durations between events are {word}: they moved by {self.time_distance.hours:,.1f} h on average, "
                f"{percent(share)} of the mean of {self.mean_step_hours:,.1f} h."
            )
        return f"{paths} {times} There are {self.ratio:.2f} times as many cases."


def compare(original: EventLog, release: EventLog) -> Comparison:
    """Compare a release with its original.

    >>> from unsingle import synthesize
    >>> log = synthesize(cases=100)
    >>> compare(log, log).time_distance.hours
    0.0
    """
    steps = max(1, original.n_events - original.n_cases)
    edges = _edges(original, release)
    return Comparison(
        cases_before=original.n_cases,
        cases_after=release.n_cases,
        events_before=original.n_events,
        events_after=release.n_events,
        ratio=release.n_cases / original.n_cases,
        mean_step_hours=float((original.case_ends - original.case_starts).sum() / steps / HOUR),
        time_distance=time_distance(original, release),
        case_duration_distance=case_duration_distance(original, release),
        start_distance_hours=start_distance(original, release),
        variant_change=variant_changes(original, release),
        edge_change=edge_changes(original, release),
        replay_share=_replay_share(original, release),
        edges=edges,
        variants=_variants(original, release),
        durations=_durations(original, release),
        case_durations=_case_durations(original, release),
        arrivals=_arrivals(original, release),
        active=_active(original, release),
    )


def _edges(original: EventLog, release: EventLog) -> tuple[EdgeChange, ...]:
    """All edges, those between activities first by frequency; then those from the start and to the end."""
    inner = [EdgeChange(*pair) for pair in pair_distances(original, release)]
    outer = []
    for place in (0, -1):
        before, after = (_at_end_of_cases(log, place) for log in (original, release))
        for label in sorted(before.keys() | after.keys()):
            source, target = (START, label) if place == 0 else (label, END)
            outer.append(EdgeChange(source, target, before.get(label, 0), after.get(label, 0), *[float("nan")] * 3))
    by_frequency = sorted(inner, key=lambda edge: (-edge.before, -edge.after, edge.source, edge.target))
    return tuple(by_frequency + outer)


def _at_end_of_cases(log: EventLog, place: int) -> dict[str, int]:
    """How often each activity is the first (0) or the last (-1) of a case."""
    event = log.case_offsets[:-1] if place == 0 else log.case_offsets[1:] - 1
    counts = np.bincount(log.activity[event], minlength=len(log.labels)).tolist()
    return {label: count for label, count in zip(log.labels, counts, strict=True) if count}


def _variants(original: EventLog, release: EventLog, most: int = 200) -> tuple[VariantChange, ...]:
    """The most frequent variants of both."""
    before, after = original.variant_counts(), release.variant_counts()
    paths = sorted(before.keys() | after.keys(), key=lambda path: (-before.get(path, 0), -after.get(path, 0), path))
    return tuple(
        VariantChange(
            path,
            before.get(path, 0),
            after.get(path, 0),
            before.get(path, 0) / original.n_cases,
            after.get(path, 0) / release.n_cases,
        )
        for path in paths[:most]
    )


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
    activity, hours = log.activity[1:][later], np.diff(log.time)[later] / HOUR
    order = np.lexsort((hours, activity))
    edges = offsets_of(np.bincount(activity, minlength=len(log.labels)))
    found = {}
    for number, label in enumerate(log.labels):
        own = hours[order[edges[number] : edges[number + 1]]]
        if len(own):
            found[label] = (len(own), *np.percentile(own, (25, 50, 75)).tolist(), float(own.mean()))
    return found


def _case_durations(original: EventLog, release: EventLog) -> tuple[Percentile, ...]:
    before, after = (
        np.percentile((log.case_ends - log.case_starts) / HOUR, PERCENTILES).tolist() for log in (original, release)
    )
    return tuple(Percentile(*row) for row in zip(PERCENTILES, before, after, strict=True))


def _arrivals(original: EventLog, release: EventLog) -> tuple[CaseCount, ...]:
    """Cases by the period in which they begin: days, weeks or more, so that there are not too many."""
    edges = _moments(original, release, lambda log: (log.case_starts, log.case_starts))
    before, after = (np.histogram(log.case_starts, np.append(edges, 2**62))[0] for log in (original, release))
    return _counts(edges, before, after, original.zone)


def _active(original: EventLog, release: EventLog) -> tuple[CaseCount, ...]:
    """Cases under way over time (the paper's Fig. 3)."""
    edges = _moments(original, release, lambda log: (log.case_starts, log.case_ends))
    return _counts(edges, active_cases(original, edges), active_cases(release, edges), original.zone)


def _moments(original: EventLog, release: EventLog, span: _Span) -> Ints:
    """Moments in equal steps of whole days over both logs; what lies far beyond the original is cut off."""
    first, last = span(original)[0].min(), span(original)[1].max()
    longer = (last - first) // 4
    first = max(int(span(release)[0].min()), int(first - longer))
    last = min(int(span(release)[1].max()), int(last + longer))
    first, last = min(first, int(span(original)[0].min())), max(last, int(span(original)[1].max()))
    step = max(1, -(-(last - first) // (_MOMENTS * DAY))) * DAY
    return np.arange(first // DAY * DAY, last + step, step)


def _counts(edges: Ints, before: Ints, after: Ints, zone: str) -> tuple[CaseCount, ...]:
    times = iso_times(edges, zone).to_list()
    return tuple(CaseCount(*row) for row in zip(times, before.tolist(), after.tolist(), strict=True))


def _replay_share(original: EventLog, release: EventLog) -> float:
    """The share of released cases that replay on the original's directly-follows graph, from start to end."""
    allowed = _graph(original)
    paths = release.variant_counts()
    fits = sum(count for path, count in paths.items() if _edges_of(path) <= allowed)
    return fits / release.n_cases


def _graph(log: EventLog) -> set[tuple[str | None, str | None]]:
    return {edge for path in log.variant_counts() for edge in _edges_of(path)}


def _edges_of(path: tuple[str, ...]) -> set[tuple[str | None, str | None]]:
    return set(zip((None, *path), (*path, None), strict=True))
