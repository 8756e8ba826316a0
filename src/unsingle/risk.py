"""How exposed people are before any release: what an attacker who has the log could find. Private.

Uniqueness: an attacker knows something of a person (the path, a few activities, a day) and looks for it in the log;
if one case fits, the person is found. Guessing: an attacker knows only how long steps usually take, and guesses a time
(the prior of the paper's Eq. 2).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from .automaton import build_automaton
from .clock import DAY, HOUR, grid_of, zone_offsets
from .groups import Coded, Floats, Population
from .guessing import checked_delta
from .hashing import mix_pair
from .log import EventLog
from .methods import DEFAULT
from .methods.timeline import Timeline
from .options import Precision
from .privacy.budget import same_paths
from .privacy.laws import Pair
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
_LEAST_DELTA = 1e-5  # that is looked at for people with many cases
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
    """So many persons have so many cases, and what a guess about one of them gains at most (`twin`)."""

    cases: int
    persons: int
    gain: float


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
    def persons_verdict(self) -> str:
        """What it means that people have several cases; nothing if persons are not told apart."""
        if not self.by_person:
            return ""
        most = self.by_person[-1]
        if most.cases == 1:
            return "Every person has one case, as is assumed."
        worth = (
            f"One case per person is assumed, but one person has {most.cases:,} cases: at delta {self.delta:g} a guess "
            f"about them gains up to {most.gain:.2f} from a release by {DEFAULT}."
        )
        if self.delta_needed is None:
            return f"{worth} No delta is small enough for them: keep fewer cases of each person."
        return (
            f"{worth} Ask for delta {self.delta_needed:g} so that nobody's risk grows by more than {self.delta:g}, or "
            "keep fewer cases of each person."
        )

    @property
    def verdict(self) -> str:
        """The answer in three sentences."""
        day = self._of("the day it began").unique_share
        found = max(self.unique_path_share, day, self._of(DATED[1]).unique_share)
        level = "most people" if found >= 0.5 else "some people" if found >= 0.01 else "few people"
        if self.unique_paths:
            paths = (
                f"{self.unique_paths:,} of {self.cases:,} cases ({percent(self.unique_path_share)}) took a path nobody "
                "else took: anyone who knows that person's path can find everything else."
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
        delta: what each person should be promised, also one with several cases.
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
    by_person, needed = _persons(person, float(exact_delta)) if person is not None else ((), None)
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


def gain_of_person(delta: float, cases: int) -> float:
    """What a yes/no guess about a person with so many cases gains at most from a release by `twin` at delta.

    One case per person is assumed. With more, a count moves by as many, which costs a^cases in place of a, and what
    the person adds to a tally is as many times as long.

    >>> round(gain_of_person(0.2, 1), 3), round(gain_of_person(0.2, 2), 3)
    (0.2, 0.352)
    """
    terms = same_paths(delta)
    ratio = float(terms.ratio) ** cases
    return Pair((ratio, ratio), cases * 2 * math.sqrt(terms.rho)).gain


def delta_for_persons(delta: float, cases: int) -> float | None:
    """The delta to ask for so that nobody with so many cases gains more than delta; none if there is no such delta.

    >>> delta_for_persons(0.2, 1), delta_for_persons(0.2, 3)
    (0.2, 0.069)
    """
    if gain_of_person(delta, cases) <= delta:
        return delta
    if gain_of_person(_LEAST_DELTA, cases) > delta:
        return None
    low, high = _LEAST_DELTA, delta
    while high > 1.001 * low:
        middle = (low + high) / 2
        low, high = (middle, high) if gain_of_person(middle, cases) <= delta else (low, middle)
    digits = 1 - math.floor(math.log10(low))
    return math.floor(low * 10**digits) / 10**digits  # two digits, never more than that


def _persons(person: Ints, delta: float) -> tuple[tuple[PersonCases, ...], float | None]:
    """How many persons have how many cases, and the delta to ask for so that all get what delta says."""
    each = np.bincount(dense(person))
    counts, persons = np.unique(each, return_counts=True)
    rows = tuple(
        PersonCases(n, people, gain_of_person(delta, n))
        for n, people in zip(counts.tolist(), persons.tolist(), strict=True)
    )
    return rows, delta_for_persons(delta, int(each.max()))
