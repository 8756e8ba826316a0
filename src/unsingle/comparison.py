"""A log and its release side by side: can it still be used? Private, because it shows the original."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .clock import DAY, HOUR, from_local, iso_times, zone_offsets
from .log import EventLog
from .measures import (
    Distance,
    PairDistance,
    SetChange,
    active_cases,
    case_duration_distance,
    mean_distance,
    pair_distances,
    set_change,
    start_distance,
)
from .ragged import Ints, offsets_of
from .remarks import TIMES_LOST, people_alone
from .tabular import Tabular
from .wording import percent

if TYPE_CHECKING:
    from .release import Release

Floats = NDArray[np.float64]
Counts = Mapping[tuple[str, ...], int]

STEP, START, END = "step", "start", "end"
"""The kinds of edges: from activity to activity, from the start of a case, to its end."""

PERCENTILES = (0, 1, 5, 10, 25, 50, 75, 90, 95, 99, 100)
_CLOSE = 0.1  # of the mean: durations that moved by no more are close to the truth
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
    one_person_paths: int
    guarantee: str
    people_alone: str
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
        if not any(edge.before and edge.after for edge in self.edges if edge.kind == STEP):
            times = "No step is in both, so durations cannot be compared."
        else:
            times = (
                f"Durations between events are {_judged(share)}: they moved by {self.time_distance.hours:,.1f} h on "
                f"average, {percent(share)} of the mean of {self.mean_step_hours:,.1f} h."
            )
        return f"{paths} {times} There are {self.ratio:.2f} times as many cases."


def _judged(share: float) -> str:
    """How good durations are that moved by this share of their mean."""
    if share <= _CLOSE:
        return "close to the truth"
    return "roughly right" if share <= TIMES_LOST else "lost, and not to be relied on"


def compare(original: EventLog, release: EventLog | Release) -> Comparison:
    """Compare a release with its original. A `Release` brings its guarantee along, a log does not.

    >>> from unsingle import synthesize
    >>> log = synthesize(cases=100)
    >>> compare(log, log).time_distance.hours
    0.0
    """
    if isinstance(release, EventLog):
        return _compared(original, release)
    guarantee = f"{release.method}, delta {release.delta:g}. {release.guarantee}"
    return _compared(original, release.log, guarantee, people_alone(release))


def _compared(original: EventLog, release: EventLog, guarantee: str = "", people_alone: str = "") -> Comparison:
    steps = max(1, original.n_events - original.n_cases)
    mean_step = float((original.case_ends - original.case_starts).sum() / steps / HOUR)
    before, after = original.variant_counts(), release.variant_counts()
    pairs = pair_distances(original, release)
    return Comparison(
        cases_before=original.n_cases,
        cases_after=release.n_cases,
        events_before=original.n_events,
        events_after=release.n_events,
        ratio=release.n_cases / original.n_cases,
        mean_step_hours=mean_step,
        time_distance=mean_distance(pairs, mean_step),
        case_duration_distance=case_duration_distance(original, release),
        start_distance_hours=start_distance(original, release),
        variant_change=set_change(before, after),
        edge_change=set_change(
            {(pair.source, pair.target): pair.before for pair in pairs if pair.before},
            {(pair.source, pair.target): pair.after for pair in pairs if pair.after},
        ),
        replay_share=_replay_share(before, after),
        one_person_paths=sum(cases == 1 and path in after for path, cases in before.items()),
        guarantee=guarantee,
        people_alone=people_alone,
        edges=_edges(pairs, original, release),
        variants=_variants(before, after),
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


def _replay_share(before: Counts, after: Counts) -> float:
    """The share of released cases that replay on the original's directly-follows graph, from start to end."""
    allowed = {edge for path in before for edge in _edges_of(path)}
    new = {path: cases for path, cases in after.items() if path not in before}  # all others replay
    lost = sum(cases for path, cases in new.items() if not allowed.issuperset(_edges_of(path)))
    return 1 - lost / sum(after.values())


def _edges_of(path: tuple[str, ...]) -> Iterator[tuple[str | None, str | None]]:
    return zip((None, *path), (*path, None), strict=True)
