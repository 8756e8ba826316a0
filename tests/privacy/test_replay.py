"""Replays: the noised figures that came out for a log are given to its neighbour.

With the same figures, a method must take the same way through its code and release the very same log: else something
besides the noised figures decides, and a difference of the logs could be seen through the noise. And what the
neighbour's own sums differ by must be no more than the noise is made for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.helpers import cases_of, event_logs, examples, log_of, log_of_paths
from support.worlds import with_persons
from unsingle import EventLog, LogError
from unsingle.core.arrays import Ints
from unsingle.core.automaton import build_automaton
from unsingle.mechanisms.measurements import Measurements
from unsingle.mechanisms.shares import shares
from unsingle.methods.strict import Strict
from unsingle.methods.synthetic import Synthetic
from unsingle.methods.twin import Twin, TwinCrowds
from unsingle.privacy.advantage import count_ratio
from unsingle.privacy.budget import UNIT, Terms
from unsingle.privacy.random import Randomness
from unsingle.progress import Progress

LABELS = tuple("ABCD")
METHODS = {each.name: each for each in (Twin(0.2), TwinCrowds(0.2, labels=LABELS), Strict(0.2, labels=LABELS))}
Case = tuple[tuple[str, ...], tuple[int, ...]]


class Kept(Measurements):
    """Measurements that note every true figure, and come out as those of another log did, if they are given."""

    def __init__(self, terms: Terms, came_out: list[Ints] | None = None) -> None:
        super().__init__(terms, shares(terms), Randomness(1))
        self._came_out = came_out
        self.names: list[str] = []
        self.true: list[Ints] = []
        self.noised: list[Ints] = []
        self.is_tally: list[bool] = []

    def _geometric(self, name: str, true: Ints, ratio: Fraction) -> Ints:
        return self._kept(name, true, lambda: super(Kept, self)._geometric(name, true, ratio), is_tally=False)

    def _gaussian(self, name: str, true: Ints, s: int) -> Ints:
        return self._kept(name, true, lambda: super(Kept, self)._gaussian(name, true, s), is_tally=True)

    def _kept(self, name: str, true: Ints, draw: Callable[[], Ints], *, is_tally: bool) -> Ints:
        noised = draw() if self._came_out is None else self._came_out[len(self.noised)]
        assert len(noised) == len(true), f"{name}: other cells for the neighbour"
        self.names.append(name)
        self.true.append(true)
        self.noised.append(noised)
        self.is_tally.append(is_tally)
        return noised


def released(measurements: Kept, log: EventLog, method: Synthetic) -> EventLog | str:
    """What is made of the figures: a log, or a refusal."""
    try:
        return method.made_from(measurements, log, Randomness(2), Progress()).log
    except LogError as error:
        return str(error)


def replayed(log: EventLog, neighbour: EventLog, method: Synthetic) -> tuple[Kept, Kept]:
    """The figures of both logs, after a check that the same release came of them."""
    first = Kept(method.terms)
    one = released(first, log, method)
    again = Kept(method.terms, first.noised)
    other = released(again, neighbour, method)
    assert first.names == again.names
    assert one == other
    return first, again


@st.composite
def logs_and_two_cases(draw: st.DrawFn) -> tuple[list[Case], Case, Case]:
    """An arbitrary log, and two more cases on paths of it, at any times."""
    cases = cases_of(draw(event_logs()))
    more = []
    for _ in range(2):
        path = draw(st.sampled_from(cases))[0]
        steps = draw(st.lists(st.integers(0, 10**11), min_size=len(path), max_size=len(path)))
        more.append((path, tuple(np.cumsum(steps).tolist())))
    return cases, more[0], more[1]


def moved(first: Kept, again: Kept) -> tuple[list[float], list[float]]:
    """How far the counts moved, in cases, and the tallies, in units."""
    apart = [(one - other).astype(np.float64) for one, other in zip(first.true, again.true, strict=True)]
    counts = [float(np.abs(each).sum()) for each, tally in zip(apart, first.is_tally, strict=True) if not tally]
    tallies = [math.sqrt(float((each**2).sum())) for each, tally in zip(apart, first.is_tally, strict=True) if tally]
    return counts, [each / UNIT for each in tallies]


@pytest.mark.parametrize("name", METHODS)
@examples(25)
@given(example=logs_and_two_cases())
def test_one_case_more_moves_no_figure_by_more_than_its_noise_is_made_for(
    name: str, example: tuple[list[Case], Case, Case]
) -> None:
    cases, one, _ = example
    counts, tallies = moved(*replayed(log_of([*cases, one]), log_of(cases), METHODS[name]))
    assert max(counts) <= 1
    assert max(tallies, default=0) <= 1


@pytest.mark.parametrize("name", METHODS)
@examples(25)
@given(example=logs_and_two_cases())
def test_an_exchanged_case_moves_no_figure_by_more_than_its_noise_is_made_for(
    name: str, example: tuple[list[Case], Case, Case]
) -> None:
    cases, one, other = example
    counts, tallies = moved(*replayed(log_of([*cases, one]), log_of([*cases, other]), METHODS[name]))
    assert counts[0] == 0  # the number of all cases stays
    assert max(counts) <= 2
    assert max(tallies, default=0) <= math.sqrt(2)


K = 3
OF_PERSONS = {name: replace(method, cases_per_person=K) for name, method in METHODS.items()}


@st.composite
def logs_and_two_people(draw: st.DrawFn) -> tuple[list[Case], list[Case], list[Case]]:
    """An arbitrary log, and two people with up to K cases each on paths of it, at any times."""
    cases = cases_of(draw(event_logs()))
    people: list[list[Case]] = [[], []]
    for person in people:
        for _ in range(draw(st.integers(1, K))):
            path = draw(st.sampled_from(cases))[0]
            steps = draw(st.lists(st.integers(0, 10**11), min_size=len(path), max_size=len(path)))
            person.append((path, tuple(np.cumsum(steps).tolist())))
    return cases, people[0], people[1]


def with_person(cases: list[Case], person: list[Case]) -> EventLog:
    """The log with the cases of one more person; all others share theirs among two."""
    others = ["x" if i % 2 else "y" for i in range(len(cases))]
    return with_persons(log_of([*cases, *person]), [*others, *["them"] * len(person)])


@pytest.mark.parametrize("name", METHODS)
@examples(20)
@given(example=logs_and_two_people())
def test_a_person_moves_no_figure_by_more_than_its_noise_is_made_for(
    name: str, example: tuple[list[Case], list[Case], list[Case]]
) -> None:
    cases, one, other = example
    counts, tallies = moved(*replayed(with_person(cases, one), with_person(cases, []), OF_PERSONS[name]))
    assert max(counts) <= len(one) <= K
    assert max(tallies, default=0) <= 1
    counts, tallies = moved(*replayed(with_person(cases, one), with_person(cases, other), OF_PERSONS[name]))
    assert counts[0] == abs(len(one) - len(other))  # of all cases
    assert max(counts) <= len(one) + len(other)
    assert max(tallies, default=0) <= math.sqrt(2)


@pytest.mark.parametrize("delta", [Fraction(1, 10), Fraction(2, 5)])
def test_noise_on_the_counts_of_steps_does_not_depend_on_who_took_them(delta: Fraction) -> None:
    """The noise that `amun` draws for each transition; what is done with it is not bounded (guarantees.md)."""

    def one_sided(log: EventLog) -> np.ndarray:
        automaton = build_automaton(log.variants)
        count = np.bincount(automaton.of_events(log), minlength=automaton.n_transitions)
        return count + 1 + Randomness(7).geometric(count_ratio(delta), automaton.n_transitions)

    here, there = one_sided(log_of_paths("AB", "AB", "AC")), one_sided(log_of_paths("AB", "AC"))
    assert np.abs(here - there).max() <= 1
