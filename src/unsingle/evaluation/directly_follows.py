"""The directly-follows pairs of an original and its release: how often each occurs, and how far its durations moved."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats, Ints, dense, offsets_of, pieces
from ..core.clock import HOUR
from ..core.log import EventLog
from ..core.machine import in_order
from .wasserstein import wasserstein

Pairs = NDArray[np.int32] | NDArray[np.int64]
Integer = TypeVar("Integer", np.int32, np.int64)

_EVENTS_AT_ONCE = 1_000_000
_MANY_LABELS = 2000  # beyond, there are too many possible pairs to keep a count of each


class PairDistance(NamedTuple):
    """A directly-follows pair in two logs: how often, mean hours, and the distance of its durations in hours."""

    source: str
    target: str
    before: int
    after: int
    mean_before: float
    mean_after: float
    distance: float


class DirectlyFollows:
    """The directly-follows pairs of both logs, numbered alike from 0."""

    def __init__(self, original: EventLog, release: EventLog) -> None:
        self._logs = original, release
        self._pairs = _numbered_alike(original, release)
        self._n_pairs = int(max(pair.max() for pair in self._pairs)) + 1

    @cached_property
    def counts(self) -> tuple[Ints, Ints]:
        """How often each pair occurs in the original, and in the release."""
        before, after = (np.bincount(pair + 1, minlength=self._n_pairs + 1)[1:] for pair in self._pairs)
        return before, after

    @cached_property
    def distance(self) -> Floats:
        """How far the durations of each pair moved, in milliseconds; NaN where the original does not have it.

        A pair that the release lost counts as if all its durations had become 0.
        """
        before, after = self.counts
        parts = pieces(offsets_of(before + after), _EVENTS_AT_ONCE)  # on all cores, and so that memory stays small
        return np.concatenate([np.empty(0), *in_order(self._distance_of_some, parts)])

    def _distance_of_some(self, some: slice) -> Floats:
        a, b = (_durations(log, pair, some) for log, pair in zip(self._logs, self._pairs, strict=True))
        distance = wasserstein(*a, *b, some.stop - some.start)
        lost = np.isnan(distance)
        distance[lost] = means(*a, len(distance))[lost]
        return distance

    @cached_property
    def table(self) -> list[PairDistance]:
        """Every pair that one of the logs has; means are not a number where one does not have it."""
        names: dict[int, tuple[str, str]] = {}
        means = []
        for log, pair, count in zip(self._logs, self._pairs, self.counts, strict=True):
            event = np.flatnonzero(pair >= 0)
            total = np.bincount(pair[event], weights=log.time[event] - log.time[event - 1], minlength=self._n_pairs)
            means.append(np.divide(total, count * HOUR, out=np.full(len(count), np.nan), where=count > 0))
            for number, first in zip(*np.unique(pair[event], return_index=True), strict=True):
                activity = log.activity[event[first] - 1 : event[first] + 1]
                names[int(number)] = (log.labels[int(activity[0])], log.labels[int(activity[1])])
        columns = (*self.counts, *means, self.distance / HOUR)
        return [PairDistance(*names[i], *(column[i].item() for column in columns)) for i in sorted(names)]


def pair_distances(original: EventLog, release: EventLog) -> list[PairDistance]:
    """Every directly-follows pair that one of the logs has."""
    return DirectlyFollows(original, release).table


def means(group: Ints, value: Ints, n_groups: int) -> Floats:
    """The mean of each group; NaN where it is empty."""
    size, total = np.bincount(group, minlength=n_groups), np.bincount(group, weights=value, minlength=n_groups)
    return np.divide(total, size, out=np.full(n_groups, np.nan), where=size > 0)


def _durations(log: EventLog, pair: Pairs, chosen: slice) -> tuple[Ints, Ints]:
    """Pair, from the first chosen one on, and duration of the events of the chosen pairs."""
    event = np.flatnonzero((pair >= chosen.start) & (pair < chosen.stop))
    return pair[event].astype(np.int64) - chosen.start, log.time[event] - log.time[event - 1]


def _numbered_alike(original: EventLog, release: EventLog) -> tuple[Pairs, Pairs]:
    """The directly-follows pair of each event of both logs, numbered from 0; -1 for the first of a case."""
    number = {label: i for i, label in enumerate(dict.fromkeys(original.labels + release.labels))}
    if len(number) <= _MANY_LABELS:
        return _pairs(original, number, np.int32), _pairs(release, number, np.int32)
    pairs = np.concatenate([_pairs(original, number, np.int64), _pairs(release, number, np.int64)])
    numbered = dense(pairs + 1) - 1
    return numbered[: original.n_events], numbered[original.n_events :]


def _pairs(log: EventLog, number: dict[str, int], integer: type[Integer]) -> NDArray[Integer]:
    pair = np.array([number[label] for label in log.labels], dtype=integer)[log.activity]
    pair[1:] += len(number) * pair[:-1]
    pair[log.case_offsets[:-1]] = -1
    return pair
