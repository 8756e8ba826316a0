"""People with several cases: one case per person is assumed, so what they are promised is less."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...core.arrays import Ints
from ...core.columns import PERSON
from ...core.log import EventLog
from ...privacy.budget import same_paths
from ...privacy.laws import Pair

_LEAST_DELTA = 1e-5  # that is looked at for people with many cases


@dataclass(frozen=True)
class PersonCases:
    """So many persons have so many cases, and what a guess about one of them gains at most (default method)."""

    cases: int
    persons: int
    gain: float


def cases_by_person(log: EventLog, delta: float) -> tuple[PersonCases, ...]:
    """How many persons have how many cases; empty if the log does not tell persons apart."""
    each = cases_of_persons(log)
    counts, persons = np.unique(each, return_counts=True)
    return tuple(
        PersonCases(n, people, gain_of_person(delta, n))
        for n, people in zip(counts.tolist(), persons.tolist(), strict=True)
    )


def cases_of_persons(log: EventLog) -> Ints:
    """How many cases each person has; a case without a person counts as one of its own."""
    column = log.column(PERSON)
    if column is None:
        return np.empty(0, dtype=np.int64)
    known = np.bincount(column.values[column.present])
    return np.append(known[known > 0], np.ones(int((~column.present).sum()), dtype=np.int64))


def gain_of_person(delta: float, cases: int) -> float:
    """What a yes/no guess about a person with so many cases gains at most from a release by the default method.

    One case per person is assumed. With more, a count moves by as many, which costs a^cases in place of a, and what
    the person adds to a tally is as many times as long.

    >>> round(gain_of_person(0.2, 1), 3), round(gain_of_person(0.2, 2), 3)
    (0.2, 0.352)
    """
    terms = same_paths(delta)
    ratio = float(terms.ratio) ** cases
    return Pair((ratio, ratio), cases * 2 * math.sqrt(terms.rho)).gain


def delta_for_persons(delta: float, cases: int) -> float | None:
    """The delta to ask for so that a guess about someone with so many cases gains at most delta; None if there is none.

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
