"""How exposed people are before any release: what an attacker who has the log could find. Private.

Uniqueness: an attacker knows something of a person (the path, a few activities, a day) and looks for it in the log;
if one case fits, the person is found. Guessing: an attacker knows only how long steps usually take, and guesses a time
(the prior of the paper's Eq. 2).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from .automaton import build_automaton
from .clock import DAY, HOUR, grid_of, zone_offsets
from .groups import Coded, Floats, Population
from .guessing import checked_delta
from .hashing import mix_pair
from .log import EventLog
from .methods.timeline import Timeline
from .options import Precision
from .ragged import Ints, dense, offsets_of, positions, row_of
from .randomness import Randomness
from .tabular import Tabular
from .wording import percent

FEW = 5
"""Fewer people than this are hardly a crowd."""

DATED = (
    "1 event picked at random, with its day",
    "2 events picked at random, with their days",
    "3 events picked at random, with their days",
)

_ASKED = 300  # cases that are tried for "picked at random", which would take long for all
_TRIES = 5  # of each
_MOST_CELLS = 100_000_000  # of the table of activities by variant; a larger one is left out
_FAR = 0.5  # an outlier is at least so much of its own length beyond the next


@dataclass(frozen=True)
class Uniqueness:
    """How many cases one piece of knowledge singles out, or narrows down to fewer than `FEW`."""

    known: str
    unique_share: float
    few_share: float


@dataclass(frozen=True)
class ActivityRisk:
    """An activity: in how many cases it is, how many of those are alone on their path, and how well times are guessed.

    `median_prior` is the chance that someone who knows how long the step usually takes guesses its time within the
    precision; `certain_share` is the share of its times that such a person guesses for sure.
    """

    activity: str
    cases: int
    events: int
    unique_path_share: float
    median_prior: float
    certain_share: float


@dataclass(frozen=True)
class RareVariant:
    """A path that few took."""

    path: tuple[str, ...]
    cases: int


@dataclass(frozen=True)
class Outlier:
    """A step that took so unusually long that its length alone tells who it was."""

    activity: str
    after: str
    hours: float
    next_longest_hours: float
    usual_hours: float


@dataclass(frozen=True)
class PersonCases:
    """So many persons have so many cases, and what delta is worth for them."""

    cases: int
    persons: int
    delta_path: float
    delta_times: float


@dataclass(frozen=True)
class Risk(Tabular):
    """What an attacker could find in the log itself. Private, like the log."""

    cases: int
    events: int
    variants: int
    activities: int
    unique_paths: int
    unique_path_share: float
    precision: str
    certain_time_share: float
    uniqueness: tuple[Uniqueness, ...]
    by_activity: tuple[ActivityRisk, ...]
    rare_variants: tuple[RareVariant, ...]
    outliers: tuple[Outlier, ...]
    delta: float
    by_person: tuple[PersonCases, ...] = ()
    delta_needed: float | None = None

    @property
    def verdict(self) -> str:
        """The answer in three sentences."""
        day = self._of("the day it began").unique_share
        found = max(self.unique_path_share, day, self._of(DATED[1]).unique_share)
        level = "most people" if found >= 0.5 else "some people" if found >= 0.01 else "few people"
        if self.unique_paths:
            paths = (
                f"{self.unique_paths:,} of {self.cases:,} cases ({percent(self.unique_path_share)}) took a path nobody "
                "else took: who knows the path of such a person finds everything else about them."
            )
        else:
            paths = "Nobody is alone on a path."
        return (
            f"{paths} Knowing only the day a case began singles out {percent(day)}. "
            f"Published as it is, this log lets {level} be singled out."
        )

    def _of(self, known: str) -> Uniqueness:
        return next(each for each in self.uniqueness if each.known == known)


def assess_risk(log: EventLog, *, delta: float = 0.2, precision: float | str = 0.1, person: Ints | None = None) -> Risk:
    """Find out how exposed people are in this log.

    Args:
        log: the original.
        delta: for what it is worth to people with several cases.
        precision: how near a guess of a time must come to count.
        person: for each case a number that tells persons apart, if one person can have several cases.

    >>> from unsingle import synthesize
    >>> risk = assess_risk(synthesize(cases=300, seed=1))
    >>> 0 < risk.unique_path_share < 1
    True

    """
    exact_delta = checked_delta(delta)
    width = Precision.parse(precision)
    variants = log.variants
    alone = (variants.cases == 1)[variants.of_case]
    priors = Timeline(log, grid_of(log), "start").priors(build_automaton(variants), width)
    by_person, needed = _persons(person, exact_delta) if person is not None else ((), None)
    return Risk(
        cases=log.n_cases,
        events=log.n_events,
        variants=variants.count,
        activities=len(log.labels),
        unique_paths=int(alone.sum()),
        unique_path_share=float(alone.mean()),
        precision=str(width),
        certain_time_share=float((priors == 1).mean()) if len(priors) else 0.0,
        uniqueness=_uniqueness(log),
        by_activity=_by_activity(log, alone, priors),
        rare_variants=_rare_variants(log),
        outliers=_outliers(log),
        delta=float(exact_delta),
        by_person=by_person,
        delta_needed=needed,
    )


# ------------------------------------------------------------------------------------------- uniqueness


def _uniqueness(log: EventLog) -> tuple[Uniqueness, ...]:
    variant = log.variants.of_case
    start = log.case_starts
    day = (start + zone_offsets(log.zone, start)) // DAY
    hours = (log.case_ends - start) // HOUR
    known = {
        "the whole path": variant,
        "the first 2 activities": _ends_of_paths(log, 2, last=False),
        "the first 5 activities": _ends_of_paths(log, 5, last=False),
        "the last 2 activities": _ends_of_paths(log, 2, last=True),
        "the last 5 activities": _ends_of_paths(log, 5, last=True),
        "how many events": np.diff(log.case_offsets),
        "the day it began": day,
        "how long it took, to the hour": hours,
        "the day it began and how long it took": dense(_pair(day, hours)),
        "the whole path and the day it began": dense(_pair(variant, day)),
        "the whole path and all times, to the hour": _with_times(log, HOUR),
        "the whole path and all times": _with_times(log, 1),
    }
    crowds = [(name, _crowd(key)) for name, key in known.items()]
    more: list[tuple[str, Ints]] = []
    if log.variants.count * len(log.labels) <= _MOST_CELLS:
        bags = _Bags(log)
        more += [(f"{k} activities picked at random, without order", bags.crowds(k)) for k in (3, 5)]
    dated = _DatedEvents(log)
    more += [(name, dated.crowds(k)) for k, name in enumerate(DATED, start=1)]
    crowds[5:5] = more
    return tuple(Uniqueness(name, float((n == 1).mean()), float((n < FEW).mean())) for name, n in crowds)


def _crowd(key: Ints) -> Ints:
    """How many cases share each case's key."""
    _, inverse, count = np.unique(key, return_inverse=True, return_counts=True)
    return count[inverse]


def _pair(a: Ints, b: Ints) -> Ints:
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


def _picks(log: EventLog, k: int) -> Iterator[Ints]:
    """Some cases, and of each k of its events picked at random, several times."""
    random = Randomness(0)  # only to choose whom to try; nothing here is released
    for case in random.permutation(log.n_cases)[:_ASKED].tolist():
        first, after = log.case_offsets[case : case + 2].tolist()
        for _ in range(_TRIES):
            yield first + random.permutation(after - first)[:k]


class _Bags:
    """How often each variant has each activity, without order, and how many cases have the same."""

    def __init__(self, log: EventLog) -> None:
        self._log, variants = log, log.variants
        counts = np.zeros((variants.count, len(log.labels)), dtype=np.uint8)
        pair = np.bincount(row_of(variants.offsets) * len(log.labels) + variants.path, minlength=counts.size)
        counts[:] = np.minimum(pair, 255).reshape(counts.shape)  # nobody is asked for more
        self._bags, of_variant = np.unique(counts, axis=0, return_inverse=True)
        self._weight = np.bincount(of_variant.ravel()[variants.of_case], minlength=len(self._bags))

    def crowds(self, k: int) -> Ints:
        """How many cases have k activities, picked at random from one."""
        crowds = []
        for events in _picks(self._log, k):
            picked, times = np.unique(self._log.activity[events], return_counts=True)
            crowds.append(int(self._weight[(self._bags[:, picked] >= times).all(axis=1)].sum()))
        return np.array(crowds)


class _DatedEvents:
    """Which cases have which activity on which day."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        day = (log.time + zone_offsets(log.zone, log.time)) // DAY
        self._key = dense(_pair(log.activity.astype(np.int64), day))
        self._holder = np.unique(self._key * log.n_cases + row_of(log.case_offsets))  # each case once for each key
        self._begin = np.searchsorted(self._holder, np.arange(int(self._key.max()) + 2) * log.n_cases)

    def crowds(self, k: int) -> Ints:
        """How many cases have k activities on their days, picked at random from one."""
        crowds = []
        for events in _picks(self._log, k):
            parts = [self._cases(key) for key in set(self._key[events].tolist())]
            crowds.append(len(reduce(lambda a, b: np.intersect1d(a, b, assume_unique=True), parts)))
        return np.array(crowds)

    def _cases(self, key: int) -> Ints:
        return self._holder[self._begin[key] : self._begin[key + 1]] - key * self._log.n_cases


# --------------------------------------------------------------------------------------- what carries it


def _by_activity(log: EventLog, alone: NDArray[np.bool_], priors: Floats) -> tuple[ActivityRisk, ...]:
    """Those in the fewest cases first: they tell most."""
    case, label = row_of(log.case_offsets), log.activity.astype(np.int64)
    pairs = np.unique(label * log.n_cases + case)
    holder, holding = pairs // log.n_cases, pairs % log.n_cases
    n = len(log.labels)
    cases, events = np.bincount(holder, minlength=n), np.bincount(label, minlength=n)
    alone_cases = np.bincount(holder, weights=alone[holding], minlength=n)
    later = label[~log.is_first]
    order, edges = np.argsort(later, kind="stable"), offsets_of(np.bincount(later, minlength=n))
    rows = []
    for number in np.flatnonzero(cases).tolist():
        own = priors[order[edges[number] : edges[number + 1]]]
        rows.append(
            ActivityRisk(
                activity=log.labels[number],
                cases=int(cases[number]),
                events=int(events[number]),
                unique_path_share=float(alone_cases[number] / cases[number]),
                median_prior=float(np.median(own)) if len(own) else float("nan"),
                certain_share=float((own == 1).mean()) if len(own) else float("nan"),
            )
        )
    return tuple(sorted(rows, key=lambda row: (row.cases, row.activity)))


def _rare_variants(log: EventLog, most: int = 20) -> tuple[RareVariant, ...]:
    """The rarest paths, the shortest first: those are the easiest to know."""
    rare = sorted(log.variant_counts().items(), key=lambda variant: (variant[1], len(variant[0]), variant[0]))
    return tuple(RareVariant(path, cases) for path, cases in rare[:most] if cases < FEW)


def _outliers(log: EventLog, most: int = 20) -> tuple[Outlier, ...]:
    """The steps that are furthest beyond the next longest one of their directly-follows pair, by their own length."""
    source, target = log.activity[:-1].astype(np.int64), log.activity[1:]
    later = ~log.is_first[1:]
    if not later.any():
        return ()
    pair = dense((source * len(log.labels) + target)[later])
    steps = Population(Coded(np.diff(log.time)[later]), pair)
    enough = np.flatnonzero(steps.size >= FEW)
    last = steps.offsets[1:][enough] - 1
    longest, next_longest = steps.sorted_values[last], steps.sorted_values[last - 1]
    median = steps.sorted_values[(steps.offsets[:-1][enough] + last) // 2]
    gap = (longest - next_longest) / np.maximum(longest, 1)
    example = np.zeros(len(steps.size), dtype=np.int64)
    example[pair] = np.flatnonzero(later)
    found = []
    for i in np.argsort(-gap, kind="stable")[:most].tolist():
        if gap[i] >= _FAR:
            event = int(example[enough[i]])
            names = log.labels[int(log.activity[event + 1])], log.labels[int(log.activity[event])]
            found.append(Outlier(*names, longest[i] / HOUR, next_longest[i] / HOUR, median[i] / HOUR))
    return tuple(found)


# ------------------------------------------------------------------------------------ several cases of one person


def path_delta(delta: Fraction, cases: int) -> Fraction:
    """What a path promise of delta is worth for a person with so many cases (blend).

    Each case moves the counts by a total variation of at most 2 delta, and all together by at most what is left of 1.

    >>> path_delta(Fraction(1, 5), 2)
    Fraction(8, 25)
    """
    return (1 - max(Fraction(0), 1 - 2 * delta) ** cases) / 2


def times_delta(delta: Fraction, cases: int) -> Fraction:
    """What a promise about times is worth for a person with so many cases (blend): the chance that any is kept."""
    return 1 - (1 - delta) ** cases


def _persons(person: Ints, delta: Fraction) -> tuple[tuple[PersonCases, ...], float]:
    """How many persons have how many cases, and the delta to ask for so that all get what delta says."""
    each = np.bincount(dense(person))
    counts, persons = np.unique(each, return_counts=True)
    rows = tuple(
        PersonCases(n, people, float(path_delta(delta, n)), float(times_delta(delta, n)))
        for n, people in zip(counts.tolist(), persons.tolist(), strict=True)
    )
    most = int(each.max())
    q = max(0.0, 1 - 2 * float(delta)) ** (1 / most)
    needed = min((1 - q) / 2, 1 - (1 - float(delta)) ** (1 / most))
    return rows, math.floor(needed * 10_000) / 10_000  # never more than that
