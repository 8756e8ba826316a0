"""How close a release is to its original. These figures show the truth: they are private.

Durations are in milliseconds here; whoever shows them chooses the unit.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from .clock import HOUR
from .log import EventLog
from .parallel import in_order
from .ragged import Ints, dense, offsets_of, pieces

Floats = NDArray[np.float64]
Pairs = NDArray[np.int32] | NDArray[np.int64]
T = TypeVar("T", bound=Hashable)
Integer = TypeVar("Integer", np.int32, np.int64)


@dataclass(frozen=True)
class Distance:
    """A distance between two distributions of times, in hours and as a share of the original's mean."""

    hours: float
    share_of_mean: float


def smape(true: Ints, released: Ints) -> float:
    """Symmetric mean absolute percentage error, 0 to 1 (paper Sect. V); 0 where both values are 0.

    >>> smape(np.array([10, 0, 5]), np.array([30, 0, 5]))
    0.16666666666666666
    """
    total = np.abs(true) + np.abs(released)
    error = np.divide(np.abs(true - released), total, out=np.zeros(len(true)), where=total > 0)
    return float(error.mean()) if len(error) else 0.0


def wasserstein(group_a: Ints, a: Ints, group_b: Ints, b: Ints, n_groups: int) -> Floats:
    """Wasserstein-1 distance between the values of a and of b, for each group; NaN where one has none.

    >>> wasserstein(np.zeros(2, int), np.array([0, 10]), np.zeros(1, int), np.array([6]), 1).tolist()
    [5.0]
    """
    size_a, size_b = np.bincount(group_a, minlength=n_groups), np.bincount(group_b, minlength=n_groups)
    distance = _areas(*_sorted_by_group(group_a, a, group_b, b), size_a, size_b)
    distance[(size_a == 0) | (size_b == 0)] = np.nan
    return distance


def _sorted_by_group(group_a: Ints, a: Ints, group_b: Ints, b: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """All values, by group and then by size, and whether each is of a."""
    n = len(a)
    low = min(a.min(initial=0), b.min(initial=0))
    bits = int(max(a.max(initial=0), b.max(initial=0)) - low).bit_length()
    key = np.concatenate((group_a, group_b))
    if int(key.max(initial=0)).bit_length() + bits > 62:
        value = np.concatenate((a, b))
        order = np.lexsort((value, key))
        return value[order], order < n
    key <<= bits + 1
    key[:n] |= ((a - low) << 1) | 1
    key[n:] |= (b - low) << 1
    key.sort()  # one number to sort is much faster than two
    return ((key >> 1) & ((1 << bits) - 1)) + low, (key & 1).astype(np.bool_)


def _areas(value: Ints, from_a: NDArray[np.bool_], size_a: Ints, size_b: Ints) -> Floats:
    """The area between the two distribution functions of each group."""
    size = size_a + size_b
    group = np.repeat(np.arange(len(size)), size)
    before_a, before_b = (np.cumsum(part) - part for part in (size_a, size_b))
    with np.errstate(invalid="ignore", divide="ignore"):
        # distribution functions from whole counts: equal samples give exactly 0
        below_a = (np.cumsum(from_a) - before_a[group]) / size_a[group]
        below_b = (np.cumsum(~from_a) - before_b[group]) / size_b[group]
        gap = np.diff(value, append=0)
        gap[np.cumsum(size)[size > 0] - 1] = 0  # from one group to the next
        area = np.abs(below_a - below_b) * gap
    return np.bincount(group, weights=area, minlength=len(size)).astype(np.float64)


def time_distance(original: EventLog, release: EventLog) -> Distance:
    """Mean distance of the durations per directly-follows pair, by the original's frequencies.

    A pair that the release lost counts as if all its durations had become 0.
    """
    pairs = _pairs_numbered_alike(original, release)
    by_pair = _distance_by_pair(original, release, pairs)
    weight = np.bincount(pairs[0] + 1, minlength=len(by_pair) + 1)[1:]
    total = (original.case_ends - original.case_starts).sum()
    return _weighted(by_pair, weight, float(total / max(1, weight.sum())))


def mean_distance(pairs: Sequence[PairDistance], mean_hours: float) -> Distance:
    """The same from the distance of each pair and the mean duration of the original's steps."""
    distance, weight = np.array([pair.distance for pair in pairs]), np.array([pair.before for pair in pairs])
    return _weighted(distance * HOUR, weight, mean_hours * HOUR)


def _weighted(by_pair: Floats, weight: Ints, mean: float) -> Distance:
    if not weight.any():
        return Distance(0.0, 0.0)
    known = weight > 0
    return _distance(float(np.average(by_pair[known], weights=weight[known])), mean)


class PairDistance(NamedTuple):
    """A directly-follows pair in two logs: how often, mean hours, and the distance of its durations in hours."""

    source: str
    target: str
    before: int
    after: int
    mean_before: float
    mean_after: float
    distance: float


def pair_distances(original: EventLog, release: EventLog) -> list[PairDistance]:
    """Every directly-follows pair that one of the logs has; means are not a number where one does not have it."""
    pairs = _pairs_numbered_alike(original, release)
    distance = _distance_by_pair(original, release, pairs) / HOUR
    names: dict[int, tuple[str, str]] = {}
    columns = []
    for log, pair in zip((original, release), pairs, strict=True):
        event = np.flatnonzero(pair >= 0)
        count = np.bincount(pair[event], minlength=len(distance))
        total = np.bincount(pair[event], weights=log.time[event] - log.time[event - 1], minlength=len(distance))
        columns += [count, np.divide(total, count * HOUR, out=np.full(len(count), np.nan), where=count > 0)]
        for number, first in zip(*np.unique(pair[event], return_index=True), strict=True):
            activity = log.activity[event[first] - 1 : event[first] + 1]
            names[int(number)] = (log.labels[int(activity[0])], log.labels[int(activity[1])])
    before, mean_before, after, mean_after = columns
    return [
        PairDistance(*names[i], int(before[i]), int(after[i]), float(mean_before[i]), float(mean_after[i]), distance[i])
        for i in sorted(names)
    ]


def _distance_by_pair(original: EventLog, release: EventLog, pairs: tuple[Pairs, Pairs]) -> Floats:
    """The distance of the durations of each directly-follows pair; NaN where the original does not have it.

    Durations of a pair that the release does not have count as if they had become 0.
    """
    pair_a, pair_b = pairs
    n_pairs = int(max(pair_a.max(), pair_b.max())) + 1
    size_a, size_b = (np.bincount(pair + 1, minlength=n_pairs + 1)[1:] for pair in pairs)

    def of_some(some: slice) -> Floats:
        a, b = (_durations(log, pair, some) for log, pair in ((original, pair_a), (release, pair_b)))
        distance = wasserstein(*a, *b, some.stop - some.start)
        lost = np.isnan(distance)
        distance[lost] = _means(*a, len(distance))[lost]
        return distance

    parts = pieces(offsets_of(size_a + size_b), 1_000_000)  # on all cores, and so that memory stays small
    return np.concatenate([np.empty(0), *in_order(of_some, parts)])


def _means(group: Ints, value: Ints, n_groups: int) -> Floats:
    """The mean of each group; NaN where it is empty."""
    size, total = np.bincount(group, minlength=n_groups), np.bincount(group, weights=value, minlength=n_groups)
    return np.divide(total, size, out=np.full(n_groups, np.nan), where=size > 0)


def _durations(log: EventLog, pair: Pairs, chosen: slice) -> tuple[Ints, Ints]:
    """Pair, from the first chosen one on, and duration of the events of the chosen pairs."""
    event = np.flatnonzero((pair >= chosen.start) & (pair < chosen.stop))
    return pair[event].astype(np.int64) - chosen.start, log.time[event] - log.time[event - 1]


def _pairs_numbered_alike(original: EventLog, release: EventLog) -> tuple[Pairs, Pairs]:
    """The directly-follows pair of each event of both logs, numbered from 0; -1 for the first of a case."""
    number = {label: i for i, label in enumerate(dict.fromkeys(original.labels + release.labels))}
    if len(number) <= 2000:  # not too many possible pairs to keep a count of each
        return _pairs(original, number, np.int32), _pairs(release, number, np.int32)
    pairs = np.concatenate([_pairs(original, number, np.int64), _pairs(release, number, np.int64)])
    numbered = dense(pairs + 1) - 1
    return numbered[: original.n_events], numbered[original.n_events :]


def _pairs(log: EventLog, number: dict[str, int], integer: type[Integer]) -> NDArray[Integer]:
    pair = np.array([number[label] for label in log.labels], dtype=integer)[log.activity]
    pair[1:] += len(number) * pair[:-1]
    pair[log.case_offsets[:-1]] = -1
    return pair


def case_duration_distance(original: EventLog, release: EventLog) -> Distance:
    """Distance between the distributions of whole case durations."""
    a, b = original.case_ends - original.case_starts, release.case_ends - release.case_starts
    return _distance(_one_group(a, b), float(a.mean()))


def start_distance(original: EventLog, release: EventLog) -> float:
    """Distance between the distributions of case starts, in hours."""
    return _one_group(original.case_starts, release.case_starts) / HOUR


@dataclass(frozen=True)
class SetChange:
    """What became of a set of variants or of directly-follows edges.

    `frequency_distance` is half the sum of the absolute differences of relative frequencies: 0 if all
    kept their share, 1 if nothing is left.
    """

    before: int
    after: int
    lost: int
    added: int
    jaccard: float
    frequency_distance: float


def lost_variants(original: EventLog, release: EventLog) -> dict[tuple[str, ...], int]:
    """The variants that the release does not have, with their cases, the most frequent first."""
    left = release.variant_counts().keys()
    lost = [(path, cases) for path, cases in original.variant_counts().items() if path not in left]
    return dict(sorted(lost, key=lambda variant: -variant[1]))


def active_cases(log: EventLog, moments: Ints) -> Ints:
    """How many cases have begun and not ended at each moment (the paper's Fig. 3).

    >>> log = EventLog.from_events(np.array([1, 1, 2]), np.array([0, 0, 0]), np.array([5, 9, 6]), ["A"])
    >>> active_cases(log, np.array([4, 5, 6, 7, 10])).tolist()
    [0, 1, 2, 1, 0]
    """
    begun = np.searchsorted(np.sort(log.case_starts), moments, side="right")
    return begun - np.searchsorted(np.sort(log.case_ends), moments, side="left")


def _one_group(a: Ints, b: Ints) -> float:
    zeros = [np.zeros(len(x), dtype=np.int64) for x in (a, b)]
    return float(wasserstein(zeros[0], a, zeros[1], b, 1)[0])


def _distance(milliseconds: float, mean: float) -> Distance:
    share = milliseconds / mean if mean else (0.0 if milliseconds == 0 else float("inf"))
    return Distance(milliseconds / HOUR, share)


def set_change(before: Mapping[T, int], after: Mapping[T, int]) -> SetChange:
    """What became of the keys and of their relative frequencies."""
    both = before.keys() & after.keys()
    union = before.keys() | after.keys()
    total_before, total_after = max(1, sum(before.values())), max(1, sum(after.values()))
    moved = sum(abs(before.get(x, 0) / total_before - after.get(x, 0) / total_after) for x in union)
    return SetChange(
        before=len(before),
        after=len(after),
        lost=len(before) - len(both),
        added=len(after) - len(both),
        jaccard=len(both) / len(union) if union else 1.0,
        frequency_distance=moved / 2,
    )
