"""Replays: the noise that was drawn on a log is drawn again on its neighbour.

With the same noise, a mechanism must take the same way through its code (ask for the same numbers) on both, and what
comes out must differ by no more than its sensitivity. Else a difference of the logs could be seen through the noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import event_logs, examples, log_of_paths
from unsingle import EventLog
from unsingle.automaton import build_automaton
from unsingle.clock import grid_of
from unsingle.guessing import count_ratio
from unsingle.methods import blend, selection
from unsingle.methods.redraw import group_values
from unsingle.methods.spending import CASES, CROWDED, PLANS, Spending
from unsingle.methods.tallies import noised, tally
from unsingle.methods.timeline import Timeline
from unsingle.options import Options
from unsingle.randomness import Randomness

SAMPLERS = (
    "below", "bernoulli", "geometric", "discrete_laplace", "truncated_laplace", "discrete_gaussian", "permutation",
    "uniform", "exponential", "words",
)  # fmt: skip


class Recorded:
    """Noise that notes what was asked of it, and gives the same again."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Any]] = []
        self._given: list[np.ndarray] = []
        self._source: Randomness | None = Randomness(7)
        self._place = 0

    def again(self) -> Recorded:
        """The same noise, for a neighbour."""
        other = Recorded()
        other._given, other._source = self._given, None
        return other

    def __getattr__(self, name: str) -> Callable[..., np.ndarray]:
        if name not in SAMPLERS:
            raise AttributeError(name)

        def sampled(*arguments: Any) -> np.ndarray:
            self.asked.append((name, tuple(np.asarray(each).tolist() for each in arguments)))
            if self._source is not None:
                self._given.append(getattr(self._source, name)(*arguments))
            self._place += 1
            return self._given[self._place - 1]

        return sampled


def replayed(mechanism: Callable[[EventLog, Any], Any], log: EventLog, neighbour: EventLog) -> tuple[Any, Any]:
    """What the mechanism gives on both logs with the same noise, if it asked for the same."""
    noise = Recorded()
    one = mechanism(log, noise)
    again = noise.again()
    other = mechanism(neighbour, again)
    assert noise.asked == again.asked
    return one, other


neighbours = st.tuples(event_logs().filter(lambda log: log.n_cases > 1), st.integers(0, 11))


def less_one(log: EventLog, number: int) -> EventLog:
    """The log without one case; its labels stay, because they are public."""
    keep = np.delete(np.arange(log.n_cases), number % log.n_cases)
    part = log.copies_of(keep)
    place = np.array([log.labels.index(label) for label in part.labels])
    return EventLog(log.labels, place[part.activity].astype(np.int32), part.time, part.case_offsets, log.zone)


# ---------------------------------------------------------------------------------------- strict


@examples(100)
@given(neighbours)
def test_numbers_of_cases_differ_by_at_most_one(pair: tuple[EventLog, int]) -> None:
    log, number = pair

    def counted(each: EventLog, random: Any) -> tuple[int, int]:
        spending = Spending(Options(delta=0.2))
        crowded = int(np.maximum(0, each.variants.cases - 2).sum())
        return spending.count(CASES, each.n_cases, random), spending.count(CROWDED, crowded, random)

    one, other = replayed(counted, log, less_one(log, number))
    assert abs(one[0] - other[0]) <= 1
    assert abs(one[1] - other[1]) <= 1


@examples(100)
@given(st.lists(st.integers(0, 90), min_size=1, max_size=6), st.integers(0, 5))
def test_selection_differs_in_one_path_by_one_case(counts: list[int], place: int) -> None:
    """Of a path that nobody took any more the noise is not asked for; it could not be published with any noise."""
    fewer = list(counts)
    fewer[place % len(counts)] = max(0, fewer[place % len(counts)] - 1)
    noise = Recorded()
    one = selection.select(np.array(counts), 0.405, 5e-7, noise)  # type: ignore[arg-type]
    other = selection.select(np.array(fewer), 0.405, 5e-7, noise.again())  # type: ignore[arg-type]
    differing = np.flatnonzero(one != other)
    assert len(differing) <= 1
    threshold = selection.threshold(0.405, 5e-7)
    for i in differing.tolist():
        assert abs(one[i] - other[i]) == 1 or {int(one[i]), int(other[i])} == {0, threshold + 1}


@examples(100)
@given(neighbours, st.sampled_from(sorted({name for plan in PLANS.values() for name in plan})))
def test_tallies_differ_by_a_vector_of_length_one(pair: tuple[EventLog, int], name: str) -> None:
    log, number = pair

    def tallied(each: EventLog, random: Any) -> np.ndarray:
        case = np.repeat(np.arange(each.n_cases), np.diff(each.case_offsets))
        total = tally(each.activity.astype(np.int64), case, len(each.labels))
        return noised(total, PLANS["crowds and walks"][name] * 0.003, random).values

    one, other = replayed(tallied, log, less_one(log, number))
    assert math.sqrt(((one - other) ** 2).sum()) <= 1


# ---------------------------------------------------------------------------------------- blend


@pytest.mark.parametrize(
    ("one", "other"), [(["A", "A", "B"], ["A", "B"]), (["A", "A", "B", "B"], ["A", "B", "B", "B"])]
)
def test_added_cases_do_not_depend_on_who_took_a_path(one: list[str], other: list[str]) -> None:
    def counted(log: EventLog, random: Any) -> np.ndarray:
        return log.variants.cases + blend.added_cases(log.variants.count, Fraction(1, 5), random)

    here, there = replayed(counted, log_of_paths(*one), log_of_paths(*other))
    assert np.abs(here - there).max() <= 1
    assert np.abs(here - there).sum() <= 2


@examples(60)
@given(st.lists(st.integers(0, 10_000), min_size=30, max_size=60), st.integers(0, 29), st.integers(0, 29))
def test_redrawn_times_of_a_case_that_is_not_kept_do_not_depend_on_it(values: list[int], a: int, b: int) -> None:
    """Exchange the durations of two people: the groups stay the same, and so does what is shown of who is not kept."""
    times = np.array(values, dtype=np.int64)
    swapped = times.copy()
    swapped[[a, b]] = swapped[[b, a]]
    kept = np.zeros(len(times), dtype=np.bool_)

    def shown(durations: np.ndarray, random: Any) -> np.ndarray:
        log = EventLog.from_events(
            np.repeat(np.arange(len(durations)), 2), np.tile([0, 1], len(durations)),
            np.stack((np.zeros(len(durations), dtype=np.int64), durations)).T.ravel(), ["A", "B"],
        )  # fmt: skip
        timeline = Timeline(log, grid_of(log, "millisecond"), "previous")
        draws = group_values(timeline.values, timeline.populations(build_automaton(log.variants)), timeline.grid)
        return draws.draw(draws.choose(np.arange(len(durations)), kept, random), random)

    one, other = replayed(shown, times, swapped)  # type: ignore[arg-type]
    assert one.tolist() == other.tolist()


# ---------------------------------------------------------------------------------------- amun and sample


@pytest.mark.parametrize("delta", [Fraction(1, 10), Fraction(2, 5)])
def test_noise_on_the_counts_of_steps_does_not_depend_on_who_took_them(delta: Fraction) -> None:
    """The noise that `amun` draws for each transition; what is done with it is not bounded (guarantees.md)."""

    def one_sided(log: EventLog, random: Any) -> np.ndarray:
        automaton = build_automaton(log.variants)
        count = np.bincount(automaton.of_events(log), minlength=automaton.n_transitions)
        return count + 1 + random.geometric(count_ratio(delta), automaton.n_transitions)

    here, there = replayed(one_sided, log_of_paths("AB", "AB", "AC"), log_of_paths("AB", "AC"))
    assert np.abs(here - there).max() <= 1
