"""Uniqueness: an attacker knows something of a person and looks for it in the log; if one case fits, they are found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce

import numpy as np

from ...core.arrays import Ints, dense, distinct, mix_pair, positions, row_of
from ...core.clock import DAY, HOUR, zone_offsets
from ...core.log import EventLog
from ...privacy.random import Randomness

FEW = 5
"""Fewer people than this are hardly a crowd."""

WHOLE_PATH, DAY_OF_START = "the whole path", "the day it began"
PATH_AND_TIMES = "the whole path and all times"
DATED = (
    "1 event picked at random, with its day",
    "2 events picked at random, with their days",
    "3 events picked at random, with their days",
)

_ASKED = 300  # cases that are tried for "picked at random", which would take long for all
TRIES = 5
"""How often each of them is tried."""

_MOST_CELLS = 100_000_000  # of the table of activities by variant; a larger one is left out


@dataclass(frozen=True)
class Uniqueness:
    """How many cases one piece of knowledge singles out, or narrows down to fewer than `FEW`."""

    known: str
    unique_share: float
    few_share: float


def uniqueness_of(log: EventLog) -> tuple[Uniqueness, ...]:
    """How many cases each piece of knowledge singles out; what is picked at random is tried on a sample."""
    crowds = [(name, crowd(key)) for name, key in keys_of(log).items()]
    everybody = np.zeros(log.n_cases, dtype=np.int64)
    asked = asked_cases(log.n_cases)
    crowds[5:5] = [(name, counts[:, 0]) for name, counts in picked_at_random(log, everybody, asked).items()]
    return tuple(Uniqueness(name, float((n == 1).mean()), float((n < FEW).mean())) for name, n in crowds)


def keys_of(log: EventLog) -> dict[str, Ints]:
    """What can be known of a whole case: a number for each case, equal for cases that it does not tell apart."""
    start = log.case_starts
    day = (start + zone_offsets(log.zone, start)) // DAY
    hours = (log.case_ends - start) // HOUR
    variant = log.variants.of_case
    return {
        WHOLE_PATH: variant,
        "the first 2 activities": _ends_of_paths(log, 2, last=False),
        "the first 5 activities": _ends_of_paths(log, 5, last=False),
        "the last 2 activities": _ends_of_paths(log, 2, last=True),
        "the last 5 activities": _ends_of_paths(log, 5, last=True),
        "how many events": np.diff(log.case_offsets),
        DAY_OF_START: day,
        "how long it took, to the hour": hours,
        "the day it began and how long it took": dense(pair_of(day, hours)),
        "the whole path and the day it began": dense(pair_of(variant, day)),
        "the whole path and all times, to the hour": _with_times(log, HOUR),
        PATH_AND_TIMES: _with_times(log, 1),
    }


def asked_cases(cases: int) -> Ints:
    """Some cases that are tried for what is picked at random."""
    return Randomness(0).permutation(cases)[:_ASKED]  # only to choose whom to try; nothing here is released


def picked_at_random(log: EventLog, group: Ints, asked: Ints) -> dict[str, Ints]:
    """What can be known of some events of a case: for each try, how many cases of each group fit it.

    Each of the cases that are asked is tried `TRIES` times.
    """
    found: dict[str, Ints] = {}
    if log.variants.count * len(log.labels) <= _MOST_CELLS:
        bags = _Bags(log, group)
        found |= {f"{k} activities picked at random, without order": bags.crowds(k, asked) for k in (3, 5)}
    dated = _DatedEvents(log, group)
    return found | {name: dated.crowds(k, asked) for k, name in enumerate(DATED, start=1)}


def crowd(key: Ints) -> Ints:
    """How many cases share each case's key."""
    _, inverse, count = np.unique(key, return_inverse=True, return_counts=True)
    return count[inverse]


def pair_of(a: Ints, b: Ints) -> Ints:
    """A number for each pair of numbers."""
    b = dense(b - b.min())
    return dense(a - a.min()) * (int(b.max()) + 1) + b


def _ends_of_paths(log: EventLog, k: int, *, last: bool) -> Ints:
    """A number for the first or last k activities of each case; shorter cases have their own."""
    lengths = np.diff(log.case_offsets)
    key = np.zeros(log.n_cases, dtype=np.int64)
    for place in range(k):
        event = log.case_offsets[1:] - 1 - place if last else log.case_offsets[:-1] + place
        there = place < lengths
        activity = np.where(there, log.activity[np.where(there, event, 0)] + 1, 0).astype(np.int64)
        key = dense(key * (len(log.labels) + 1) + activity)
    return key


def _with_times(log: EventLog, unit: int) -> Ints:
    """A number for the path and all times of each case."""
    words = mix_pair(log.time // unit, positions(log.case_offsets), salt=1)
    digest = np.add.reduceat(words, log.case_offsets[:-1])
    return mix_pair(log.variants.of_case, digest.view(np.int64), salt=2).view(np.int64)


def _picks(log: EventLog, k: int, asked: Ints) -> Iterator[Ints]:
    """Of each case that is asked k of its events picked at random, several times."""
    random = Randomness(1)
    for case in asked.tolist():
        first, after = log.case_offsets[case : case + 2].tolist()
        for _ in range(TRIES):
            yield first + random.permutation(after - first)[:k]


class _Bags:
    """How often each variant has each activity, without order, and how many cases of each group have the same."""

    def __init__(self, log: EventLog, group: Ints) -> None:
        self._log, variants = log, log.variants
        counts = np.zeros((variants.count, len(log.labels)), dtype=np.uint8)
        pair = np.bincount(row_of(variants.offsets) * len(log.labels) + variants.path, minlength=counts.size)
        counts[:] = np.minimum(pair, 255).reshape(counts.shape)  # nobody is asked for more
        self._bags, of_variant = np.unique(counts, axis=0, return_inverse=True)
        groups = int(group.max()) + 1
        cell = of_variant.ravel()[variants.of_case] * groups + group
        self._weight = np.bincount(cell, minlength=len(self._bags) * groups).reshape(-1, groups)

    def crowds(self, k: int, asked: Ints) -> Ints:
        """How many cases of each group have k activities, picked at random from one."""
        crowds = []
        for events in _picks(self._log, k, asked):
            picked, times = np.unique(self._log.activity[events], return_counts=True)
            crowds.append(self._weight[(self._bags[:, picked] >= times).all(axis=1)].sum(axis=0))
        return np.array(crowds)


class _DatedEvents:
    """Which cases have which activity on which day."""

    def __init__(self, log: EventLog, group: Ints) -> None:
        self._log, self._group, self._groups = log, group, int(group.max()) + 1
        day = (log.time + zone_offsets(log.zone, log.time)) // DAY
        self._key = dense(pair_of(log.activity.astype(np.int64), day))
        self._holder = distinct(self._key * log.n_cases + row_of(log.case_offsets))  # each case once for each key
        self._begin = np.searchsorted(self._holder, np.arange(int(self._key.max()) + 2) * log.n_cases)

    def crowds(self, k: int, asked: Ints) -> Ints:
        """How many cases of each group have k activities on their days, picked at random from one."""
        crowds = []
        for events in _picks(self._log, k, asked):
            parts = [self._cases(key) for key in set(self._key[events].tolist())]
            found = reduce(lambda a, b: np.intersect1d(a, b, assume_unique=True), parts)
            crowds.append(np.bincount(self._group[found], minlength=self._groups))
        return np.array(crowds)

    def _cases(self, key: int) -> Ints:
        return self._holder[self._begin[key] : self._begin[key + 1]] - key * self._log.n_cases
