"""People with several cases: those with more than a release is made for are promised less. Private."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from ...core.arrays import Ints
from ...core.columns import PERSON
from ...core.log import EventLog
from ...errors import ParameterError
from ...mechanisms.cases import persons_of
from ...methods import Method
from ...methods.synthetic import Synthetic
from ...methods.unit import MOST_CASES
from ...privacy.budget import Terms
from ...privacy.laws import Pair
from ...privacy.terms import same_paths

_LEAST_DELTA = 1e-5  # that is looked at for people with many cases
_CHOICES = 8  # numbers of cases per person that are looked at


@dataclass(frozen=True)
class PersonCases:
    """So many persons have so many cases, and what a guess about one of them gains at most."""

    cases: int
    persons: int
    gain: float


@dataclass(frozen=True)
class CasesCovered:
    """What it would mean to protect people with up to so many cases.

    `with_more` have more all the same, `gain` is what a guess about the one with most cases gains then at most, and
    `count_noise` how far off a count of a path is (the deviation of its noise, in cases).
    """

    cases_per_person: int
    with_more: int
    gain: float
    count_noise: float


@dataclass(frozen=True)
class PersonFigures:
    """Whom a release is made for, and who is promised less."""

    cases_per_person: int
    people: int
    by_cases: tuple[PersonCases, ...]
    choices: tuple[CasesCovered, ...]

    @property
    def with_more(self) -> int:
        """How many people have more cases than the release is made for."""
        return sum(each.persons for each in self.by_cases if each.cases > self.cases_per_person)

    @property
    def most(self) -> PersonCases:
        """Those with most cases."""
        return self.by_cases[-1]

    def to_dict(self) -> dict[str, Any]:
        """The figures under the names of the command's JSON."""
        return {**asdict(self), "with_more": self.with_more}


def person_figures(log: EventLog, method: Method) -> PersonFigures | None:
    """Who has more cases than releases by this method are made for; None if persons are not told apart or promised.

    >>> from unsingle import synthesize
    >>> from unsingle.methods.twin import Twin
    >>> figures = person_figures(synthesize(500, several=0.1), Twin(0.2))
    >>> [(each.cases, each.persons, round(each.gain, 2)) for each in figures.by_cases]
    [(1, 320, 0.2), (5, 36, 0.43)]
    >>> [(each.cases_per_person, each.with_more, round(each.count_noise)) for each in figures.choices]
    [(1, 36, 3), (5, 0, 16)]
    """
    if log.column(PERSON) is None or not isinstance(method, Synthetic):
        return None
    each, terms = cases_of_persons(log), method.terms
    asked = sorted({method.unit.most, *_some(np.unique(each[each <= MOST_CASES]))})
    choices = tuple(_covered(each, choice) for k in asked if (choice := _terms(method, k)) is not None)
    return PersonFigures(method.unit.most, len(each), _rows(each, terms.gain_of_person), choices)


def _terms(method: Synthetic, cases_per_person: int) -> Terms | None:
    """The terms of the method for people with so many cases; None if the noise cannot be drawn at its delta."""
    try:
        return replace(method, cases_per_person=cases_per_person).terms
    except ParameterError:
        return None


def _some(values: Ints) -> list[int]:
    """A few of many values: the least, the largest, and some between."""
    place = np.unique(np.linspace(0, len(values) - 1, min(len(values), _CHOICES)).round().astype(np.int64))
    return values[place].tolist() if len(values) else []


def _covered(each: Ints, terms: Terms) -> CasesCovered:
    a, k = float(terms.ratio), terms.cases_per_person
    gain = terms.gain_of_person(int(each.max()))
    return CasesCovered(k, int((each > k).sum()), gain, math.sqrt(2 * a) / (1 - a))


def cases_by_person(log: EventLog, delta: float) -> tuple[PersonCases, ...]:
    """How many persons have how many cases, and what they are promised where each case is taken for a person.

    Empty if the log does not tell persons apart.
    """
    return _rows(cases_of_persons(log), lambda cases: gain_of_person(delta, cases))


def _rows(each: Ints, gain: Callable[[int], float]) -> tuple[PersonCases, ...]:
    counts, persons = np.unique(each, return_counts=True)
    return tuple(PersonCases(n, people, gain(n)) for n, people in zip(counts.tolist(), persons.tolist(), strict=True))


def cases_of_persons(log: EventLog) -> Ints:
    """How many cases each person has; a case without a person counts as one of its own."""
    return np.empty(0, dtype=np.int64) if log.column(PERSON) is None else np.bincount(persons_of(log))


def gain_of_person(delta: float, cases: int) -> float:
    """What a yes/no guess about a person with so many cases gains at most from a release by the default method.

    That is where each case is taken for a person. Then a count moves by as many, which costs a^cases in place of a, and
    what the person adds to a tally is as many times as long.

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
